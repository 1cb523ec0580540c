//! Two bodies of any kind at any pose, exactly degenerate ones too: lines of closed bodies close, forces are finite.
#![no_main]

use gelenk_testing::fuzz::meshes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    meshes::pair(bytes);
});
