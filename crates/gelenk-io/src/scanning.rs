//! Reading the folder of an unfinished run: its base and its parts, in order.

use std::path::{Path, PathBuf};

use crate::layout::Header;
use crate::part_writer::{FOLLOWS, Follows};
use crate::parts_folder::{self, Listing};
use crate::{IoError, parquet_file, part};

/// What is done about a part that is damaged or missing, with good ones behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Damage {
    /// Nothing is made; the error names the part.
    #[default]
    Refuse,
    /// The recording ends before it.
    Stop,
    /// The recording has a gap in its place.
    Skip,
}

/// Takes the header and the columns of a piece.
pub(crate) type Take<'a> = &'a mut dyn FnMut(Header, &[&[f64]]) -> Result<(), IoError>;

/// What a scan met.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// Number of complete parts.
    pub parts: usize,
    /// Parts that were left out, with the reason.
    pub notices: Vec<String>,
    /// Names of parts that are missing between others.
    pub gaps: Vec<String>,
    /// Whether the base reaches further than what was computed anew, and is all there is.
    pub base_alone: bool,
}

/// Hands header and columns of every piece to `take`, in order: of the base as far as the parts follow it, then of the
/// parts. A damaged last part is left out with a notice: its rows were never announced.
///
/// A run that was resumed computes some rows of its base again. Until it has passed them, the base is what counts.
/// `follows` tells what the parts follow, where that is known.
///
/// # Errors
/// What [`Damage`] does not allow, parts with different columns, or nothing complete at all.
pub(crate) fn scan(
    folder: &Path,
    damage: Damage,
    follows: Option<Follows>,
    take: Take<'_>,
) -> Result<Scanned, IoError> {
    let Listing { base, first, parts } = parts_folder::list(folder)?;
    let mut scan = Scan { folder, damage, found: Scanned::default(), columns: None };
    let follows = match follows {
        Some(follows) => Some(follows),
        None => first_follows(&parts)?,
    };
    if let Some(base) = &base
        && !scan.base(base, &parts, follows, take)?
    {
        return Ok(scan.found);
    }
    let lacks_base = base.is_none() && follows.is_some_and(|follows| follows.rows > 0);
    if lacks_base && !scan.leave_out(parts_folder::BASE.into(), "it is missing".into(), None)? {
        return Ok(scan.found);
    }
    scan.parts(first, &parts, take)?;
    if scan.columns.is_none() {
        return Err(IoError::NoParts { folder: folder.to_owned() });
    }
    Ok(scan.found)
}

/// What the parts follow, as the first good one says.
fn first_follows(parts: &[(u64, PathBuf)]) -> Result<Option<Follows>, IoError> {
    for (_, path) in parts {
        match part::decode(path) {
            Ok((header, _)) => return Ok(header.meta.get(FOLLOWS).and_then(|text| Follows::from_text(text))),
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

struct Scan<'a> {
    folder: &'a Path,
    damage: Damage,
    found: Scanned,
    columns: Option<Vec<gelenk_record::Column>>,
}

impl Scan<'_> {
    /// Hands over the base as far as it counts; returns whether parts come after it.
    fn base(
        &mut self,
        path: &Path,
        parts: &[(u64, PathBuf)],
        follows: Option<Follows>,
        take: Take<'_>,
    ) -> Result<bool, IoError> {
        let rows = match parquet_file::rows(path) {
            Ok(rows) => rows,
            Err(error) if error.is_damage() => {
                let name = parts_folder::name_of(path);
                return self.leave_out(name, error.to_string(), Some(error));
            }
            Err(error) => return Err(error),
        };
        let follows = follows.filter(|follows| follows.complete || !lag(parts, follows, rows));
        self.found.base_alone = follows.is_none();
        let most = follows.map_or(u64::MAX, |follows| follows.rows);
        let mut left = usize::try_from(most).unwrap_or(usize::MAX);
        let mut all = Header::default();
        let mut failed = Ok(());
        parquet_file::scan(path, |header, data| {
            if let Some(mut header) = header {
                let events = follows.map_or(u64::MAX, |follows| follows.events);
                header.events.truncate(usize::try_from(events).unwrap_or(usize::MAX));
                all = Header { events: Vec::new(), ..header.clone() };
                failed = take(header, &[]);
                return;
            }
            let count = left.min(data.first().map_or(0, |values| values.len()));
            left -= count;
            if failed.is_ok() && count > 0 {
                let cut: Vec<&[f64]> = data.iter().map(|values| &values[..count]).collect();
                failed = take(all.clone(), &cut);
            }
        })?;
        failed?;
        if left > 0 && follows.is_some() {
            return Err(IoError::damaged(path, format!("{left} of its rows are missing")));
        }
        self.columns = Some(all.columns);
        Ok(follows.is_some())
    }

    fn parts(&mut self, first: u64, parts: &[(u64, PathBuf)], take: Take<'_>) -> Result<(), IoError> {
        let mut expected = first;
        for (i, (number, path)) in parts.iter().enumerate() {
            if *number != expected {
                let (missing, name) = (expected, parts_folder::part_name(expected));
                let folder = self.folder.to_owned();
                let gap = IoError::Gap { folder, missing, next: *number, name: name.clone() };
                if !self.leave_out(name, "it is missing".into(), Some(gap))? {
                    return Ok(());
                }
            }
            expected = number + 1;
            let reason = match part::decode(path) {
                Ok((header, _)) if self.columns.as_ref().is_some_and(|known| *known != header.columns) => {
                    "its columns are not those of the parts before it".to_owned()
                }
                Ok((mut header, data)) => {
                    self.columns.get_or_insert_with(|| header.columns.clone());
                    header.meta.remove(FOLLOWS);
                    let slices: Vec<&[f64]> = data.iter().map(Vec::as_slice).collect();
                    take(header, &slices)?;
                    self.found.parts += 1;
                    continue;
                }
                Err(error) if !error.is_damage() => return Err(error),
                Err(error) if i + 1 == parts.len() => {
                    self.found.notices.push(format!("{} was omitted: {}", path.display(), error.reason()));
                    continue;
                }
                Err(error) => error.reason(),
            };
            if !self.leave_out(parts_folder::name_of(path), reason, None)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Goes by what to do about damage; returns whether what comes after is taken.
    fn leave_out(&mut self, name: String, reason: String, refused: Option<IoError>) -> Result<bool, IoError> {
        let path = self.folder.join(&name);
        if self.damage == Damage::Refuse {
            return Err(refused.unwrap_or(IoError::DamagedPart { path, reason }));
        }
        let skip = self.damage == Damage::Skip;
        let rest = if skip { "" } else { ", as was everything after it" };
        self.found.notices.push(format!("{} was omitted{rest}: {reason}", path.display()));
        self.found.gaps.push(name);
        Ok(skip)
    }
}

/// Whether the parts do not yet reach as far as the `rows` of their base.
fn lag(parts: &[(u64, PathBuf)], follows: &Follows, rows: u64) -> bool {
    let mut reached = follows.rows;
    for (_, path) in parts {
        if reached >= rows {
            break;
        }
        let Ok((_, data)) = part::decode(path) else { break };
        reached += data.first().map_or(0, |values| values.len() as u64);
    }
    reached < rows
}
