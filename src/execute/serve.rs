//! A pool behind a pipe: the child process of the isolation `process`.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process,
    sync::Arc,
};

use parking_lot::Mutex;

use super::Pool;

/// Takes a message a line from `input` and gives a message a line to `output`, until `input` ends; then it ends the
/// process, whatever its programs are doing.
pub fn serve(input: impl Read, output: impl Write + Send + 'static) -> ! {
    let output = Arc::new(Mutex::new(output));
    let pool = Pool::new(move |mut line: String| {
        line.push('\n');
        let mut output = output.lock();
        // A parent that is gone wants no answer.
        if output.write_all(line.as_bytes()).and_then(|()| output.flush()).is_err() {
            process::exit(0);
        }
    });
    let mut input = BufReader::with_capacity(64 << 10, input);
    let mut line = String::new();
    loop {
        line.clear();
        match input.read_line(&mut line) {
            Ok(0) | Err(_) => process::exit(0),
            Ok(_) if pool.post(line.trim_end()).is_err() => process::exit(1),
            Ok(_) => {}
        }
    }
}
