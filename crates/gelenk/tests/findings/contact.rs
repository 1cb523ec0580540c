//! Contact.
