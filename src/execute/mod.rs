//! Code mode: runs a model's program in an embedded QuickJS, off the caller's thread, with no authority of its own.
//!
//! The core performs no input or output and decides no call. A [`Pool`] takes messages (a program, the results of its
//! calls, its end) and gives messages (calls to decide and run, a program's outcome) as lines of JSON; whoever holds
//! it carries them, in the same process or over a pipe to a child that can be killed.
//!
//! ```
//! use std::sync::mpsc;
//! use toolscope::execute::Pool;
//!
//! let (sender, lines) = mpsc::channel();
//! let pool = Pool::new(move |line: String| sender.send(line).unwrap());
//! pool.post(r#"{"op":"run","id":1,"list":0,"code":"const a: number = 20; a + 1","timeoutMs":1000}"#).unwrap();
//! assert!(lines.recv().unwrap().contains(r#""value":21"#));
//! ```

pub mod awake;
mod bridge;
mod erase;
mod heap;
mod hint;
pub mod lane;
pub mod limits;
pub mod listing;
mod message;
mod outcome;
mod pool;
mod sandbox;
mod serve;
pub mod strip;
mod thread;

pub use pool::Pool;
pub use serve::serve;
