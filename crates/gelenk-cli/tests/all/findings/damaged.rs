//! Recordings that are damaged although their checksum is right end in a typed error.
//!
//! Before, the decoders of that time panicked on some of them, and the program with them.

use std::fs;
use std::path::Path;

use gelenk_io::{PartOptions, PartWriter, Pieces, info, read, recover};
use gelenk_record::{Column, Event, Sink};
use gelenk_testing::random::Random;
use tempfile::TempDir;

use super::support::{gelenk, model, text};

const MARK: &[u8] = b"gelenk-crc32:";

/// Puts the right checksum into changed bytes: CRC-32 of the file with zeros in place of the digits, as hexadecimal digits
/// behind the last mark.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let places: Vec<usize> = (0..bytes.len().saturating_sub(MARK.len() + 8))
        .filter(|&at| &bytes[at..at + MARK.len()] == MARK)
        .map(|at| at + MARK.len())
        .collect();
    for &at in &places {
        bytes[at..at + 8].fill(b'0');
    }
    let digits = format!("{:08x}", crc32fast::hash(&bytes));
    for &at in &places {
        bytes[at..at + 8].copy_from_slice(digits.as_bytes());
    }
    bytes
}

/// Some bytes changed, most of them near the end, where the footer tells sizes and places.
fn mutated(good: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let tail = random.below(4) > 0;
    for _ in 0..1 + random.below(4) {
        let at = if tail {
            bytes.len() - 1 - random.below(bytes.len().min(1500))
        } else {
            random.below(bytes.len())
        };
        bytes[at] = match random.below(4) {
            0 => 0xff,
            1 => 0,
            2 => bytes[at] ^ (1 << random.below(8)),
            _ => random.next() as u8,
        };
    }
    sealed(bytes)
}

fn recorded(folder: &Path) -> (std::path::PathBuf, std::path::PathBuf) {
    let out = folder.join("run.parquet");
    let columns = vec![Column::time(), Column::new("y", "m", "height"), Column::new("z", "m", "")];
    let options = PartOptions { rows: 40, ..PartOptions::default() };
    let mut writer = PartWriter::create(&out, columns, Default::default(), options).unwrap();
    for k in 0..60 {
        writer.row(&[f64::from(k), (0.1 * f64::from(k)).sin(), 1.0]).unwrap();
    }
    writer.event(Event::new(1.0, "a", "b")).unwrap();
    let part = folder.join("part");
    fs::copy(writer.folder().join("part-000000.parquet"), &part).unwrap();
    writer.finish().unwrap();
    (out, part)
}

/// A few thousand files with bytes changed and the checksum put right: an error or a recording, never a panic.
#[test]
fn random_damage_is_an_error() {
    let folder = TempDir::new().unwrap();
    let (out, part) = recorded(folder.path());
    let (out, part) = (fs::read(out).unwrap(), fs::read(part).unwrap());
    assert_eq!(sealed(out.clone()), out, "the seal of the test is not that of the program");
    assert_eq!(sealed(part.clone()), part);
    let mut random = Random::new(7);
    let (file, parts) = (folder.path().join("bad.parquet"), folder.path().join("bad.parts"));
    let mut refused = [0, 0];
    for _ in 0..2000 {
        fs::write(&file, mutated(&out, &mut random)).unwrap();
        refused[0] += usize::from(read(&file).is_err());
        let _ = info(&file);
        if let Ok(pieces) = Pieces::open(&file) {
            let _ = pieces.read(&[2, 0], 3..50, &mut |_| ());
        }
        fs::create_dir(&parts).unwrap();
        fs::write(parts.join("part-000000.parquet"), mutated(&part, &mut random)).unwrap();
        refused[1] += usize::from(read(&parts).is_err());
        let _ = info(&parts);
        let _ = recover(&parts, &folder.path().join("new.parquet"));
        let _ = fs::remove_file(folder.path().join("new.parquet"));
        let _ = fs::remove_dir_all(&parts);
    }
    // The damage must reach the decoders to show anything.
    assert!(refused.iter().all(|&n| n > 300), "{refused:?}");
}

/// What is wrong with a file whose checksum is right, and every command that reads recordings.
#[test]
fn damaged_recordings_are_refused_by_every_command() {
    let folder = TempDir::new().unwrap();
    let (out, _) = recorded(folder.path());
    let good = fs::read(out).unwrap();
    let path = folder.path().join("bad.parquet");
    for (what, bad) in [
        ("a page is cut", changed(&good, |bytes| bytes[10] ^= 0x7f)),
        ("the values of a page", changed(&good, |bytes| bytes[30..120].fill(0xff))),
        ("the list of columns", changed(&good, |bytes| *footer(bytes).nth(4).unwrap() = 0xfc)),
        ("all of the footer", changed(&good, |bytes| footer(bytes).take(100).for_each(|byte| *byte = 0xff))),
    ] {
        fs::write(&path, bad).unwrap();
        let path = path.to_str().unwrap();
        for command in [
            &["info", path][..],
            &["report", path, "-o", "r.html"],
            &["plot", path, "-o", "p.svg"],
            &["export", path, "-o", "t.csv"],
            &["render", path, "-o", "p.png"],
            &["recover", path, "-o", path],
        ] {
            let refused = gelenk(folder.path(), command);
            let said = text(&refused);
            assert_eq!(refused.status.code(), Some(1), "{what}, {command:?}: {said}");
            assert!(said.contains("damaged") && !said.contains("panicked"), "{what}, {command:?}: {said}");
        }
    }
}

fn changed(good: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = good.to_vec();
    change(&mut bytes);
    sealed(bytes)
}

/// The bytes of the footer; its length stands before the last four bytes of the file.
fn footer(bytes: &mut [u8]) -> impl Iterator<Item = &mut u8> {
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap()) as usize;
    bytes[end - length..end].iter_mut()
}

/// A recording of format 1 is not read, and the message says which format it has.
#[test]
fn recordings_of_another_format_are_named() {
    let folder = TempDir::new().unwrap();
    let path = model("format-1.parquet");
    let refused = gelenk(folder.path(), &["info", path.to_str().unwrap()]);
    let said = text(&refused);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("has format 1, this version reads format 2"), "{said}");
}
