//! Explanations: every rule that is asked about a tool, in order, the last one being the one that decided.

use super::{
    SessionIndex, Tree,
    decision::{Call, Decision, Via},
};
use crate::{
    error::Result,
    scope::verdict::{Outcome, Rule},
};

/// One rule that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The rule.
    pub rule: Rule,
    /// What spoke for it.
    pub by: Option<String>,
    /// How it answered.
    pub outcome: Outcome,
}

impl Tree {
    /// Explains what a direct call of `name` would meet.
    pub fn explain(&mut self, index: SessionIndex, name: &str) -> Result<(Decision, Vec<Step>)> {
        let call = Call { name, id: None, via: Via::Direct };
        let decision = self.check(index, call);
        let session = self.live(index)?;
        let lookup = |outcome| Step { rule: Rule::Lookup, by: None, outcome };
        let Some(slot) = decision.slot else {
            return Ok((decision, vec![lookup(Outcome::Refuse)]));
        };
        let mut steps = vec![lookup(Outcome::Pass)];
        let verdict = self.judge(session, slot, |rule, by, outcome| {
            steps.push(Step { rule, by: self.by(session, slot, by), outcome });
        });
        if verdict.allowed() {
            let outcome = match self.exposed(session, slot, call.via) {
                Some(_) => Outcome::Refuse,
                None => Outcome::Pass,
            };
            let by = Some(self.registry.tool(slot).exposure.as_str().to_owned());
            steps.push(Step { rule: Rule::Exposure, by, outcome });
        }
        Ok((decision, steps))
    }
}
