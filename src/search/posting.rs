//! One entry of the index, in six bytes: they are most of what the index weighs.

/// That a term stands in a tool, and how much it counts there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, packed(2))]
pub struct Posting {
    /// The tool's slot.
    pub slot: u32,
    /// Bit 15: the term is of the tool's name. The rest: how much it counts, of [`Posting::FULL`].
    mark: u16,
}

impl Posting {
    const NAME: u16 = 1 << 15;
    /// The mark of a term that counts as much as a term can.
    pub const FULL: f32 = 32_767.0;

    /// A posting that counts `impact`, between 0 and 1.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an impact is between 0 and 1")]
    pub fn new(slot: u32, impact: f32, in_name: bool) -> Self {
        let impact = (impact * Self::FULL).round().clamp(1.0, Self::FULL) as u16;
        Self { slot, mark: impact | if in_name { Self::NAME } else { 0 } }
    }

    /// How much the term counts, between 0 and [`Posting::FULL`].
    pub fn impact(self) -> f32 {
        f32::from(self.mark & !Self::NAME)
    }

    /// Whether the term is of the tool's name.
    pub fn in_name(self) -> bool {
        self.mark & Self::NAME != 0
    }
}
