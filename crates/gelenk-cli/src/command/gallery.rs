//! A page of all cases, each with its pictures and its numbers.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gelenk::case::Verdict;
use gelenk::interrupt::Interrupt;
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};

use serde_json::json;

use super::case::{examine, title_of};
use super::progress::Progress;
use super::thumbnail::thumbnail;
use crate::console::{Console, DONE, FAILED};

/// A case of the page.
struct Shown {
    name: String,
    section: String,
    /// The picture that stands for it.
    picture: Option<String>,
    numbers: usize,
    met: bool,
}

/// Runs cases and writes the page. Plots are drawn beside it, or those of another folder, seen from the page, are linked to.
pub fn make(out: &mut Console, files: &[PathBuf], folder: &Path, plots: Option<&str>) -> super::Done {
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("the folder {} cannot be created: {e}", folder.display()))?;
    let progress = Mutex::new(Progress::new("case", files.len() as u64));
    let interrupt = super::signals::interrupt();
    let made: Result<Vec<Option<Shown>>, String> = files
        .par_iter()
        .map(|file| {
            let shown = show(file, folder, plots, &interrupt);
            // A thread that failed has told so; what it counted is still right.
            progress.lock().unwrap_or_else(PoisonError::into_inner).advance();
            shown
        })
        .collect();
    progress.into_inner().unwrap_or_else(PoisonError::into_inner).finish();
    let made: Vec<Shown> = made?.into_iter().flatten().collect();
    let numbers: usize = made.iter().map(|shown| shown.numbers).sum();
    let failed: Vec<&str> = made.iter().filter(|shown| !shown.met).map(|shown| shown.name.as_str()).collect();
    // A page that stands alone has no book around it.
    let more =
        if plots.is_some() { "[Cases](../cases.md) describes some of them in more detail. " } else { "" };
    let mut page = format!(
        "# Gallery\n\n{} cases with what they expect and what this version obtains: {numbers} numbers, each with its \
         source, in SI units. {more}This page is made by `gelenk case gallery -o {}{}`.\n",
        if made.len() == files.len() {
            format!("All {}", made.len())
        } else {
            format!("{} of {}", made.len(), files.len())
        },
        folder.display(),
        plots.map(|plots| format!(" --plots {plots}")).unwrap_or_default(),
    );
    if !failed.is_empty() {
        // Writing to a string never fails.
        let _ = write!(page, "\n**Not met:** {}.\n", failed.join(", "));
    }
    page.push_str(&overview(&made));
    made.iter().for_each(|shown| page.push_str(&shown.section));
    let index = folder.join("index.md");
    super::write::file(&index, page.as_bytes())?;
    say!(out, "{}: {} cases, {} not met", index.display(), made.len(), failed.len());
    out.extend(json!({
        "page": index.display().to_string(),
        "cases": made.len(),
        "numbers": numbers,
        "not_met_count": failed.len(),
        "not_met": failed,
    }));
    if interrupt.asked() {
        let kept = format!("{} of {} cases are on the page", made.len(), files.len());
        return Ok(super::signals::interrupted(out, &kept));
    }
    Ok(if failed.is_empty() { DONE } else { FAILED })
}

/// All cases as small pictures that lead to their parts of the page.
fn overview(made: &[Shown]) -> String {
    const ACROSS: usize = 4;
    let mut table = format!("\n|{}\n|{}\n", " |".repeat(ACROSS), "---|".repeat(ACROSS));
    for row in made.chunks(ACROSS) {
        table.push('|');
        for Shown { name, picture, .. } in row {
            let image = picture.as_ref().map(|link| format!("![]({link})<br>")).unwrap_or_default();
            let _ = write!(table, " [{image}{name}](#{name}) |");
        }
        table.push_str(&" |".repeat(ACROSS - row.len()));
        table.push('\n');
    }
    table
}

/// Runs a case, writes its pictures and makes its part of the page; nothing where an interrupt came before its end.
fn show(
    file: &Path,
    folder: &Path,
    plots: Option<&str>,
    interrupt: &Interrupt,
) -> Result<Option<Shown>, String> {
    if interrupt.asked() {
        return Ok(None);
    }
    let name = title_of(file);
    let mut section = format!("\n## {name}\n\n");
    let examined = match examine(file, true, interrupt) {
        _ if interrupt.asked() => return Ok(None),
        Ok(examined) => examined,
        Err(error) => {
            let _ = writeln!(section, "It did not run: {}", plain(&error.to_string()));
            return Ok(Some(Shown { name, section, picture: None, numbers: 0, met: false }));
        }
    };
    let title = examined.title.clone().unwrap_or_default();
    let _ = writeln!(section, "**{}**\n", plain(&title));
    let write = |file: String, content: &[u8]| super::write::file(&folder.join(file), content);
    let mut picture = None;
    if let Some((small, has_scene)) = thumbnail(&examined)? {
        write(format!("{name}.png"), &small)?;
        // Curves alone are in the plot below.
        if has_scene {
            let _ = writeln!(section, "![The scene of {name}]({name}.png)\n");
        }
        picture = Some(format!("{name}.png"));
    }
    match examined.plot() {
        Ok(plot) => {
            let known = plots.map(|plots| format!("{}/{name}.svg", plots.trim_end_matches('/')));
            let link = match known.filter(|link| folder.join(link).is_file()) {
                Some(link) => link,
                None => {
                    write(format!("{name}.svg"), plot.as_bytes())?;
                    format!("{name}.svg")
                }
            };
            let _ = writeln!(section, "![{}]({link})\n", plain(&title));
            picture = picture.or(Some(link));
        }
        Err(error) => {
            let _ = writeln!(section, "There is no plot: {}\n", plain(&error.to_string()));
        }
    }
    let _ = writeln!(section, "{}\n", plain(&examined.about));
    section.push_str("| number | expected | obtained | source |\n|---|---|---|---|\n");
    for verdict in &examined.verdicts {
        let obtained = match &verdict.obtained {
            Ok(value) => rounded(*value),
            Err(reason) => plain(reason),
        };
        let mark = if verdict.met() { "" } else { " **not met**" };
        let (what, wanted, source) = (cell(&verdict.what), wanted(verdict), cell(&verdict.source));
        let _ = writeln!(section, "| {what} | {wanted} | {obtained}{mark} | {source} |");
    }
    let met = examined.verdicts.iter().all(Verdict::met);
    Ok(Some(Shown { name, section, picture, numbers: examined.verdicts.len(), met }))
}

/// What was expected, with its tolerance.
fn wanted(verdict: &Verdict) -> String {
    let [lower, upper] = verdict.admitted;
    match verdict.expected {
        Some(value) if upper == lower => rounded(value),
        Some(value) => format!("{} ± {:.1e}", rounded(value), 0.5 * (upper - lower)),
        None if lower.is_infinite() => format!("at most {}", rounded(upper)),
        None if upper.is_infinite() => format!("at least {}", rounded(lower)),
        None => format!("{} to {}", rounded(lower), rounded(upper)),
    }
}

/// Seven digits of a number.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6e}");
    let short: f64 = text.parse().unwrap_or(value);
    if short == 0.0 || (1e-4..1e7).contains(&short.abs()) { format!("{short}") } else { format!("{short:e}") }
}

/// A text in which nothing means something in Markdown.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '*' | '_' | '`' | '|' | '\\' => safe.extend(['\\', c]),
            c => safe.push(c),
        }
    }
    safe
}

/// The same on one line.
fn cell(text: &str) -> String {
    plain(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_break_the_table() {
        assert_eq!(cell("a | b\n<c> *d* x_1"), "a \\| b &lt;c> \\*d\\* x\\_1");
    }

    #[test]
    fn numbers_have_seven_digits() {
        assert_eq!(rounded(0.302_146_049_9), "0.302146");
        assert_eq!(rounded(1.0 / 3.0), "0.3333333");
        assert_eq!(rounded(1.234_567_89e-12), "1.234568e-12");
        assert_eq!(rounded(401.0), "401");
    }
}
