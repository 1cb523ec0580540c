//! Two simple bodies at any pose, aligned and touching ones too: finite spots, the same gap from both sides.
#![no_main]

use gelenk_testing::fuzz::simple;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    simple::pair(bytes);
});
