//! What a host, and its plugins, may ask of a catalog: read from JSON field by field, each error naming its field.

use serde_json::{Map, Value};

use super::category::Category;
use crate::error::{Error, ErrorKind, Result};

/// Tokens of a catalog where nothing is said.
pub const DEFAULT_BUDGET: u32 = 2_000;

/// How much of each tool is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Types and comments.
    #[default]
    Full,
    /// Parameter names and a sentence.
    Compact,
    /// What the expected use of each tool is worth: full, compact, or the name.
    Adaptive,
}

/// What places tools after the pinned ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rank {
    /// The default order alone.
    #[default]
    None,
    /// Recorded use first.
    Usage,
}

/// Fields as one party gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    /// Tokens.
    pub budget: Option<u32>,
    /// Selectors or names, best first.
    pub pinned: Vec<String>,
    /// Most pinned tools.
    pub pinned_limit: Option<u32>,
    /// Categories.
    pub categories: Vec<Category>,
    /// Detail.
    pub detail: Option<Detail>,
    /// Rank.
    pub rank: Option<Rank>,
}

/// Who gave the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The host, through a call.
    Host,
    /// A plugin, through a `catalog` listener: it has no say over the budget.
    Plugin,
}

/// What a catalog is made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Tokens for everything the catalog prints.
    pub budget: u32,
    /// Most pinned tools that are shown first, whoever pinned them.
    pub pinned_limit: u32,
    /// The host's selectors or names, best first; whoever renders resolves them.
    pub pinned: Vec<String>,
    /// The host's categories, in order.
    pub categories: Vec<Category>,
    /// What plugins wish beside that, in their order.
    pub plugins: Vec<Wishes>,
    /// How much of each tool.
    pub detail: Detail,
    /// What comes after the pinned tools.
    pub rank: Rank,
}

/// What one plugin wishes beside what the host asks for, and after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wishes {
    /// Selectors or names, best first.
    pub pinned: Vec<String>,
    /// Most tools that it pins.
    pub pinned_limit: u32,
    /// Categories that neither the host nor a plugin before it has.
    pub categories: Vec<Category>,
}

impl Options {
    /// Every entry of `pinned` with its party: 0 is the host, then come the plugins.
    pub fn pinned(&self) -> impl Iterator<Item = (usize, &str)> {
        let lists = std::iter::once(&self.pinned).chain(self.plugins.iter().map(|wishes| &wishes.pinned));
        lists.enumerate().flat_map(|(party, entries)| entries.iter().map(move |entry| (party, entry.as_str())))
    }

    /// Every category, the host's first.
    pub(super) fn all_categories(&self) -> impl Iterator<Item = &Category> {
        self.categories.iter().chain(self.plugins.iter().flat_map(|wishes| &wishes.categories))
    }

    /// Most tools that a party pins.
    pub(super) fn limit_of(&self, party: usize) -> usize {
        let of_plugin = party.checked_sub(1).and_then(|at| self.plugins.get(at));
        of_plugin.map_or(self.pinned_limit, |wishes| wishes.pinned_limit) as usize
    }
}

impl Default for Options {
    fn default() -> Self {
        Fields::default().with([])
    }
}

fn invalid(field: &str, value: &Value, wanted: &str) -> Error {
    let mut shown = value.to_string();
    if shown.len() > 80 {
        let end = (0..=80).rev().find(|end| shown.is_char_boundary(*end)).unwrap_or(0);
        shown.truncate(end);
        shown.push('…');
    }
    Error::new(ErrorKind::CatalogInvalid, format!("catalog option `{field}` is `{shown}`; give {wanted}"))
}

fn whole(field: &str, value: &Value) -> Result<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "more than the largest is the largest")]
    number.map(|number| number as u32).ok_or_else(|| invalid(field, value, "a whole number from 0"))
}

fn text<'v>(field: &str, value: &'v Value) -> Result<&'v str> {
    value.as_str().ok_or_else(|| invalid(field, value, "a string"))
}

fn list<'v>(field: &str, value: &'v Value, of: &str) -> Result<&'v Vec<Value>> {
    value.as_array().ok_or_else(|| invalid(field, value, of))
}

fn category(field: &str, value: &Value) -> Result<Category> {
    let wanted = "an object with `namespace`, `name`, `match` and `description`";
    let members = value.as_object().ok_or_else(|| invalid(field, value, wanted))?;
    if let Some((name, _)) =
        members.iter().find(|(name, _)| !matches!(name.as_str(), "namespace" | "name" | "match" | "description"))
    {
        return Err(invalid(&format!("{field}.{name}"), &members[name], &format!("no such member, but {wanted}")));
    }
    let member = |name: &str| text(&format!("{field}.{name}"), members.get(name).unwrap_or(&Value::Null));
    let pattern = member("match")?;
    Category::new(member("namespace")?, member("name")?, pattern, member("description")?).map_err(|reason| {
        let wanted = format!("a regular expression of the Rust `regex` syntax ({reason})");
        invalid(&format!("{field}.match"), &members["match"], &wanted)
    })
}

impl Fields {
    /// Reads fields from the JSON text of an object.
    ///
    /// Fails with `ERR_TOOLSCOPE_CATALOG_INVALID` at the first invalid field, which the message names.
    pub fn read(text: &str, party: Party) -> Result<Self> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            Error::new(
                ErrorKind::CatalogInvalid,
                format!("catalog options `{text}` cannot be read ({error}); give an object"),
            )
        })?;
        match &value {
            Value::Object(members) => Self::of(members, party),
            _ => Err(Error::new(ErrorKind::CatalogInvalid, format!("catalog options are `{value}`; give an object"))),
        }
    }

    fn of(members: &Map<String, Value>, party: Party) -> Result<Self> {
        let mut fields = Self::default();
        for (name, value) in members {
            match name.as_str() {
                "budget" if party == Party::Plugin => {
                    return Err(invalid(name, value, "no `budget` from a plugin: it is the host's alone"));
                }
                "budget" => fields.budget = Some(whole(name, value)?),
                "pinnedLimit" => fields.pinned_limit = Some(whole(name, value)?),
                "pinned" => {
                    for (index, entry) in list(name, value, "a list of selectors or names")?.iter().enumerate() {
                        fields.pinned.push(text_of(name, index, entry)?);
                    }
                }
                "categories" => {
                    for (index, entry) in list(name, value, "a list of categories")?.iter().enumerate() {
                        fields.categories.push(category(&format!("{name}[{index}]"), entry)?);
                    }
                }
                "detail" => {
                    fields.detail = Some(match value.as_str() {
                        Some("full") => Detail::Full,
                        Some("compact") => Detail::Compact,
                        Some("adaptive") => Detail::Adaptive,
                        _ => return Err(invalid(name, value, "`full`, `compact` or `adaptive`")),
                    });
                }
                "rank" => {
                    fields.rank = Some(match value.as_str() {
                        Some("none") => Rank::None,
                        Some("usage") => Rank::Usage,
                        _ => return Err(invalid(name, value, "`none` or `usage`")),
                    });
                }
                _ => {
                    let known = "`budget`, `pinned`, `pinnedLimit`, `categories`, `detail` or `rank`";
                    return Err(invalid(name, value, &format!("no such option, but {known}")));
                }
            }
        }
        Ok(fields)
    }

    /// The options of a host with the wishes of its plugins, in the plugins' order: lists come after the host's; a
    /// plugin's limit is of its own pins alone; of other single values the host's stands, else the last plugin's. A
    /// plugin's budget, which [`Fields::read`] refuses anyway, is not looked at.
    #[must_use]
    pub fn with(self, plugins: impl IntoIterator<Item = Self>) -> Options {
        let mut last = Self::default();
        let mut all: Vec<Wishes> = Vec::new();
        for mut plugin in plugins {
            plugin.pinned.retain(|pin| !self.pinned.contains(pin));
            plugin.categories.retain(|category| {
                let is_other = |own: &Category| (&own.namespace, &own.name) != (&category.namespace, &category.name);
                let before = self.categories.iter().chain(all.iter().flat_map(|wishes| &wishes.categories));
                before.into_iter().all(is_other)
            });
            last.detail = plugin.detail.or(last.detail);
            last.rank = plugin.rank.or(last.rank);
            all.push(Wishes {
                pinned: plugin.pinned,
                pinned_limit: plugin.pinned_limit.unwrap_or(u32::MAX),
                categories: plugin.categories,
            });
        }
        Options {
            budget: self.budget.unwrap_or(DEFAULT_BUDGET),
            pinned_limit: self.pinned_limit.unwrap_or(u32::MAX),
            pinned: self.pinned,
            categories: self.categories,
            plugins: all,
            detail: self.detail.or(last.detail).unwrap_or_default(),
            rank: self.rank.or(last.rank).unwrap_or_default(),
        }
    }
}

fn text_of(name: &str, index: usize, entry: &Value) -> Result<String> {
    text(&format!("{name}[{index}]"), entry).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, party: Party) -> String {
        Fields::read(text, party).unwrap_err().message().to_owned()
    }

    #[test]
    fn an_invalid_field_is_named_with_its_value() {
        assert_eq!(
            refused(r#"{"budget":-1}"#, Party::Host),
            "catalog option `budget` is `-1`; give a whole number from 0"
        );
        assert!(refused(r#"{"pinned":["a",2]}"#, Party::Host).starts_with("catalog option `pinned[1]` is `2`"));
        assert!(refused(r#"{"detail":"tiny"}"#, Party::Host).contains("`full`, `compact` or `adaptive`"));
        assert!(refused(r#"{"pined":[]}"#, Party::Host).contains("`pined`"));
        let category = r#"{"categories":[{"namespace":"a","name":"b","match":"(","description":""}]}"#;
        assert_eq!(
            refused(category, Party::Host),
            "catalog option `categories[0].match` is `\"(\"`; give a regular expression of the Rust `regex` syntax (unclosed group)"
        );
        assert!(refused("[]", Party::Host).contains("give an object"));
    }

    #[test]
    fn a_plugin_has_no_say_over_the_budget() {
        assert!(refused(r#"{"budget":9}"#, Party::Plugin).contains("the host's alone"));
    }

    #[test]
    fn wishes_are_appended_and_the_host_stands() {
        let host = Fields::read(r#"{"pinned":["a"],"detail":"compact"}"#, Party::Host).unwrap();
        let one = Fields::read(r#"{"pinned":["b","a"],"detail":"full","rank":"usage"}"#, Party::Plugin).unwrap();
        let two = Fields::read(r#"{"pinned":["c"],"pinnedLimit":2,"rank":"none"}"#, Party::Plugin).unwrap();
        let options = host.with([one, two]);
        assert_eq!(options.pinned().collect::<Vec<_>>(), [(0, "a"), (1, "b"), (2, "c")]);
        assert_eq!([0, 1, 2].map(|party| options.limit_of(party)), [u32::MAX as usize, u32::MAX as usize, 2]);
        assert_eq!((options.detail, options.rank), (Detail::Compact, Rank::None));
        assert_eq!((options.budget, options.pinned_limit), (DEFAULT_BUDGET, u32::MAX));
    }
}
