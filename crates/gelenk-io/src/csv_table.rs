//! Columns of a recording out, as a table that every program reads.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use gelenk_record::{RecordError, Recording};

use crate::{IoError, Pieces};

/// What every table begins with.
const UNITS: &str = "# units: ";

/// Writes columns of a recording as CSV to the file `path`; see [`write_csv_to`].
///
/// # Errors
/// An unknown column, with the closest names, or a failure of the disk.
pub fn write_csv(recording: &Pieces, path: &Path, columns: &[String]) -> Result<(), IoError> {
    let chosen = choose(&recording.without_rows()?, columns).map_err(|e| IoError::record(path, e))?;
    let file = File::create(path).map_err(IoError::file("create", path))?;
    write(recording, &chosen, &mut BufWriter::new(file))?.map_err(IoError::file("write", path))
}

/// Writes columns of a recording as CSV.
///
/// Time comes first, then the columns (or groups of columns) in the order asked for; all of them if `columns` is
/// empty. A first line `# units:` holds the units in the order of the columns, then comes the header row of names.
/// Numbers have as many digits as it takes to read back the same number. Lines end with `\n`. Rows are read piece by piece:
/// the recording need not fit into memory.
///
/// # Errors
/// An unknown column, with the closest names, or a failure of `out`.
pub fn write_csv_to(recording: &Pieces, columns: &[String], out: &mut dyn Write) -> Result<(), IoError> {
    let path = Path::new("the table");
    let chosen = choose(&recording.without_rows()?, columns).map_err(|e| IoError::record(path, e))?;
    write(recording, &chosen, out)?.map_err(IoError::file("write", path))
}

/// Whether a file begins as the tables that are written here do.
pub fn is_ours(path: &Path) -> bool {
    let mut begins = [0; UNITS.len()];
    if !path.is_file() {
        return false;
    }
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begins));
    read.is_ok() && begins == *UNITS.as_bytes()
}

/// Indices of the columns to write, each once, time first.
fn choose(recording: &Recording, columns: &[String]) -> Result<Vec<usize>, RecordError> {
    if columns.is_empty() {
        return Ok((0..recording.columns().len()).collect());
    }
    let mut chosen = vec![0];
    for selector in columns {
        for index in recording.select(selector)? {
            if !chosen.contains(&index) {
                chosen.push(index);
            }
        }
    }
    Ok(chosen)
}

/// Writes the table: what reading says, and within it what writing says.
fn write(recording: &Pieces, chosen: &[usize], out: &mut dyn Write) -> Result<io::Result<()>, IoError> {
    let mut written = head(recording, chosen, out);
    recording.read(chosen, 0..recording.rows(), &mut |columns| {
        if written.is_ok() {
            written = rows(columns, out);
        }
    })?;
    Ok(written.and_then(|()| out.flush()))
}

fn head(recording: &Pieces, chosen: &[usize], out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<_> = chosen.iter().filter_map(|&i| recording.columns().get(i)).collect();
    let units: Vec<String> = columns.iter().map(|c| cell(c.shown_unit())).collect();
    let names: Vec<String> = columns.iter().map(|c| cell(&c.name)).collect();
    writeln!(out, "{UNITS}{}", units.join(","))?;
    writeln!(out, "{}", names.join(","))
}

fn rows(columns: &[&[f64]], out: &mut dyn Write) -> io::Result<()> {
    for row in 0..columns.first().map_or(0, |time| time.len()) {
        for (k, column) in columns.iter().enumerate() {
            let comma = if k == 0 { "" } else { "," };
            // Debug of a float is its shortest text that reads back to the same number.
            write!(out, "{comma}{:?}", column[row])?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A text as a CSV cell: quoted where it must be, and always on one line.
fn cell(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains([',', '"', ';', '\t', '#']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gelenk_record::Column;

    #[test]
    fn a_table_has_units_names_and_every_digit() {
        let columns = vec![Column::time(), Column::new("phi", "rad", ""), Column::new("slip", "", "")];
        let mut r = Recording::new(columns).unwrap();
        r.push(&[0.0, 0.1 + 0.2, f64::NAN]).unwrap();
        r.push(&[0.5, 1e300, -0.0]).unwrap();
        let mut out = Vec::new();
        write_csv_to(&Pieces::held(r), &[], &mut out).unwrap();
        let expected = "# units: s,rad,1\nt,phi,slip\n0.0,0.30000000000000004,NaN\n0.5,1e300,-0.0\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn chosen_columns_come_once_and_after_time() {
        let columns = ["b.x", "a", "b.y"].map(|n| Column::new(n, "m", ""));
        let r = Recording::new([vec![Column::time()], columns.to_vec()].concat()).unwrap();
        let (r, mut out) = (Pieces::held(r), Vec::new());
        write_csv_to(&r, &["b".into(), "a".into(), "b.x".into(), "t".into()], &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "# units: s,m,m,m\nt,b.x,b.y,a\n");
        let error = write_csv_to(&r, &["c".into()], &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(error, "the table: there is no column `c`; available: t, b.x, a, b.y");
    }
}
