//! Text from outside, made safe to print in a message: one line, no control or invisible characters, bounded.

/// The longest piece of outside text in a message, in characters.
const MAX_SHOWN: usize = 120;

/// `text` as a message may show it.
///
/// ```
/// assert_eq!(toolscope::text::shown("a\u{1b}[31m\nb"), "a[31mb");
/// ```
#[must_use]
pub fn shown(text: &str) -> String {
    let mut out: String = text.chars().filter(|&character| !is_hostile(character)).take(MAX_SHOWN).collect();
    if out.len() < text.len() && text.chars().filter(|&character| !is_hostile(character)).nth(MAX_SHOWN).is_some() {
        out.push('…');
    }
    out
}

/// Control, bidirectional, invisible and tag characters: they change how the text around them reads.
#[must_use]
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{AD}' | '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}
