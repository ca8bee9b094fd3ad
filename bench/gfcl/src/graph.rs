//! Graph500's generator and the load of its graph: takes a scale, gives sorted directed edges with
//! timestamps, and a database.
//!
//! 1. 16 · 2^scale pairs, bit by bit with A = 0.57, B = C = 0.19; vertex numbers permuted.
//! 2. Self loops out, both directions in, duplicates out, sorted by (source, target): as
//!    `bench/suites/rmat.py`.
//! 3. A timestamp each: seconds, uniform over 2010–2020.

use std::path::Path;

use trimorph_base::CancelToken;
use trimorph_store::bulk::{
    BulkBuilder, BulkSink, ColumnBatch, ColumnData, EdgeBatch, EdgeSpec, Lines, NodeBatch, NodeSpec, Origin,
    Verdict,
};
use trimorph_store::{Main, write_main};
use trimorph_types::LogicalType;
use trimorph_vfs::{OsFileSystem, RegionOptions};

use crate::Failure;

/// A small generator of random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// A directed graph as CSR: offsets n+1, targets m and ts m, sorted within a vertex.
pub(crate) struct Graph {
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) ts: Vec<i64>,
}

impl Graph {
    pub(crate) fn rmat(scale: u32, seed: u64) -> Self {
        let mut random = Random(seed);
        let mut names: Vec<u32> = (0..1u32 << scale).collect();
        random.shuffle(&mut names);
        let mut keys = Vec::with_capacity(32usize << scale);
        for _ in 0..16usize << scale {
            let (mut source, mut target) = (0usize, 0usize);
            for _ in 0..scale {
                let draw = random.below(100);
                source = source << 1 | usize::from(draw >= 76);
                target = target << 1 | usize::from((57..76).contains(&draw) || draw >= 95);
            }
            let (source, target) = (u64::from(names[source]), u64::from(names[target]));
            if source != target {
                keys.push(source << 32 | target);
                keys.push(target << 32 | source);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        let mut offsets = vec![0u32; (1 << scale) + 1];
        for key in &keys {
            offsets[(key >> 32) as usize + 1] += 1;
        }
        for i in 1..offsets.len() {
            offsets[i] += offsets[i - 1];
        }
        let ts = keys.iter().map(|_| 1_262_304_000 + random.below(315_532_800) as i64).collect();
        Self { offsets, targets: keys.into_iter().map(|k| k as u32).collect(), ts }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    pub(crate) fn edges(&self) -> usize {
        self.targets.len()
    }

    /// The edges of a vertex.
    #[inline]
    pub(crate) fn range(&self, vertex: usize) -> std::ops::Range<usize> {
        self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize
    }

    pub(crate) fn median_ts(&self) -> i64 {
        let mut ts = self.ts.clone();
        let middle = ts.len() / 2;
        *ts.select_nth_unstable(middle).1
    }

    /// `(:V {id})-[:E {ts}]->(:V)` through the bulk builder.
    pub(crate) fn load(&self) -> Result<Main, Failure> {
        let builder =
            BulkBuilder::new(RegionOptions::default(), CancelToken::default(), Box::new(|_| Verdict::Abort));
        let nodes = builder.declare_nodes(NodeSpec {
            labels: vec!["V".into()],
            key_space: Some("V".into()),
            key_property: Some("id".into()),
            properties: Vec::new(),
        })?;
        let edges = builder.declare_edges(EdgeSpec {
            label: "E".into(),
            from_space: "V".into(),
            to_space: "V".into(),
            properties: vec![("ts".into(), LogicalType::Int)],
        })?;
        let origin = |row: usize| Origin { file: 0, lines: Lines::From(row as u64 + 1) };
        let keys = ColumnData::Int((0..self.nodes() as i64).collect());
        builder
            .append_nodes(nodes, NodeBatch { keys: Some(keys), columns: Vec::new(), origin: origin(0) })?;
        for first in (0..self.nodes()).step_by(1024) {
            let last = (first + 1024).min(self.nodes());
            let within = self.offsets[first] as usize..self.offsets[last] as usize;
            let from = (first..last).flat_map(|v| self.range(v).map(move |_| v as i64)).collect();
            let batch = EdgeBatch {
                from_keys: ColumnData::Int(from),
                to_keys: ColumnData::Int(
                    self.targets[within.clone()].iter().map(|t| i64::from(*t)).collect(),
                ),
                columns: vec![ColumnBatch {
                    data: ColumnData::Int(self.ts[within.clone()].to_vec()),
                    nulls: None,
                }],
                origin: origin(within.start),
            };
            builder.append_edges(edges, batch)?;
        }
        Ok(builder.finish(1)?)
    }

    /// The same as a database directory.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(dir)?;
        Ok(write_main(&OsFileSystem, dir, &self.load()?)?)
    }
}
