//! Free_body.
