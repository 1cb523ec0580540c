//! The built page.

use crate::StudioError;

const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// Where data goes into the page.
const PLACE: &str = "<!--gelenk-data-->";

/// The page in two halves: data of recordings stand between them, or nothing where a server gives them.
///
/// # Errors
/// [`StudioError::NoPage`] where the program was built without one.
pub fn halves() -> Result<(&'static str, &'static str), StudioError> {
    PAGE.split_once(PLACE).ok_or(StudioError::NoPage)
}
