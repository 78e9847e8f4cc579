//! What the model is shown, and in which order, as DESIGN §7 says it.

use super::{Code, Exposure, HintSet, Model, Source, Tool};

/// A tool that is shown, or is only down and will come back to its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub id: String,
    life: u64,
    pub definition: Option<(u8, HintSet)>,
}

impl Model {
    fn wants(&self, source: &Source, tool: &Tool) -> bool {
        let declared = match tool.exposure() {
            Exposure::Direct | Exposure::ModelOnly => true,
            Exposure::Deferred => self.loaded.contains(&tool.id),
            Exposure::Code | Exposure::Hidden => false,
        };
        declared && !self.undeclared.contains(&tool.id) && self.verdict(source, tool) == Code::Allowed
    }

    fn is_down(&self, source: &Source, tool: &Tool) -> bool {
        tool.registered() && matches!(self.verdict(source, tool), Code::Pending | Code::Quarantined)
    }

    /// Whether what is shown keeps its place from now on.
    pub fn present(&mut self) {
        self.presented = true;
    }

    /// Brings the active set up to date; returns what was redefined.
    pub fn delta(&mut self, compact: bool) -> Vec<String> {
        if !self.started {
            return Vec::new();
        }
        let tools = self.tools();
        let place = |tool: &Tool| Place { id: tool.id.clone(), life: tool.life, definition: tool.definition() };
        let wanted: Vec<Place> =
            tools.iter().filter(|(source, tool)| self.wants(source, tool)).map(|(_, tool)| place(tool)).collect();
        let stays = |id: &str, life: Option<u64>| {
            tools.iter().any(|(source, tool)| {
                tool.id == id
                    && life.is_none_or(|life| tool.life == life)
                    && (self.wants(source, tool) || self.is_down(source, tool))
            })
        };
        let places: Vec<Place> = if compact || !self.presented {
            let had = |tool: &Tool| self.places.iter().any(|place| place.id == tool.id) && stays(&tool.id, None);
            let is_wanted = |tool: &Tool| wanted.iter().any(|place| place.id == tool.id);
            tools.iter().filter(|(_, tool)| is_wanted(tool) || had(tool)).map(|(_, tool)| place(tool)).collect()
        } else {
            let kept = self.places.iter().filter(|place| stays(&place.id, Some(place.life)));
            let mut places: Vec<Place> = kept.cloned().collect();
            for place in &wanted {
                if places.iter().all(|other| other.id != place.id) {
                    places.push(place.clone());
                }
            }
            places
        };
        let active: Vec<String> = places
            .iter()
            .filter(|place| wanted.iter().any(|other| other.id == place.id))
            .map(|place| place.id.clone())
            .collect();
        let now = |id: &str| tools.iter().find(|(_, tool)| tool.id == id).map(|(_, tool)| place(tool));
        // Whether it stayed, or left and came anew between.
        let is_redefined = |was: &&Place| {
            self.active.contains(&was.id)
                && active.contains(&was.id)
                && now(&was.id).is_some_and(|now| now.definition != was.definition)
        };
        let redefined = self.places.iter().filter(is_redefined).map(|place| place.id.clone()).collect();
        let places = places.into_iter().filter_map(|place| now(&place.id)).collect();
        self.places = places;
        self.active = active;
        redefined
    }

    /// Whether the tools were declared: all of them, or none where one is not known, not in scope or not for declaring.
    pub fn activate(&mut self, names: &[String]) -> bool {
        let ids: Option<Vec<String>> = names
            .iter()
            .map(|name| {
                let meant = self.owner(name).or_else(|| self.tool(name).map(|(_, tool)| tool))?;
                let (source, tool) = self.tool(&meant.id)?;
                let declarable = !matches!(tool.exposure(), Exposure::Code | Exposure::Hidden);
                (declarable && self.verdict(source, tool) == Code::Allowed).then(|| tool.id.clone())
            })
            .collect();
        for id in ids.iter().flatten() {
            self.undeclared.remove(id);
            if self.tool(id).is_some_and(|(_, tool)| tool.exposure() == Exposure::Deferred) {
                self.loaded.insert(id.clone());
            }
        }
        ids.is_some()
    }

    /// Whether all were known.
    pub fn deactivate(&mut self, names: &[String]) -> bool {
        let ids: Option<Vec<String>> = names
            .iter()
            .map(|name| self.owner(name).or_else(|| self.tool(name).map(|(_, tool)| tool)).map(|tool| tool.id.clone()))
            .collect();
        self.undeclared.extend(ids.clone().unwrap_or_default());
        ids.is_some()
    }
}
