//! The values of keywords that hold no schema; a value of a wrong type counts as absent.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{Literal, Types};

/// Visits of values that a keyword does not take: they count as absent.
macro_rules! absent_otherwise {
    ($value:expr; $($kind:ident)*) => { $(absent_otherwise!(@ $kind $value);)* };
    (@ bool $value:expr) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($value) } };
    (@ number $value:expr) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($value) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($value) }
    };
    (@ text $value:expr) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($value) } };
    (@ null $value:expr) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($value) } };
    (@ list $value:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
    (@ map $value:expr) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($value)
        }
    };
}

macro_rules! expecting {
    ($what:literal) => {
        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str($what)
        }
    };
}

pub(super) use {absent_otherwise, expecting};

/// A string, borrowed where it has no escapes.
pub(super) struct TextSeed;

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = Option<Cow<'de, str>>;
    expecting!("a string");
    absent_otherwise!(None; bool number null list map);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }
}

pub(super) struct FlagSeed;

impl<'de> DeserializeSeed<'de> for FlagSeed {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for FlagSeed {
    type Value = bool;
    expecting!("true or false");
    absent_otherwise!(false; number text null list map);

    fn visit_bool<E>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }
}

pub(super) struct CountSeed;

impl<'de> DeserializeSeed<'de> for CountSeed {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CountSeed {
    type Value = Option<u64>;
    expecting!("a count");
    absent_otherwise!(None; bool text null list map);

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
}

pub(super) struct TypesSeed<'s>(pub(super) &'s mut Types);

impl<'de> DeserializeSeed<'de> for TypesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TypesSeed<'_> {
    type Value = ();
    expecting!("a type or a list of types");
    absent_otherwise!((); bool number null map);

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.0.insert(name);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(name) = list.next_element_seed(TextSeed)? {
            if let Some(name) = name {
                self.0.insert(&name);
            }
        }
        Ok(())
    }
}

pub(super) struct NamesSeed<'s, 'de>(pub(super) &'s mut Vec<Cow<'de, str>>);

impl<'de> DeserializeSeed<'de> for NamesSeed<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NamesSeed<'_, 'de> {
    type Value = ();
    expecting!("a list of names");
    absent_otherwise!((); bool number text null map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(name) = list.next_element_seed(TextSeed)? {
            self.0.extend(name);
        }
        Ok(())
    }
}

/// The values of an `enum`; `None` where it is no list.
pub(super) struct LiteralsSeed;

impl<'de> DeserializeSeed<'de> for LiteralsSeed {
    type Value = Option<Vec<Literal<'de>>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for LiteralsSeed {
    type Value = Option<Vec<Literal<'de>>>;
    expecting!("a list of values");
    absent_otherwise!(None; bool number text null map);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(value) = list.next_element::<&'de RawValue>()? {
            out.push(Literal(value.get()));
        }
        Ok(Some(out))
    }
}
