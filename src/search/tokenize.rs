//! Splits text into words: runs of letters and digits, taken apart where a name was joined.
//!
//! `listPullRequests`, `list_pull_requests` and `list-pull-requests` give the same words; text without spaces between
//! words (Chinese, Japanese, Korean, Thai and their like) gives pairs of neighbouring characters. Letters are folded:
//! lower case, no diacritics, compatibility forms (`ﬁ`, full-width) as their plain ones. The same text gives the same
//! words wherever it stands, in a tool or in a query.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Characters of a word that count; what a longer run holds is data, not words.
const LONGEST: usize = 48;
/// A run of letters at least this long is parted from digits beside it: `base64` is, `s3` and `mp4` are not.
const SPLIT_LETTERS: usize = 3;

/// A word of a text.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    /// In lower case, folded.
    pub text: &'a str,
    /// How many words before it were its parts: a name in camel case comes in parts, and then whole. Else 0.
    pub parts: usize,
}

/// Calls `each` with every word of `text`, in order.
///
/// A word in camel case is given in its parts and then whole, so that `PowerPoint` and `powerpoint` meet.
pub fn words(text: &str, each: &mut impl FnMut(Word<'_>)) {
    let mut run = Run::default();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if run.is_empty()
            && let Some(word) = plain(rest)
        {
            run.whole(word, each);
            rest = &rest[word.len()..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        if character.is_ascii() {
            if character.is_ascii_alphanumeric() {
                run.push_of(false, character, each);
            } else if character != '\'' || run.is_empty() {
                run.flush(each);
            }
            continue;
        }
        // Whole: taken apart, Hangul would be single letters, and a mark of Thai is a vowel.
        if is_unspaced(character) {
            if character.is_alphanumeric() || is_combining_mark(character) {
                run.push_of(true, character, each);
            } else {
                run.flush(each);
            }
            continue;
        }
        decompose_compatible(character, |part| {
            if part.is_alphanumeric() {
                run.push_of(is_unspaced(part), part, each);
            } else if !is_combining_mark(part) {
                run.flush(each);
            }
        });
    }
    run.flush(each);
}

/// The word that a text begins with, where it is as most words are: ASCII, in lower case but for the first letter, and
/// with nothing behind it that could belong to it. There is nothing to take apart then.
fn plain(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    bytes.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let length = 1 + bytes[1..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let ends = bytes.get(length).is_none_or(|next| next.is_ascii() && !next.is_ascii_alphanumeric() && *next != b'\'');
    (ends && length <= LONGEST).then(|| &text[..length])
}

/// Letters and digits that stand together in the text.
#[derive(Default)]
struct Run {
    characters: Vec<char>,
    word: String,
    unspaced: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
}

impl Class {
    fn of(character: char) -> Self {
        if character.is_numeric() {
            Self::Digit
        } else if character.is_uppercase() {
            Self::Upper
        } else {
            Self::Lower
        }
    }
}

impl Run {
    fn is_empty(&self) -> bool {
        self.characters.is_empty()
    }

    /// Adds a character of a script with or without spaces; a change of script ends the run.
    fn push_of(&mut self, unspaced: bool, character: char, each: &mut impl FnMut(Word<'_>)) {
        if unspaced != self.unspaced {
            self.flush(each);
            self.unspaced = unspaced;
        }
        // One more than counts, so that a cut run is known as one.
        if self.characters.len() <= LONGEST {
            self.characters.push(character);
        }
    }

    fn flush(&mut self, each: &mut impl FnMut(Word<'_>)) {
        if self.characters.is_empty() {
            return;
        }
        let characters = std::mem::take(&mut self.characters);
        if std::mem::take(&mut self.unspaced) {
            self.pairs(&characters, each);
        } else {
            self.parts(&characters, each);
        }
        self.characters = characters;
        self.characters.clear();
    }

    /// Gives a [`plain`] word.
    fn whole(&mut self, word: &str, each: &mut impl FnMut(Word<'_>)) {
        self.word.clear();
        self.word.push_str(word);
        self.word.make_ascii_lowercase();
        each(Word { text: &self.word, parts: 0 });
    }

    fn pairs(&mut self, characters: &[char], each: &mut impl FnMut(Word<'_>)) {
        if let [single] = characters {
            self.emit(&[*single], 0, each);
        }
        for pair in characters.windows(2) {
            self.emit(pair, 0, each);
        }
    }

    fn parts(&mut self, characters: &[char], each: &mut impl FnMut(Word<'_>)) {
        let mut start = 0;
        let mut camel = 0;
        let mut count = 0;
        for at in 1..=characters.len() {
            let boundary = at == characters.len()
                || match (Class::of(characters[at - 1]), Class::of(characters[at])) {
                    (Class::Lower, Class::Upper) => {
                        camel += 1;
                        true
                    }
                    // The last capital of `HTMLParser` begins the next word; a plural `URLs` stays one.
                    (Class::Upper, Class::Upper) => {
                        let begins = characters.get(at + 1).is_some_and(|next| Class::of(*next) == Class::Lower)
                            && !(characters.get(at + 1) == Some(&'s')
                                && characters.get(at + 2).is_none_or(|next| Class::of(*next) != Class::Lower));
                        camel += usize::from(begins);
                        begins
                    }
                    (Class::Digit, Class::Digit) | (Class::Lower | Class::Upper, Class::Lower) => false,
                    (Class::Digit, _) | (_, Class::Digit) => parts_digits(characters, at),
                };
            if boundary {
                count += 1;
                self.emit(&characters[start..at], 0, each);
                start = at;
            }
        }
        if camel > 0 && camel <= 3 {
            self.emit(characters, count, each);
        }
    }

    fn emit(&mut self, characters: &[char], parts: usize, each: &mut impl FnMut(Word<'_>)) {
        self.word.clear();
        for character in characters.iter().take(LONGEST) {
            if character.is_ascii() {
                self.word.push(character.to_ascii_lowercase());
            } else {
                self.word.extend(character.to_lowercase());
            }
        }
        if !self.word.is_empty() {
            each(Word { text: &self.word, parts });
        }
    }
}

/// Whether the letters beside the boundary of letters and digits at `at` are many enough to be a word of their own.
fn parts_digits(characters: &[char], at: usize) -> bool {
    let is_letter = |character: &&char| Class::of(**character) != Class::Digit;
    let letters = if Class::of(characters[at]) == Class::Digit {
        characters[..at].iter().rev().take_while(is_letter).count()
    } else {
        characters[at..].iter().take_while(is_letter).count()
    };
    letters >= SPLIT_LETTERS
}

/// Scripts that write no spaces between words, by block; Hangul is here since its spaces part phrases, not words.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF // Thai, Lao
        | 0x1000..=0x109F // Myanmar
        | 0x1100..=0x11FF // Hangul, as decomposition leaves it
        | 0x1780..=0x17FF // Khmer
        | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF // Kana
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF // Han
        | 0xAC00..=0xD7AF)
}

#[cfg(test)]
mod tests {
    use super::words;

    fn split(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, &mut |word| found.push(word.text.to_owned()));
        found
    }

    #[test]
    fn names_come_apart_however_they_were_joined() {
        assert_eq!(split("list_pull-requests.all"), ["list", "pull", "requests", "all"]);
        assert_eq!(split("listPullRequests"), ["list", "pull", "requests", "listpullrequests"]);
        assert_eq!(split("parseHTMLText URLs"), ["parse", "html", "text", "parsehtmltext", "urls"]);
        assert_eq!(split("base64 s3 mp4 64bit 2fa"), ["base", "64", "s3", "mp4", "64", "bit", "2fa"]);
    }

    #[test]
    fn letters_are_folded() {
        assert_eq!(split("Änderung ﬁle ＡＢＣ Çé don't"), ["anderung", "file", "abc", "ce", "dont"]);
    }

    #[test]
    fn text_without_spaces_gives_pairs() {
        assert_eq!(split("搜索关键词 PDF转换"), ["搜索", "索关", "关键", "键词", "pdf", "转换"]);
        assert_eq!(split("東"), ["東"]);
    }
}
