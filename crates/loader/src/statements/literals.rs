//! The literals of one predicate as they come: subjects, and values by type.
//!
//! Values of types that have vectors are kept as such, numbers packed and texts end to end; all others as
//! their text and the place of their datatype or language. As long as all are of one type, no more is kept of
//! a literal than its subject and its value.

use trimorph_rdf::LiteralRef;
use trimorph_store::bulk::{PackedNumbers, as_integer};
use trimorph_types::rdf::names::xsd;
use trimorph_types::{LogicalType, Value};

use super::refused::Refused;
use super::text_blocks::{Place, TextBlocks};

/// Most datatypes and languages that the literals of one predicate have: they are searched one by one.
const KINDS_MAX: usize = 1_000;

/// Texts of a group of a [`TextList`].
const GROUP: usize = 1 << 8;

/// Texts, end to end.
#[derive(Default)]
pub(super) struct TextList {
    /// The group that is not full.
    open: Vec<u8>,
    full: TextBlocks,
    /// Where each full group begins.
    places: Vec<Place>,
    /// Where each text ends in its group.
    ends: PackedNumbers,
}

impl TextList {
    fn push(&mut self, text: &str) {
        self.open.extend_from_slice(text.as_bytes());
        self.ends.push(self.open.len() as i64);
        if self.ends.len().is_multiple_of(GROUP) {
            self.places.push(self.full.put(&self.open));
            self.open.clear();
        }
    }

    pub(super) fn get(&self, i: usize) -> &[u8] {
        let bytes = self.places.get(i / GROUP).map_or(&self.open[..], |place| self.full.from(*place));
        let start = if i.is_multiple_of(GROUP) { 0 } else { self.ends.get(i - 1) as usize };
        &bytes[start..self.ends.get(i) as usize]
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn bytes(&self) -> usize {
        self.full.bytes() + self.open.capacity() + self.ends.bytes()
    }
}

/// The values of one type.
enum Stored {
    Integers(LogicalType, PackedNumbers),
    /// Their bits.
    Floats(PackedNumbers),
    Texts(TextList),
    /// Texts and the places of their kinds.
    Others(TextList, PackedNumbers),
}

/// What a literal is besides its text.
struct Kind {
    datatype: Box<str>,
    language: Option<Box<str>>,
    direction: Option<&'static str>,
}

impl Kind {
    fn is(&self, literal: &LiteralRef<'_>) -> bool {
        *self.datatype == *literal.datatype
            && self.language.as_deref() == literal.language
            && self.direction == literal.direction
    }
}

/// A value as it is kept.
#[derive(PartialEq)]
pub(super) enum Kept<'a> {
    Integer(LogicalType, i64),
    /// The bits of a float.
    Float(u64),
    Text(&'a [u8]),
    /// Text and kind.
    Other(&'a [u8], u16),
}

/// Literals with their subjects, in the order in which they came.
#[derive(Default)]
pub(super) struct Literals {
    pub(super) subjects: PackedNumbers,
    stores: Vec<Stored>,
    /// The store of each; none while there is one store.
    store_of: PackedNumbers,
    /// The place of each in its store.
    places: PackedNumbers,
    kinds: Vec<Kind>,
}

impl Literals {
    pub(super) fn len(&self) -> usize {
        self.subjects.len()
    }

    /// The subject of a literal.
    pub(super) fn subject(&self, i: usize) -> u32 {
        // What was packed was a number of 32 bits.
        self.subjects.get(i) as u32
    }

    /// Adds one.
    ///
    /// **Errors**: more datatypes and languages than one predicate has in its right mind.
    pub(super) fn push(&mut self, subject: u32, literal: &LiteralRef<'_>) -> Result<(), Refused> {
        if literal.language.is_none() && literal.datatype == xsd::STRING {
            let store = self
                .store(|stored| matches!(stored, Stored::Texts(_)), || Stored::Texts(TextList::default()));
            if let Stored::Texts(texts) = &mut self.stores[store] {
                texts.push(literal.lexical);
            }
            self.end(subject, store);
            return Ok(());
        }
        // Only these datatypes have values that vectors hold.
        let value = if literal.language.is_none() { literal.value() } else { Value::Null };
        let ty = value.logical_type();
        let store = match (&value, as_integer(ty, &value)) {
            (_, Some(number)) => {
                let store = self.store(
                    |stored| matches!(stored, Stored::Integers(of, _) if *of == ty),
                    || Stored::Integers(ty, PackedNumbers::default()),
                );
                if let Stored::Integers(_, all) = &mut self.stores[store] {
                    all.push(number);
                }
                store
            }
            (Value::Float(number), _) => {
                let store = self.store(
                    |stored| matches!(stored, Stored::Floats(_)),
                    || Stored::Floats(PackedNumbers::default()),
                );
                if let Stored::Floats(all) = &mut self.stores[store] {
                    all.push(number.to_bits().cast_signed());
                }
                store
            }
            _ => {
                let kind = self.kind(literal)?;
                let store = self.store(
                    |stored| matches!(stored, Stored::Others(..)),
                    || Stored::Others(TextList::default(), PackedNumbers::default()),
                );
                if let Stored::Others(texts, kinds) = &mut self.stores[store] {
                    texts.push(literal.lexical);
                    kinds.push(kind.into());
                }
                store
            }
        };
        self.end(subject, store);
        Ok(())
    }

    /// The place of the store for which this holds; it is made if there is none.
    fn store(&mut self, is: impl Fn(&Stored) -> bool, make: impl FnOnce() -> Stored) -> usize {
        if let Some(at) = self.stores.iter().position(is) {
            return at;
        }
        if self.stores.len() == 1 {
            (0..self.subjects.len() as i64).for_each(|i| {
                self.store_of.push(0);
                self.places.push(i);
            });
        }
        self.stores.push(make());
        self.stores.len() - 1
    }

    fn end(&mut self, subject: u32, store: usize) {
        if self.stores.len() > 1 {
            let len = match &self.stores[store] {
                Stored::Integers(_, all) | Stored::Floats(all) => all.len(),
                Stored::Texts(texts) | Stored::Others(texts, _) => texts.len(),
            };
            self.store_of.push(store as i64);
            self.places.push(len as i64 - 1);
        }
        self.subjects.push(subject.into());
    }

    fn kind(&mut self, literal: &LiteralRef<'_>) -> Result<u16, Refused> {
        // The last one that was new is asked first.
        let found = self.kinds.iter().rposition(|kind| kind.is(literal));
        if found.is_none() && self.kinds.len() >= KINDS_MAX {
            return Err(Refused::Unfit);
        }
        let at = found.unwrap_or_else(|| {
            self.kinds.push(Kind {
                datatype: literal.datatype.into(),
                language: literal.language.map(Into::into),
                direction: literal.direction,
            });
            self.kinds.len() - 1
        });
        Ok(at as u16)
    }

    /// The store of a literal, and its place there.
    fn place(&self, i: usize) -> (usize, usize) {
        match self.stores.len() {
            0 | 1 => (0, i),
            _ => (self.store_of.get(i) as usize, self.places.get(i) as usize),
        }
    }

    /// A literal's value as it is kept: two are the same literal exactly if these are the same.
    pub(super) fn kept(&self, i: usize) -> Kept<'_> {
        let (store, place) = self.place(i);
        match &self.stores[store] {
            Stored::Integers(ty, all) => Kept::Integer(*ty, all.get(place)),
            Stored::Floats(all) => Kept::Float(all.get(place).cast_unsigned()),
            Stored::Texts(texts) => Kept::Text(texts.get(place)),
            Stored::Others(texts, kinds) => Kept::Other(texts.get(place), kinds.get(place) as u16),
        }
    }

    /// The value of a literal of no type that has vectors.
    pub(super) fn other(&self, text: &[u8], kind: u16) -> Value {
        let kind = &self.kinds[usize::from(kind)];
        let literal = LiteralRef {
            lexical: std::str::from_utf8(text).unwrap_or_default(),
            datatype: &kind.datatype,
            language: kind.language.as_deref(),
            direction: kind.direction,
        };
        literal.value()
    }

    /// The value of a literal.
    pub(super) fn value(&self, i: usize) -> Value {
        match self.kept(i) {
            Kept::Integer(ty, number) => trimorph_store::bulk::of_integer(ty, number),
            Kept::Float(bits) => Value::Float(f64::from_bits(bits)),
            Kept::Text(text) => Value::string(std::str::from_utf8(text).unwrap_or_default()),
            Kept::Other(text, kind) => self.other(text, kind),
        }
    }

    /// The type of all, where it is one that has vectors.
    pub(super) fn only_type(&self) -> Option<LogicalType> {
        match &self.stores[..] {
            [Stored::Integers(ty, _)] => Some(*ty),
            [Stored::Floats(_)] => Some(LogicalType::Float),
            [Stored::Texts(_)] => Some(LogicalType::String),
            _ => None,
        }
    }

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let stores = self.stores.iter().map(|stored| match stored {
            Stored::Integers(_, all) | Stored::Floats(all) => all.bytes(),
            Stored::Texts(all) => all.bytes(),
            Stored::Others(all, kinds) => all.bytes() + kinds.bytes(),
        });
        stores.sum::<usize>() + self.subjects.bytes() + self.store_of.bytes() + self.places.bytes()
    }
}
