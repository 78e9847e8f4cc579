//! Cutting the front matter out of a file. Where readers of such files would disagree on where it ends, nothing is
//! read.

use super::remark::{Place, Remark};
use crate::text::shown;

/// The longest front matter that is read, in bytes.
const MAX_BYTES: usize = 65_536;

/// Where the front matter begins in the file; its first line is line 2.
pub(super) const LINES_ABOVE: usize = 1;

/// The text between the two lines of `---`.
pub(super) fn cut(text: &str) -> Result<&str, Remark> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    if first.trim_end() != "---" {
        let late = text.lines().take(100).any(|line| line.trim() == "---");
        let message = if late {
            "nothing but a line `---` may come first; move the front matter to the first line".to_owned()
        } else {
            "there is no front matter, so nothing is granted; begin the file with a line `---`".to_owned()
        };
        return Err(Place::START.error("front_matter_missing", message).suggest("---"));
    }
    let mut length = 0;
    for (at, line) in (LINES_ABOVE + 1..).zip(rest.split('\n')) {
        let place = Place { line: at, column: 1 };
        if line.trim_end() == "---" {
            let cut = &rest[..length];
            return readable(cut).map_or(Ok(cut), Err);
        }
        if line.starts_with("---") || line.trim_end() == "..." {
            let message = format!("`{}` ends front matter for some readers and not for others", shown(line));
            return Err(place.error("front_matter_delimiter", message).suggest("---"));
        }
        if line.starts_with('\t') && !line.trim().is_empty() {
            let message =
                "a line is indented with a tab, which YAML forbids, so nothing is granted; use spaces".to_owned();
            return Err(place.error("front_matter_tab", message));
        }
        length += line.len() + 1;
        if length > MAX_BYTES {
            let message = format!("the front matter has more than {MAX_BYTES} bytes, so it is not read; shorten it");
            return Err(place.error("front_matter_too_large", message));
        }
    }
    let message = "the front matter does not end, so nothing is granted; add a line `---` below it".to_owned();
    Err(Place::START.error("front_matter_unterminated", message).suggest("---"))
}

/// The first character that readers of YAML take in different ways: some break a line there, some refuse it.
fn readable(text: &str) -> Option<Remark> {
    let mut place = Place { line: LINES_ABOVE + 1, column: 1 };
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let odd = match character {
            '\n' | '\t' => false,
            '\r' => characters.peek() != Some(&'\n'),
            '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => true,
            other => other.is_control(),
        };
        if odd {
            let message =
                format!("the character U+{:04X} cannot be read alike by all; remove it", u32::from(character));
            return Some(place.error("front_matter_character", message));
        }
        if character == '\n' {
            place = Place { line: place.line + 1, column: 1 };
        } else {
            place.column += 1;
        }
    }
    None
}
