//! Seeds one after the other, what fails made small, what is refused counted.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use gelenk_testing::guard::{Dice, Sketch, Wishes, generate, shrink};

use super::compare::closer;
use super::kept::{Kept, keep, kept};

/// How a relation went that did not fail.
pub(crate) enum Outcome {
    /// It holds.
    Held,
    /// The program refused the model by an error.
    Refused(String),
}

/// What a relation finds: an error tells the numbers that do not fit.
pub(crate) type Finding = Result<Outcome, String>;

/// A relation: from a model and choices of its own to whether it holds.
pub(crate) type Check = fn(&Sketch, &mut Dice) -> Finding;

/// Failures that are made small; the others are only counted.
const SHOWN: usize = 3;

/// A failing model is reduced no longer than that: some take a minute for every trial.
const REDUCED: Duration = Duration::from_secs(120);

/// A model that takes longer is told.
const LONG: Duration = Duration::from_secs(10);

/// A model that is looked at: a seed, or a file.
enum Source {
    Seed(u64),
    File(Kept),
}

/// A number from the environment.
fn number(key: &str) -> Option<u64> {
    std::env::var(key).ok().and_then(|text| text.parse().ok())
}

/// What a relation looks at: kept models and `count` seeds that are always the same, and seeds that nobody has seen from
/// `GELENK_GUARD_BASE` on, `count` of them, and seven times as many with `GELENK_FULL`, where the clock gives the base.
fn sources(name: &str, count: u64) -> Vec<Source> {
    if let Some(seed) = number("GELENK_GUARD_SEED") {
        return vec![Source::Seed(seed)];
    }
    let full = std::env::var_os("GELENK_FULL").is_some();
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let base = number("GELENK_GUARD_BASE").or_else(|| full.then(clock));
    let mut sources: Vec<Source> = kept(name).into_iter().map(Source::File).collect();
    let asked = number("GELENK_GUARD_SEEDS");
    sources.extend((number("GELENK_GUARD_FROM").unwrap_or(0)..asked.unwrap_or(count)).map(Source::Seed));
    if let Some(base) = base.filter(|_| asked.is_none()) {
        println!("{name}: GELENK_GUARD_BASE={base}");
        let fresh = if full { 7 * count } else { count };
        sources.extend((0..fresh).map(|k| Source::Seed(base.wrapping_add(k))));
    }
    sources
}

/// Looks at `count` models and more (see [`sources`]), and panics where the relation does not hold, or where more than half
/// of the models are refused.
pub(crate) fn guard(name: &str, wishes: Wishes, count: u64, check: Check) {
    let sources = sources(name, count);
    let alone = sources.len() == 1;
    // Every relation has models of its own.
    let own = name.bytes().fold(0u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) << 20;
    let (mut held, mut refused, mut failed) = (0, BTreeMap::<String, u64>::new(), Vec::new());
    for source in sources {
        let (label, choices, sketch) = match source {
            Source::Seed(seed) => {
                let choices = own.wrapping_add(seed);
                (seed.to_string(), choices, generate(choices, wishes))
            }
            Source::File(Kept { name, choices, sketch }) => (name, choices, sketch),
        };
        if alone {
            println!("{}", sketch.plain());
            keep(name, &label, choices, &sketch);
        }
        let begun = Instant::now();
        let mut found = look(&sketch, choices, check);
        if found.is_err() {
            found = closer(|| look(&sketch, choices, check));
        }
        if begun.elapsed() > LONG {
            println!("{name}: seed {label} took {:.0} s", begun.elapsed().as_secs_f64());
        }
        match found {
            Ok(Outcome::Held) => held += 1,
            Ok(Outcome::Refused(reason)) => {
                if alone {
                    println!("refused: {reason}");
                }
                *refused.entry(kind(&reason)).or_default() += 1;
            }
            Err(message) if failed.len() < SHOWN => {
                println!("{name}: seed {label} fails and is reduced: {message}");
                let (small, told) = small(&sketch, choices, check, &message);
                keep(name, &label, choices, &small);
                failed.push((label, told));
            }
            Err(message) => {
                println!("{name}: seed {label} fails: {message}");
                failed.push((label, message));
            }
        }
    }
    let refusals: u64 = refused.values().sum();
    println!("{name}: {held} held, {refusals} refused, {} failed; refused: {refused:#?}", failed.len());
    for (seed, message) in failed.iter().take(SHOWN) {
        println!("\n== {name}: seed {seed}\n{message}");
    }
    let seeds: Vec<&str> = failed.iter().map(|(seed, _)| seed.as_str()).collect();
    assert!(failed.is_empty(), "{name} does not hold for the seeds {seeds:?}; the models are printed above");
    assert!(alone || refusals <= held, "{name}: {refusals} models were refused, and only {held} compared");
}

/// The relation of one model; a panic of the program is a failure.
fn look(sketch: &Sketch, seed: u64, check: Check) -> Finding {
    let checked = catch_unwind(AssertUnwindSafe(|| check(sketch, &mut Dice::new(seed ^ 0x5eed))));
    checked.unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        let text = text.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// The smallest part of the model that fails, with its message.
fn small(sketch: &Sketch, seed: u64, check: Check, message: &str) -> (Sketch, String) {
    // What fails by a panic, a refusal or numbers goes on to fail in the same way.
    let way = |text: &str| (text.starts_with("panic"), text.contains("refused"));
    let begun = Instant::now();
    let mut fails = |trial: &Sketch| {
        begun.elapsed() < REDUCED && look(trial, seed, check).is_err_and(|text| way(&text) == way(message))
    };
    let small = shrink(sketch, &mut fails);
    let reported = look(&small, seed, check).err().unwrap_or_default();
    let text = format!("{message}\n-- the smallest model:\n{}-- {reported}", small.plain());
    (small, text)
}

/// A refusal without its numbers, so that they can be counted.
fn kind(reason: &str) -> String {
    let line = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let text: String = line.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    text.chars().take(110).collect()
}
