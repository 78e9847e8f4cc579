//! The last catalog, for whoever asks again while nothing changed.

use std::sync::Arc;

use super::{Catalog, Options};

/// Everything a catalog depends on. The caller's own states are told apart by stamps, numbers that change with them.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogKey {
    /// [`super::CatalogIndex::version`].
    pub index: u64,
    /// Of what the asker may see, and of what its pins resolve to.
    pub view: u64,
    /// Of the snapshot of usage.
    pub usage: u64,
    /// The options.
    pub options: Options,
}

/// One remembered catalog; a session has one of its own.
#[derive(Debug, Default)]
pub struct CatalogCache {
    last: Option<(CatalogKey, Arc<Catalog>)>,
}

impl CatalogCache {
    /// The remembered catalog where nothing changed, else the one that `make` makes.
    pub fn get(&mut self, key: CatalogKey, make: impl FnOnce(&Options) -> Catalog) -> Arc<Catalog> {
        if let Some((last, catalog)) = &self.last
            && *last == key
        {
            return Arc::clone(catalog);
        }
        let catalog = Arc::new(make(&key.options));
        self.last = Some((key, Arc::clone(&catalog)));
        catalog
    }
}
