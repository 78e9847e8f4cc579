//! The known names nearest to one that is not known: slips of the pen first, then what other agents call the tool.

use rapidfuzz::distance::osa;

/// What agents call the same built-in tool; a model or an agent file brings the word of another one along.
const CALLED_ALIKE: [&[&str]; 9] = [
    &["read", "view", "cat", "open", "read_file"],
    &["write", "create", "write_file", "create_file"],
    &["edit", "patch", "replace", "str_replace", "apply_patch", "edit_file", "multi_edit"],
    &["bash", "shell", "exec", "run", "terminal", "run_command", "execute_command"],
    &["glob", "find", "find_files", "list_files"],
    &["grep", "search", "rg", "search_files", "ripgrep"],
    &["ls", "list", "list_dir", "list_directory"],
    &["web_fetch", "webfetch", "fetch", "fetch_url"],
    &["task", "agent", "subagent", "spawn", "spawn_agent"],
];

/// Longer words are not compared: nobody mistypes a paragraph.
const MAX_COMPARED: usize = 128;

/// A suggestion is nearer than this share of its length.
fn furthest(length: usize) -> usize {
    (length / 3).max(1)
}

/// Up to `limit` of `known`, nearest first, those as near as others by their text. About 50 ns a candidate.
///
/// ```
/// use toolscope::registry::nearest::nearest;
/// assert_eq!(nearest("raed", ["read", "write"], 3), ["read"]);
/// assert_eq!(nearest("find", ["read", "glob"], 3), ["glob"]);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    if word.is_empty() || word.len() > MAX_COMPARED {
        return Vec::new();
    }
    let plain = plain(word);
    let cutoff = furthest(plain.chars().count());
    let comparator = osa::BatchComparator::new(plain.chars());
    let alike = CALLED_ALIKE.iter().find(|words| words.contains(&plain.as_str()));
    let mut found: Vec<(usize, &str)> = Vec::new();
    let mut buffer = String::new();
    for candidate in known {
        if candidate.len() > MAX_COMPARED {
            continue;
        }
        buffer.clear();
        buffer.extend(plain_characters(candidate));
        let near = if buffer.len().abs_diff(plain.len()) <= cutoff * 4 {
            comparator.distance_with_args(buffer.chars(), &osa::Args::default().score_cutoff(cutoff))
        } else {
            None
        };
        let near = near
            .or_else(|| alike.is_some_and(|words| words.contains(&buffer.as_str())).then_some(cutoff + 1))
            .or_else(|| ends_as(&buffer, &plain).then_some(cutoff + 1));
        if let Some(distance) = near {
            found.push((distance, candidate));
        }
    }
    // By their text where they are as near: the order in which they are known may be that of a history.
    found.sort_unstable();
    found.dedup();
    found.truncate(limit);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Whether the last part of a joined name is the word: a model may leave the server's out.
fn ends_as(name: &str, word: &str) -> bool {
    name.strip_suffix(word).is_some_and(|rest| rest.ends_with("__"))
}

/// Case and separators are the commonest slips, and weigh nothing.
fn plain(word: &str) -> String {
    plain_characters(word).collect()
}

fn plain_characters(word: &str) -> impl Iterator<Item = char> {
    word.chars().map(|character| match character {
        '-' | '.' | ' ' | '/' | ':' => '_',
        other => other.to_ascii_lowercase(),
    })
}
