//! Figure 10: a sparse column with the rank index, with a bit string that is counted through, and uncompressed.
//!
//! 1-hop reads: lists of 32 sorted random rows of a column of 8-byte values; the sum of the values present is taken.
//! Uncompressed has a marked value in the cells of nulls. The bit string is counted from the start of its 65,536 rows, not of the
//! column, in its favour; it is asked for a part of the reads only.
//!
//! Source: GF-CL §5.3, §8.4, figure 10.

use trimorph_encoding::RankBits;

use crate::clock::race;
use crate::graph::Random;
use crate::report::Report;

const ROWS: usize = 1 << 24;
const READS: usize = 1 << 21;
/// The bit string answers one read in this many.
const SCAN_SHARE: usize = 64;

struct Column {
    plain: Vec<i64>,
    blocks: Vec<(RankBits, Vec<i64>)>,
}

impl Column {
    fn build(null_percent: u64) -> Self {
        let mut random = Random(null_percent);
        let plain: Vec<i64> = (0..ROWS)
            .map(|_| if random.below(100) < null_percent { i64::MIN } else { random.below(1 << 40) as i64 })
            .collect();
        let block = |rows: &[i64]| {
            let present: Vec<bool> = rows.iter().map(|v| *v != i64::MIN).collect();
            (RankBits::new(&present), rows.iter().copied().filter(|v| *v != i64::MIN).collect())
        };
        let blocks = plain.chunks(RankBits::ROWS_MAX).map(block).collect();
        Self { plain, blocks }
    }

    fn uncompressed(&self, reads: &[u32]) -> u64 {
        reads.iter().map(|r| self.plain[*r as usize]).filter(|v| *v != i64::MIN).fold(0u64, |s, v| s.wrapping_add(v as u64))
    }

    fn ranked(&self, reads: &[u32]) -> u64 {
        let views: Vec<_> = self.blocks.iter().map(|(bits, values)| (bits.view(), values.as_slice())).collect();
        let read = |row: &u32| {
            let (bits, values) = &views[*row as usize >> 16];
            bits.place(*row as usize & 0xffff).map_or(0, |place| values[place])
        };
        reads.iter().map(read).fold(0u64, |s, v| s.wrapping_add(v as u64))
    }

    fn counted(&self, reads: &[u32]) -> u64 {
        let read = |row: &u32| {
            let (bits, values) = &self.blocks[*row as usize >> 16];
            let (word, bit) = ((*row as usize & 0xffff) / 64, row % 64);
            if bits.words[word] >> bit & 1 == 0 {
                return 0;
            }
            let before: u32 = bits.words[..word].iter().map(|w| w.count_ones()).sum();
            values[(before + (bits.words[word] & ((1 << bit) - 1)).count_ones()) as usize]
        };
        reads.iter().map(read).fold(0u64, |s, v| s.wrapping_add(v as u64))
    }
}

/// Prints figure 10 as a table.
pub(crate) fn figure_10(report: &mut Report) {
    report.title(&format!("Figure 10: nulls, {ROWS} rows of 8 bytes, {READS} reads through sorted lists of 32; CPU ns a read"));
    report.note("paper: J-NULL 1.19x to 1.51x of uncompressed, faster above 70 % nulls; bit string > 20x of J-NULL\n");
    let header = ["nulls", "uncompressed", "J-NULL", "bit string", "J/uncompr.", "bits/J", "size J/uncompr.", "size bits/unc."];
    report.row(&header.map(String::from));
    let mut random = Random(11);
    let mut reads: Vec<u32> = (0..READS).map(|_| random.below(ROWS as u64) as u32).collect();
    reads.chunks_mut(32).for_each(<[u32]>::sort_unstable);
    let mut worst = 0f64;
    for percent in (0..=90).step_by(10) {
        let column = Column::build(percent);
        let part = &reads[..READS / SCAN_SHARE];
        let times = race(&mut [
            &mut || column.uncompressed(&reads),
            &mut || column.ranked(&reads),
            &mut || column.counted(part),
        ]);
        assert_eq!(times[0].1, times[1].1, "the rank index disagrees");
        assert_eq!(column.uncompressed(part), times[2].1, "the bit string disagrees");
        let nanos = [times[0].0 / READS as f64 * 1e9, times[1].0 / READS as f64 * 1e9, times[2].0 / part.len() as f64 * 1e9];
        let values: usize = column.blocks.iter().map(|(_, values)| values.len() * 8).sum();
        let (whole, bits) = ((ROWS * 8) as f64, ROWS / 8);
        let sizes = [(values + ROWS / 64 * 10) as f64 / whole, (values + bits) as f64 / whole];
        let ratio = nanos[1] / nanos[0];
        worst = worst.max(ratio);
        report.row(&[
            format!("{percent} %"),
            format!("{:.2}", nanos[0]),
            format!("{:.2}", nanos[1]),
            format!("{:.0}", nanos[2]),
            format!("{ratio:.2}x"),
            format!("{:.0}x", nanos[2] / nanos[1]),
            format!("{:.3}", sizes[0]),
            format!("{:.3}", sizes[1]),
        ]);
        let figures = [("uncompressed_ns", nanos[0]), ("rank_ns", nanos[1]), ("bit_string_ns", nanos[2]), ("rank_size", sizes[0]), ("bit_string_size", sizes[1])];
        report.json("10", &format!("{percent}"), &figures);
    }
    report.target("uncompressed / J-NULL, worst (1 / 1.5)", 1.0 / worst, 1.0 / 1.5);
}
