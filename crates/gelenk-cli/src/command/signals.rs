//! Interrupts from outside: Ctrl-C, a request to terminate, a terminal that goes away.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use gelenk::interrupt::Interrupt;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::console::Console;

/// What a command returns that was interrupted: 128 and the number of SIGINT, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// From here on an interrupt asks the work to stop and to keep what it has; a second one ends the program at once.
pub fn interrupt() -> Interrupt {
    static FLAG: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = FLAG.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in signals() {
            // In this order: the first signal finds the flag down, passes here and raises it. Where a handler is refused,
            // the signal simply ends the program, and `recover` helps.
            let _ = flag::register_conditional_shutdown(signal, INTERRUPTED.into(), Arc::clone(&flag));
            let _ = flag::register(signal, Arc::clone(&flag));
        }
        flag
    });
    Interrupt::new(Arc::clone(flag))
}

/// Says that the work was interrupted; the exit code says it, too.
pub fn interrupted(out: &mut Console, kept: &str) -> u8 {
    out.error(format_args!("interrupted; {kept}"));
    INTERRUPTED
}

#[cfg(unix)]
fn signals() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    // `nohup` lets a program outlive its terminal by having this signal ignored; so it stays.
    if !ignored(signal_hook::consts::SIGHUP) {
        signals.push(signal_hook::consts::SIGHUP);
    }
    signals
}

#[cfg(not(unix))]
fn signals() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

/// Whether a signal was already ignored when the program started, where the system tells.
#[cfg(unix)]
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
