//! A pool behind a pipe: the child process of the isolation `process`.

use std::{
    io::{BufReader, Read, Write},
    process, thread,
    time::Duration,
};

use parking_lot::Mutex;

use super::{
    awake::{self, Vigil},
    pool::{Input, Pool},
};

/// How long messages may lie while the thread that would read them runs a program.
const UNATTENDED: Duration = Duration::from_millis(2);

/// Takes a message a line from `input` and gives a message a line to `output`, until `input` ends; then it ends the
/// process, whatever its programs are doing.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> ! {
    let output = Mutex::new(output);
    let give = move |mut line: String| {
        line.push('\n');
        let mut output = output.lock();
        // A parent that is gone wants no answer.
        if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
            process::exit(0);
        }
    };
    let lines = BufReader::with_capacity(64 << 10, Box::new(input) as Box<dyn Read + Send>);
    let pool = Pool::with_input(
        give,
        Some(Input { lines, is_ready: awake::is_input_readable, vigil: Vigil::default(), over: || process::exit(0) }),
    );
    // Ready by the time the first program comes.
    pool.prepare();
    // The pool's threads read while they are idle; this one sees to it that somebody always does.
    loop {
        let attended = pool.attend();
        if pool.has_programs() {
            thread::sleep(UNATTENDED);
        } else if !attended {
            pool.prepare();
            pool.wait_for_programs();
        }
    }
}
