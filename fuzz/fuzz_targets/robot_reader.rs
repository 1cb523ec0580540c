//! Any text is read as a robot (URDF with macros, MJCF, SDF) or refused with a report; nothing panics.
#![no_main]

use gelenk_testing::fuzz::robots;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    robots::reader(bytes);
});
