//! Feeding a target on the stable compiler: no coverage guides the changes, but a seed makes them the same in
//! every run.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::Target;
use crate::random::Random;

/// An execution that takes longer than this is a finding.
const LONGEST: Duration = Duration::from_secs(10);
/// Changes of one input, at most.
const CHANGES: u64 = 4;
/// Changed inputs that are changed further, at most; later ones take the places of earlier ones.
const KEPT: usize = 1000;
/// Findings that are reported, one a message.
const REPORTED: usize = 10;

/// An input with the name that it is reported by.
#[derive(Debug, Clone)]
pub struct Input {
    /// A file, or the number of a mutation.
    pub name: String,
    /// What is fed.
    pub bytes: Vec<u8>,
}

/// An input that failed.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The input.
    pub input: Input,
    /// The panic's message, or the time it took.
    pub reason: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}: {}", self.input.name, self.reason)?;
        match std::str::from_utf8(&self.input.bytes) {
            Ok(text) if text.chars().all(|c| !c.is_control() || c.is_whitespace()) => write!(f, "{text}"),
            _ => self.input.bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// Feeds a corpus to a target, then `mutations` changed inputs, and returns what failed: one finding for messages
/// that differ in numbers only.
pub fn feed(target: &Target, corpus: Vec<Input>, mutations: usize, seed: u64) -> Vec<Finding> {
    let mut findings = BTreeMap::new();
    for input in &corpus {
        attempt(target, input, &mut findings);
    }
    let mut random = Random::new(seed);
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for number in 0..mutations {
        if findings.len() >= REPORTED {
            break;
        }
        let from = random.below(corpus.len() + kept.len());
        let mut bytes = match corpus.get(from) {
            Some(input) => input.bytes.clone(),
            None => kept[from - corpus.len()].clone(),
        };
        for _ in 0..=random.next() % CHANGES {
            bytes = (target.change)(&bytes, &mut random);
        }
        let input = Input { name: format!("{}, seed {seed}, mutation {number}", target.name), bytes };
        if attempt(target, &input, &mut findings) {
            if kept.len() < KEPT {
                kept.push(input.bytes);
            } else {
                kept[random.below(KEPT)] = input.bytes;
            }
        }
    }
    findings.into_values().collect()
}

/// Runs one input, and returns whether it is worth changing further.
fn attempt(target: &Target, input: &Input, findings: &mut BTreeMap<String, Finding>) -> bool {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(&input.bytes)));
    let taken = start.elapsed();
    let reason = match outcome {
        Ok(keep) if taken < LONGEST => return keep,
        Ok(_) => format!("took {} s", taken.as_secs()),
        Err(payload) => message(payload.as_ref()),
    };
    let kind: String = reason.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
    findings.entry(kind).or_insert_with(|| Finding { input: input.clone(), reason });
    false
}

fn message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}
