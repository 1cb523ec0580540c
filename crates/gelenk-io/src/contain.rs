//! Decoders of other people, kept from taking the program down.
//!
//! A file whose checksum is right can still be made by somebody who wishes us ill, or by a broken program. Arrow and
//! Parquet answer most of what is wrong with an error, but some bytes bring them to a panic (sizes that do not fit,
//! offsets beyond a buffer), and that is not for us to mend. What they decode goes through here, and a panic becomes the
//! same typed error as any other damage. Nothing of ours runs inside, so no bug of ours is hidden.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use crate::IoError;

thread_local! {
    /// Whether this thread is inside a decoder.
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Does a piece of decoding; a panic inside is a damaged file. What was being decoded is not to be used after that.
pub(crate) fn contained<T>(path: &Path, decode: impl FnOnce() -> T) -> Result<T, IoError> {
    silence();
    let outer = DECODING.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(outer);
    done.map_err(|_| IoError::damaged(path, "its content cannot be decoded"))
}

/// Keeps panics of decoders off the terminal; all others are reported as before.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let report = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !DECODING.get() {
                report(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_inside_is_a_damaged_file() {
        let path = Path::new("run.parquet");
        assert_eq!(contained(path, || 7).unwrap(), 7);
        let none: Vec<u8> = Vec::new();
        let error = contained(path, || none[3]).unwrap_err();
        assert!(error.to_string().starts_with("run.parquet is damaged"), "{error}");
        assert!(!DECODING.get());
    }
}
