//! A set of numbers in little room: each as its distance from the one before, in groups of seven bits.

/// Numbers in rising order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Box<[u8]>);

impl Numbers {
    /// Packs numbers, which are sorted for it.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "seven bits fit")]
    pub fn pack(numbers: &mut [u32]) -> Self {
        numbers.sort_unstable();
        let mut bytes = Vec::with_capacity(numbers.len() * 2);
        let mut before = 0;
        for &number in &*numbers {
            let mut distance = number - before;
            before = number;
            while distance >= 0x80 {
                bytes.push((distance & 0x7F) as u8 | 0x80);
                distance >>= 7;
            }
            bytes.push(distance as u8);
        }
        Self(bytes.into())
    }

    /// The numbers.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let mut bytes = self.0.iter();
        let mut before = 0;
        std::iter::from_fn(move || {
            let mut byte = *bytes.next()?;
            let (mut distance, mut shift) = (u32::from(byte & 0x7F), 7);
            while byte >= 0x80 {
                byte = *bytes.next()?;
                distance |= u32::from(byte & 0x7F) << shift;
                shift += 7;
            }
            before += distance;
            Some(before)
        })
    }

    /// The bytes it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Numbers;

    #[test]
    fn what_was_packed_comes_out() {
        let mut numbers = [70_000, 0, 127, 128, u32::MAX, 16_384];
        let packed = Numbers::pack(&mut numbers);
        assert_eq!(packed.iter().collect::<Vec<_>>(), [0, 127, 128, 16_384, 70_000, u32::MAX]);
        assert_eq!(Numbers::default().iter().count(), 0);
    }
}
