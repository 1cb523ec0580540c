//! Progress of work that is done piece by piece.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Work that takes less than this says nothing where there is no terminal.
const QUIET: Duration = Duration::from_secs(2);

/// A bar on a terminal, a line for every tenth of the work elsewhere; both on the standard error.
#[derive(Debug)]
pub struct Progress {
    /// What is counted, such as `picture`.
    what: &'static str,
    total: u64,
    done: u64,
    /// Tenths that were reported.
    reported: u64,
    began: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Begins with nothing done of `total` pieces.
    pub fn new(what: &'static str, total: u64) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let style = ProgressStyle::with_template("{bar:40} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let mut progress = Self { what, total, done: 0, reported: 0, began: Instant::now(), bar };
        progress.report();
        progress
    }

    /// Counts one more piece.
    pub fn advance(&mut self) {
        self.done += 1;
        self.report();
    }

    /// Takes the bar away.
    pub fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    fn report(&mut self) {
        let (done, passed) = (self.done, self.began.elapsed());
        match &self.bar {
            Some(bar) => {
                bar.set_position(done);
                bar.set_message(text(self.what, done, self.total, passed));
            }
            None => {
                let tenths = 10 * done / self.total.max(1);
                if tenths > self.reported && passed >= QUIET && done < self.total {
                    self.reported = tenths;
                    // Nobody may be listening any more; the work continues.
                    let _ = writeln!(std::io::stderr(), "{}", text(self.what, done, self.total, passed));
                }
            }
        }
    }
}

/// How far the work is and how long the rest takes, if it continues as it began.
fn text(what: &str, done: u64, total: u64, passed: Duration) -> String {
    let count = format!("{what} {done} of {total}");
    if done == 0 || done >= total || passed < Duration::from_millis(500) {
        return count;
    }
    let left = passed.as_secs_f64() / done as f64 * (total - done) as f64;
    format!("{count}, about {} left", duration(left))
}

/// A time (s) in words that are as exact as a guess can be.
fn duration(seconds: f64) -> String {
    match seconds.ceil() as u64 {
        s @ 0..=99 => format!("{s} s"),
        s @ 100..=5999 => format!("{} min", s.div_ceil(60)),
        s => format!("{} h", s.div_ceil(3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_the_beginning_did() {
        let after = |seconds| Duration::from_secs(seconds);
        assert_eq!(text("picture", 0, 40, after(0)), "picture 0 of 40");
        assert_eq!(text("picture", 10, 40, after(20)), "picture 10 of 40, about 60 s left");
        assert_eq!(text("picture", 10, 40, after(100)), "picture 10 of 40, about 5 min left");
        assert_eq!(text("picture", 1, 4000, after(10)), "picture 1 of 4000, about 12 h left");
        assert_eq!(text("picture", 40, 40, after(80)), "picture 40 of 40");
    }
}
