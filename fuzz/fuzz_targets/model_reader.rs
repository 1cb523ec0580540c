//! Any text is read or refused with a report. What is read also compiles, builds and moves; nothing panics.
#![no_main]

use gelenk_testing::fuzz::models;
use gelenk_testing::mutator;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| {
    models::reader(bytes);
});

// Half of the changes are those of the fuzzer, which also make nonsense.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match seed % 2 {
        0 => {
            mutator::change(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
});
