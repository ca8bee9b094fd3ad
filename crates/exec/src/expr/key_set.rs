//! The keys of a join's build side, as the scan of its probe side can ask for them: takes vectors of keys,
//! gives a set that has them all, and perhaps others.
//!
//! Who asks leaves rows out that no key equals; the join itself finds the others. So a set may say yes to
//! what it has not, and what cannot be asked stays in.
//!
//! Source: Virtuoso "Vectored Execution" (a hash join's Bloom filter in the probe's scan).

use std::hash::Hasher;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHasher;
use trimorph_base::{MemoryBudget, Reservation};
use trimorph_store::IntegerSet;
use trimorph_store::access::NodeSet;
use trimorph_types::LogicalType;
use trimorph_types::number::exact_int;
use trimorph_vector::{Values, Vector};

/// Keys beyond which there is no set, of 8 MiB then: one that leaves the caches takes as long to ask as the
/// table of the join.
const KEYS_MAX: usize = 1 << 22;

/// The keys of a build side.
#[derive(Debug)]
pub(crate) struct KeySet {
    kind: Kind,
    _held: Reservation,
}

#[derive(Debug)]
enum Kind {
    /// As columns of the type have them; whole numbers of any type as integers.
    Integers(LogicalType, IntegerSet),
    /// Hashes of texts.
    Texts(IntegerSet),
    Nodes(NodeSet),
}

/// What the build side leaves for the probe side, once it is built; none where there is no set.
pub(crate) type PassedKeys = Arc<OnceLock<Option<Arc<KeySet>>>>;

fn hash(text: &str) -> i64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish().cast_signed()
}

impl KeySet {
    /// What columns of a type are asked, where the keys are integers of that type.
    pub(crate) fn integers_of(&self, ty: LogicalType) -> Option<&IntegerSet> {
        match &self.kind {
            Kind::Integers(of, set) if *of == ty => Some(set),
            _ => None,
        }
    }

    /// Whether columns of this type can be asked.
    pub(crate) fn is_asked_of(&self, ty: LogicalType) -> bool {
        self.integers_of(ty).is_some() || (ty == LogicalType::String && matches!(self.kind, Kind::Texts(_)))
    }

    /// Whether a text may be a key.
    pub(crate) fn has_text(&self, text: &str) -> bool {
        matches!(&self.kind, Kind::Texts(hashes) if hashes.contains(hash(text)))
    }

    /// The keys, where they are nodes.
    pub(crate) fn nodes(&self) -> Option<&NodeSet> {
        match &self.kind {
            Kind::Nodes(nodes) => Some(nodes),
            _ => None,
        }
    }
}

/// Keys that are coming.
pub(crate) struct KeySetBuilder {
    coming: Coming,
    held: Reservation,
    /// Bytes that stay free for others: a set only makes faster what goes on without it.
    spare: usize,
}

enum Coming {
    Nothing,
    Integers(LogicalType, Vec<i64>),
    Texts(Vec<i64>),
    Nodes(NodeSet),
    /// They are too many, of several types, or of one that is not asked for.
    GivenUp,
}

impl KeySetBuilder {
    /// No keys yet. They are given up where fewer than `spare` bytes would stay free.
    pub(crate) fn new(budget: &MemoryBudget, spare: usize) -> Self {
        Self { coming: Coming::Nothing, held: budget.reservation(), spare }
    }

    /// Takes the keys at some positions, none of which joins nothing.
    pub(crate) fn add(&mut self, key: &Vector<'_>, positions: &[u32]) {
        let at = || positions.iter().map(|p| *p as usize);
        let ty = match key.logical_type() {
            // 1 = 1.0; what is not whole equals no integer.
            LogicalType::Float => LogicalType::Int,
            ty => ty,
        };
        if let Coming::Nothing = self.coming {
            self.coming = match &key.values {
                Values::Int(_) | Values::Float(_) | Values::Date(_) => Coming::Integers(ty, Vec::new()),
                Values::LocalTime(_) | Values::LocalDateTime(_) | Values::DateTime(_) => {
                    Coming::Integers(ty, Vec::new())
                }
                Values::String(_) => Coming::Texts(Vec::new()),
                Values::Node(_) => Coming::Nodes(NodeSet::default()),
                _ => Coming::GivenUp,
            };
        }
        let fits = match (&mut self.coming, &key.values) {
            (
                Coming::Integers(of, out),
                Values::Int(v) | Values::LocalTime(v) | Values::LocalDateTime(v) | Values::DateTime(v),
            ) if *of == ty => {
                out.extend(at().map(|i| v[i]));
                true
            }
            (Coming::Integers(of, out), Values::Date(v)) if *of == ty => {
                out.extend(at().map(|i| i64::from(v[i])));
                true
            }
            (Coming::Integers(of, out), Values::Float(v)) if *of == ty => {
                out.extend(at().filter_map(|i| exact_int(v[i])));
                true
            }
            (Coming::Texts(out), Values::String(v)) => {
                out.extend(at().map(|i| hash(v.get(i))));
                true
            }
            (Coming::Nodes(out), Values::Node(v)) => {
                at().for_each(|i| {
                    out.insert(v.id(i));
                });
                true
            }
            _ => false,
        };
        let (count, bytes) = match &self.coming {
            // The set itself takes up to 32 bytes a key.
            Coming::Integers(_, v) | Coming::Texts(v) => (v.len(), v.capacity() * 8 + v.len() * 32),
            Coming::Nodes(nodes) => (0, nodes.bytes()),
            Coming::Nothing | Coming::GivenUp => (0, 0),
        };
        if !fits || count > KEYS_MAX || self.held.resize_leaving(bytes, self.spare).is_err() {
            self.coming = Coming::GivenUp;
            let _ = self.held.resize(0);
        }
    }

    /// The set, if there is one.
    pub(crate) fn finish(mut self) -> Option<Arc<KeySet>> {
        let kind = match self.coming {
            Coming::Integers(ty, keys) => Kind::Integers(ty, IntegerSet::about(&keys)),
            Coming::Texts(hashes) => Kind::Texts(IntegerSet::about(&hashes)),
            Coming::Nodes(nodes) => Kind::Nodes(nodes),
            Coming::Nothing | Coming::GivenUp => return None,
        };
        let bytes = match &kind {
            Kind::Integers(_, set) | Kind::Texts(set) => set.bytes(),
            Kind::Nodes(nodes) => nodes.bytes(),
        };
        // The keys themselves are gone.
        let _ = self.held.resize(bytes.min(self.held.bytes()));
        Some(Arc::new(KeySet { kind, _held: self.held }))
    }
}
