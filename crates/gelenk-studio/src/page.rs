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
    halves_of(PAGE)
}

fn halves_of(page: &str) -> Result<(&str, &str), StudioError> {
    page.split_once(PLACE).ok_or(StudioError::NoPage)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A build without Node.js has an empty page; whoever asks for one is told both ways to get it.
    #[test]
    fn a_program_without_the_page_says_how_to_get_it() {
        let message = halves_of("").unwrap_err().to_string();
        for word in ["Node.js", "npm ci && npm run build", "studio/", "GELENK_STUDIO=studio/dist/index.html"]
        {
            assert!(message.contains(word), "{word}: {message}");
        }
        assert_eq!(halves_of("a<!--gelenk-data-->b").unwrap(), ("a", "b"));
    }
}
