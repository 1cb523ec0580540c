//! The book and the README say what the program does: their files are written to an empty folder, their commands are run
//! there, and what these print is compared.
//!
//! What a page may contain is described in CONTRIBUTING.md under "The book". After a change of a message,
//! `GELENK_BOOK=write cargo test -p gelenk-cli --test all book` puts what is printed into the pages.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use gelenk_book::fences::fences;
use gelenk_book::sessions::{Tolerance, compare, shortened, steps};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// What happens on a page, in its order.
enum Act {
    /// A file is written.
    File { name: String, text: String },
    /// Files of another page are written.
    Uses(String),
    /// Commands must succeed; what they print does not matter.
    Run { line: usize, command: String },
    /// A command prints what the page says.
    Shows { line: usize, command: String, output: std::ops::Range<usize>, tolerance: Tolerance },
}

/// The acts of a page: blocks with the names of files, `sh` and `console` blocks, and the comments `<!-- run: -->` and
/// `<!-- uses: -->` between them. Blocks marked `fragment` are left alone.
fn acts(page: &str) -> Vec<Act> {
    let mut found = Vec::new();
    let mut from = 0;
    for fence in fences(page) {
        comments(page, from..fence.block.start, &mut found);
        from = fence.block.end;
        let body = &page[fence.body.clone()];
        if fence.has("fragment") {
            continue;
        }
        if let Some(name) = fence.file(page) {
            found.push(Act::File { name: name.to_owned(), text: body.to_owned() });
        }
        match fence.language.as_str() {
            "sh" => {
                for (row, line) in body.lines().enumerate().filter(|(_, line)| program(line)) {
                    found.push(Act::Run { line: fence.line + 1 + row, command: line.to_owned() });
                }
            }
            "console" => {
                let share = fence.value("tolerance").map_or(1e-6, |share| share.parse().unwrap());
                for step in steps(page, &fence) {
                    let tolerance = Tolerance::Share(share);
                    found.push(Act::Shows {
                        line: step.line,
                        command: step.command,
                        output: step.output,
                        tolerance,
                    });
                }
            }
            _ => {}
        }
    }
    comments(page, from..page.len(), &mut found);
    found
}

/// Comments that prepare what a page takes for granted.
fn comments(page: &str, range: std::ops::Range<usize>, found: &mut Vec<Act>) {
    let mut rest = &page[range];
    while let Some((_, behind)) = rest.split_once("<!-- ") {
        let (comment, behind) = behind.split_once(" -->").unwrap();
        rest = behind;
        let line = page[..page.len() - page[page.find(comment).unwrap()..].len()].matches('\n').count() + 1;
        if let Some(command) = comment.strip_prefix("run: ") {
            found.push(Act::Run { line, command: command.to_owned() });
        } else if let Some(other) = comment.strip_prefix("uses: ") {
            found.push(Act::Uses(other.to_owned()));
        }
    }
}

/// Whether a line of a `sh` block calls the program. Others install things or belong to other programs.
fn program(line: &str) -> bool {
    line.starts_with("gelenk ") || line.starts_with(FROM_SOURCE)
}

/// How the program is called in the source folder.
const FROM_SOURCE: &str = "cargo run --release -- ";

/// Runs a command in a folder, with this program as `gelenk`: whether it succeeded, and what it printed on both streams.
fn run(at: &Path, command: &str) -> (bool, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_gelenk"));
    let path =
        format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
    let command = command.replace(FROM_SOURCE, "gelenk ");
    let shell = format!("exec 2>&1\n{command}");
    let output = Command::new("sh").arg("-c").arg(shell).env("PATH", path).current_dir(at).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write(at: &Path, name: &str, text: &str) {
    let path = at.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Follows a page in an empty folder. The answer is the list of what is wrong, and the page as it should be.
fn follow(book: &Path, page: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::os::unix::fs::symlink(root().join("cases"), at.join("cases")).unwrap();
    let (mut wrong, mut mended, mut done) = (Vec::new(), String::new(), 0);
    for act in acts(page) {
        match act {
            Act::File { name, text } => write(at, &name, &text),
            Act::Uses(other) => {
                let other = std::fs::read_to_string(book.join(other)).unwrap();
                for act in acts(&other) {
                    if let Act::File { name, text } = act {
                        write(at, &name, &text);
                    }
                }
            }
            Act::Run { line, command } => {
                let (fine, printed) = run(at, &command);
                if !fine {
                    wrong.push(format!("line {line}: {command}\nfails: {printed}"));
                }
            }
            Act::Shows { line, command, output, tolerance } => {
                let (_, printed) = run(at, &command);
                let said = &page[output.clone()];
                if let Err(problem) = compare(said, &printed, tolerance) {
                    wrong.push(format!("line {line}: {command}\n{problem}"));
                    mended.push_str(&page[done..output.start]);
                    mended.push_str(&shortened(said, &printed));
                    done = output.end;
                }
            }
        }
    }
    mended.push_str(&page[done..]);
    (wrong, mended)
}

/// Every terminal session of the book and of the README prints what the page says, every command that a page names works,
/// and every file that a page gives is there when they run.
#[test]
fn every_session_of_the_book_prints_what_the_page_says() {
    let root = root();
    let book = root.join("docs/src");
    let only = std::env::var("GELENK_BOOK_PAGE").ok();
    let mut paths = gelenk_book::pages(&book).unwrap();
    paths.push(root.join("README.md"));
    paths.retain(|path| only.as_ref().is_none_or(|only| path.ends_with(only)));
    let rewrite = std::env::var("GELENK_BOOK").is_ok_and(|word| word == "write");
    let queue = Mutex::new(VecDeque::from(paths));
    let wrong = Mutex::new(Vec::new());
    let sessions = Mutex::new(0);
    let worker = || {
        while let Some(path) = { queue.lock().unwrap().pop_front() } {
            let page = std::fs::read_to_string(&path).unwrap();
            *sessions.lock().unwrap() +=
                acts(&page).iter().filter(|act| matches!(act, Act::Shows { .. })).count();
            let (mut problems, mended) = follow(path.parent().unwrap(), &page);
            if rewrite && mended != page {
                std::fs::write(&path, mended).unwrap();
            }
            let name = path.strip_prefix(&root).unwrap().display().to_string();
            problems.iter_mut().for_each(|problem| problem.insert_str(0, &format!("{name}, ")));
            wrong.lock().unwrap().append(&mut problems);
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    let advice =
        "to put what is printed into the pages: GELENK_BOOK=write cargo test -p gelenk-cli --test all book";
    assert!(wrong.is_empty(), "{}\n{advice}", wrong.join("\n\n"));
    assert!(only.is_some() || sessions.into_inner().unwrap() > 25);
}
