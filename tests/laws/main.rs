//! The laws of DESIGN §3, shown over random histories against a small model that is written from DESIGN's words.
//!
//! `model` is the naive reading of DESIGN: plain lists, everything recomputed at each step, selectors matched by brute
//! force. `history` draws random histories and takes each step in the model and in the crate. Each other file holds
//! the laws of one subject.
//!
//! `TOOLSCOPE_PROPTEST_CASES` sets how many histories each law is shown over.

mod catching_up;
mod decisions;
mod declarations;
mod exclusion;
mod history;
mod literals;
mod model;
mod names;
mod order;
mod reports;
mod selectors;
