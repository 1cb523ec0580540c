//! Models to start from.

use std::fs;
use std::io;
use std::path::Path;

/// A model to start from: its name, what it shows, and its files.
pub struct Template {
    /// Name on the command line.
    pub name: &'static str,
    /// What it shows.
    pub about: &'static str,
    /// Files with their contents; the first one is the model.
    pub files: &'static [(&'static str, &'static str)],
}

/// All templates.
pub const TEMPLATES: &[Template] = &[
    Template {
        name: "pendulum",
        about: "one body on a hinge with friction and joint limits",
        files: &[("model.toml", include_str!("../templates/pendulum.toml"))],
    },
    Template {
        name: "four-bar",
        about: "three rods closed to a loop",
        files: &[("model.toml", include_str!("../../../cases/four-bar/model.toml"))],
    },
    Template {
        name: "servo",
        about: "an arm with LuGre friction, an encoder, a sampled controller and a log",
        files: &[
            ("model.toml", include_str!("../../../cases/servo/model.toml")),
            ("command.csv", include_str!("../../../cases/servo/command.csv")),
        ],
    },
];

impl Template {
    /// The template with this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        TEMPLATES.iter().find(|template| template.name == name)
    }

    /// Writes the files into a new folder; refuses one that exists.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        if let Some(parent) = folder.parent().filter(|p| !p.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        fs::create_dir(folder)?;
        self.files.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))
    }
}
