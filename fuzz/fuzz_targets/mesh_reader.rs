//! Any bytes are a mesh or are refused; what is read can be checked, repaired, coarsened and prepared for contact.
#![no_main]

use gelenk_testing::fuzz::meshes;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    meshes::reader(bytes);
});
