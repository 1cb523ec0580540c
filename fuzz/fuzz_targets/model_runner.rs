//! As `model_reader`, but only models and studies that are accepted stay in the corpus, so that most of the
//! time goes to what happens after reading.
#![no_main]

use gelenk_testing::fuzz::models;
use gelenk_testing::mutator;
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|bytes: &[u8]| -> Corpus { if models::runner(bytes) { Corpus::Keep } else { Corpus::Reject } });

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    match seed % 8 {
        0 => fuzzer_mutate(data, size, max_size),
        _ => {
            mutator::change(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
        }
    }
});
