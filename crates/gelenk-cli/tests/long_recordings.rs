//! Pictures of long recordings: what they hold in memory does not grow with the recording. Counted by the allocator.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::collections::BTreeMap;

use gelenk_io::{PartOptions, PartWriter, Pieces};
use gelenk_record::{Column, Sink};
use gelenk_studio::thinning::Thinned;
use gelenk_testing::allocations::{Counting, peak};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Four times the rows take the same memory, for a plot and for a scene: far less than the columns themselves, which
/// have 8 bytes a number. The spike of one sample stays.
#[test]
fn memory_does_not_grow_with_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let mut peaks = Vec::new();
    for rows in [400_000_u32, 1_600_000] {
        let path = folder.path().join(format!("{rows}.parquet"));
        let columns = vec![Column::time(), Column::new("x", "m", ""), Column::new("y", "m", "")];
        let mut writer = PartWriter::create(&path, columns, BTreeMap::new(), PartOptions::default()).unwrap();
        for k in 0..rows {
            let x = (f64::from(k) * 1e-4).sin() + if k == rows / 3 { 100.0 } else { 0.0 };
            writer.row(&[f64::from(k) * 1e-3, x, f64::from(k % 7)]).unwrap();
        }
        writer.finish().unwrap();
        let (largest, plot) = peak(|| {
            let pieces = Pieces::open(&path).unwrap();
            let mut thinned = Thinned::new(2, pieces.rows(), 2000);
            pieces.read(&[0, 1], 0..pieces.rows(), &mut |piece| thinned.push(piece)).unwrap();
            thinned.into_columns()[1].iter().copied().fold(0.0, f64::max)
        });
        assert!(largest > 99.0);
        let (kept, scene) = peak(|| Pieces::open(&path).unwrap().around(&[1.0, 2.0], 2000).unwrap().len());
        assert!((1500..2100).contains(&kept), "{kept}");
        println!("{rows} rows: {plot} bytes for a plot, {scene} for a scene");
        assert!(plot.max(scene) < rows as usize * 8, "{rows}: {plot} {scene}");
        peaks.push([plot, scene]);
    }
    for k in 0..2 {
        assert!(peaks[1][k] < 2 * peaks[0][k], "{peaks:?}");
    }
}
