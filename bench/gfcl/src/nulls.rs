//! Figure 10: a sparse column with the rank index, with a bit string that is counted through, and uncompressed.
//!
//! A 1-hop query's reads: a list of 32 sorted random rows is gathered from a column of 8-byte values into a vector and its null mask,
//! a sink adds up what is present. Uncompressed has a marked value in the cells of nulls; the rank index is left out where there are
//! no nulls, as in the storage. The bit string is counted from the start of its 65,536 rows, not of the column, in its favour, and is
//! asked for a part of the reads only. `with popcnt` is the same code compiled for machines that have the instruction, which the
//! default target of the build, plain x86-64, does not assume; `no branch` computes and reads the place of nulls too. Only `J-NULL`
//! is what the engine runs.
//!
//! Source: GF-CL §5.3, §8.4, figure 10.

use trimorph_encoding::RankBits;

use crate::clock::race;
use crate::graph::Random;
use crate::report::Report;

const ROWS: usize = 1 << 24;
const READS: usize = 1 << 21;
const LIST: usize = 32;
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
        one_hop(reads, |row| Some(self.plain[row as usize]).filter(|v| *v != i64::MIN))
    }

    #[inline(always)]
    fn ranked(&self, reads: &[u32]) -> u64 {
        let views: Vec<_> =
            self.blocks.iter().map(|(bits, values)| (bits.view(), values.as_slice())).collect();
        if self.plain.len() == self.blocks.iter().map(|(_, values)| values.len()).sum::<usize>() {
            return one_hop(reads, |row| Some(views[row as usize >> 16].1[row as usize & 0xffff]));
        }
        one_hop(reads, |row| {
            let (bits, values) = &views[row as usize >> 16];
            bits.place(row as usize & 0xffff).map(|place| values[place])
        })
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn ranked_popcnt(&self, reads: &[u32]) -> u64 {
        self.ranked(reads)
    }

    /// The same without a branch on the bit: the place is always computed and read.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "popcnt")]
    fn branchless_popcnt(&self, reads: &[u32]) -> u64 {
        let views: Vec<_> =
            self.blocks.iter().map(|(bits, values)| (bits.view(), values.as_slice())).collect();
        let (mut vector, mut sum) = ([0i64; LIST], 0u64);
        for list in reads.chunks_exact(LIST) {
            let mut nulls = 0u32;
            for (i, row) in list.iter().enumerate() {
                let (bits, values) = &views[*row as usize >> 16];
                let local = *row as usize & 0xffff;
                vector[i] = values.get(bits.rank(local)).copied().unwrap_or(0);
                nulls |= u32::from(!bits.get(local)) << i;
            }
            for (i, value) in vector.iter().enumerate() {
                sum = sum.wrapping_add(if nulls >> i & 1 == 0 { *value as u64 } else { 0 });
            }
        }
        sum
    }

    fn branchless(&self, reads: &[u32]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            #[expect(unsafe_code, reason = "calls a function compiled for an instruction")]
            // SAFETY: the instruction was found.
            return unsafe { self.branchless_popcnt(reads) };
        }
        self.ranked(reads)
    }

    /// The rank index with the machine's `popcnt`.
    fn ranked_native(&self, reads: &[u32]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            #[expect(unsafe_code, reason = "calls a function compiled for an instruction")]
            // SAFETY: the instruction was found.
            return unsafe { self.ranked_popcnt(reads) };
        }
        self.ranked(reads)
    }

    #[inline(never)]
    fn ranked_default(&self, reads: &[u32]) -> u64 {
        self.ranked(reads)
    }

    fn counted(&self, reads: &[u32]) -> u64 {
        one_hop(reads, |row| {
            let (bits, values) = &self.blocks[row as usize >> 16];
            let (word, bit) = ((row as usize & 0xffff) / 64, row % 64);
            if bits.words[word] >> bit & 1 == 0 {
                return None;
            }
            let before: u32 = bits.words[..word].iter().map(|w| w.count_ones()).sum();
            Some(values[(before + (bits.words[word] & ((1 << bit) - 1)).count_ones()) as usize])
        })
    }
}

/// Gathers list by list into a vector with a null mask, and adds up.
#[inline(always)]
fn one_hop(reads: &[u32], read: impl Fn(u32) -> Option<i64>) -> u64 {
    let (mut vector, mut sum) = ([0i64; LIST], 0u64);
    for list in reads.chunks_exact(LIST) {
        let mut nulls = 0u32;
        for (i, row) in list.iter().enumerate() {
            match read(*row) {
                Some(value) => vector[i] = value,
                None => nulls |= 1 << i,
            }
        }
        for (i, value) in vector.iter().enumerate() {
            sum = sum.wrapping_add(if nulls >> i & 1 == 0 { *value as u64 } else { 0 });
        }
    }
    sum
}

/// Prints figure 10 as a table.
pub(crate) fn figure_10(report: &mut Report) {
    report.title(&format!(
        "Figure 10: nulls, {ROWS} rows of 8 bytes, {READS} reads through sorted lists of 32; CPU ns a read"
    ));
    report.note(
        "paper: J-NULL 1.19x to 1.51x of uncompressed, faster above 70 % nulls; bit string > 20x of J-NULL\n",
    );
    let header = [
        "nulls",
        "uncompressed",
        "J-NULL",
        "with popcnt",
        "no branch",
        "bit string",
        "J/u",
        "popcnt/u",
        "no branch/u",
        "bits/J",
        "J bytes/u",
        "bits bytes/u",
    ];
    report.row(&header.map(String::from));
    let mut random = Random(11);
    let mut reads: Vec<u32> = (0..READS).map(|_| random.below(ROWS as u64) as u32).collect();
    reads.chunks_mut(LIST).for_each(<[u32]>::sort_unstable);
    let mut worst = [0f64; 3];
    for percent in (0..=90).step_by(10) {
        let column = Column::build(percent);
        let part = &reads[..READS / SCAN_SHARE];
        let times = race(&mut [
            &mut || column.uncompressed(&reads),
            &mut || column.ranked_default(&reads),
            &mut || column.ranked_native(&reads),
            &mut || column.branchless(&reads),
            &mut || column.counted(part),
        ]);
        assert_eq!(times[0].1, times[1].1, "the rank index disagrees");
        assert_eq!(times[0].1, times[2].1, "the rank index with popcnt disagrees");
        assert_eq!(times[0].1, times[3].1, "the rank index without branches disagrees");
        assert_eq!(column.uncompressed(part), times[4].1, "the bit string disagrees");
        let per_read = |i: usize, reads: usize| times[i].0 / reads as f64 * 1e9;
        let nanos = [
            per_read(0, READS),
            per_read(1, READS),
            per_read(2, READS),
            per_read(3, READS),
            per_read(4, part.len()),
        ];
        let values: usize = column.blocks.iter().map(|(_, values)| values.len() * 8).sum();
        let (whole, bits) = ((ROWS * 8) as f64, ROWS / 8);
        let index = if percent == 0 { [0, 0] } else { [ROWS / 64 * 10, bits] };
        let sizes = index.map(|bytes| (values + bytes) as f64 / whole);
        let ratios = [nanos[1] / nanos[0], nanos[2] / nanos[0], nanos[3] / nanos[0]];
        worst.iter_mut().zip(ratios).for_each(|(w, r)| *w = w.max(r));
        let cells = [
            format!("{percent} %"),
            format!("{:.2}", nanos[0]),
            format!("{:.2}", nanos[1]),
            format!("{:.2}", nanos[2]),
            format!("{:.2}", nanos[3]),
            format!("{:.0}", nanos[4]),
            format!("{:.2}x", ratios[0]),
            format!("{:.2}x", ratios[1]),
            format!("{:.2}x", ratios[2]),
            format!("{:.0}x", nanos[4] / nanos[1]),
            format!("{:.3}", sizes[0]),
            format!("{:.3}", sizes[1]),
        ];
        report.row(&cells);
        let figures = [
            ("uncompressed_ns", nanos[0]),
            ("rank_ns", nanos[1]),
            ("rank_popcnt_ns", nanos[2]),
            ("rank_no_branch_ns", nanos[3]),
            ("bit_string_ns", nanos[4]),
            ("rank_size", sizes[0]),
            ("bit_string_size", sizes[1]),
        ];
        report.json("10", &format!("{percent}"), &figures);
    }
    report.target("uncompressed / J-NULL, worst (1 / 1.5)", 1.0 / worst[0], 1.0 / 1.5);
    report.target("uncompressed / J-NULL with popcnt, worst", 1.0 / worst[1], 1.0 / 1.5);
    report.target("uncompressed / J-NULL with popcnt without branch, worst", 1.0 / worst[2], 1.0 / 1.5);
}
