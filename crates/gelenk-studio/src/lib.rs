//! The page that shows recordings, from one file or from a server on this computer.
//!
//! | module | content |
//! |---|---|
//! | [`page`] | the built page, where there is one |
//! | [`run`](mod@run) | a recording to look at |
//! | [`index`] | what the page knows of recordings before it asks for numbers |
//! | [`thinning`] | fewer rows, extremes kept |
//! | [`report`] | recordings and page in one file |
//! | [`server`] | the page and pieces of the recordings over HTTP, for this computer only |

pub mod index;
pub mod page;
pub mod report;
pub mod run;
pub mod server;
pub mod thinning;

pub use run::Run;
use thiserror::Error;

/// A page that cannot be made or served.
#[derive(Debug, Error)]
pub enum StudioError {
    /// The program was built without the page.
    #[error(
        "this build of gelenk does not contain the page: install Node.js (20.19 or newer) and build again, or build \
         the page separately with `npm ci && npm run build` in studio/ and name it: \
         GELENK_STUDIO=studio/dist/index.html cargo build"
    )]
    NoPage,
    /// A recording.
    #[error(transparent)]
    Recording(#[from] gelenk_io::IoError),
    /// The network or the disk.
    #[error("{what}: {source}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// The same error with what was tried.
pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> StudioError {
    let what = what.into();
    move |source| StudioError::Io { what, source }
}
