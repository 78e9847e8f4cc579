//! A pool behind pipes and a lane: the child process of the isolation `process`.

use std::{
    io::{BufReader, Write, stdin, stdout},
    process,
    sync::Arc,
    thread,
    time::Duration,
};

use parking_lot::Mutex;

use super::{
    awake::Vigil,
    lane::Lane,
    pool::{Input, Pool},
};

/// How long messages may lie while the thread that would read them runs a program.
const UNATTENDED: Duration = Duration::from_millis(2);

/// Takes messages from standard input, one a line, and from the lane of that file descriptor (-1 for none), and gives
/// them to standard output and the lane, until the input ends; then it ends the process, whatever its programs are doing.
pub fn serve(lane: i32) -> ! {
    let lane = Arc::new(Lane::open(lane));
    let outgoing = Arc::clone(&lane);
    // How many messages went through the pipe.
    let piped = Mutex::new(0_u32);
    let give = move |mut message: String| {
        let mut piped = piped.lock();
        if outgoing.send(&message, *piped) {
            return;
        }
        *piped = piped.wrapping_add(1);
        message.push('\n');
        let mut output = stdout();
        // A parent that is gone wants no answer.
        if output.write_all(message.as_bytes()).and_then(|()| output.flush()).is_err() {
            process::exit(0);
        }
    };
    let lines = BufReader::with_capacity(64 << 10, stdin());
    let input = Input { lines, lane, vigil: Vigil::default(), over: || process::exit(0) };
    let pool = Pool::with_input(give, Some(input));
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
