//! The literals of one predicate as they come: subjects, and values by type.
//!
//! Values of types that have vectors are kept as such, texts end to end; all others as their text and the
//! place of their datatype or language. As long as all are of one type, no more is kept of a literal than its
//! subject and its value.

use trimorph_rdf::LiteralRef;
use trimorph_store::bulk::as_integer;
use trimorph_types::rdf::names::xsd;
use trimorph_types::{LogicalType, Value};

use super::refused::Refused;

/// Most datatypes and languages that the literals of one predicate have: they are searched one by one.
const KINDS_MAX: usize = 1_000;

/// Texts, end to end.
#[derive(Default)]
pub(super) struct TextList {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl TextList {
    fn push(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(self.bytes.len() as u64);
    }

    pub(super) fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }
}

/// The values of one type.
enum Stored {
    Integers(LogicalType, Vec<i64>),
    Floats(Vec<f64>),
    Texts(TextList),
    /// Texts and the places of their kinds.
    Others(TextList, Vec<u16>),
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
    pub(super) subjects: Vec<u32>,
    stores: Vec<Stored>,
    /// The store of each, and its place there; empty while there is one store.
    places: Vec<(u8, u32)>,
    kinds: Vec<Kind>,
}

impl Literals {
    pub(super) fn len(&self) -> usize {
        self.subjects.len()
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
                    || Stored::Integers(ty, Vec::new()),
                );
                if let Stored::Integers(_, all) = &mut self.stores[store] {
                    all.push(number);
                }
                store
            }
            (Value::Float(number), _) => {
                let store =
                    self.store(|stored| matches!(stored, Stored::Floats(_)), || Stored::Floats(Vec::new()));
                if let Stored::Floats(all) = &mut self.stores[store] {
                    all.push(*number);
                }
                store
            }
            _ => {
                let kind = self.kind(literal)?;
                let store = self.store(
                    |stored| matches!(stored, Stored::Others(..)),
                    || Stored::Others(TextList::default(), Vec::new()),
                );
                if let Stored::Others(texts, kinds) = &mut self.stores[store] {
                    texts.push(literal.lexical);
                    kinds.push(kind);
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
            self.places = (0..self.subjects.len()).map(|i| (0, i as u32)).collect();
        }
        self.stores.push(make());
        self.stores.len() - 1
    }

    fn end(&mut self, subject: u32, store: usize) {
        if self.stores.len() > 1 {
            let len = match &self.stores[store] {
                Stored::Integers(_, all) => all.len(),
                Stored::Floats(all) => all.len(),
                Stored::Texts(texts) | Stored::Others(texts, _) => texts.ends.len(),
            };
            self.places.push((store as u8, (len - 1) as u32));
        }
        self.subjects.push(subject);
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
        match self.places.get(i) {
            Some((store, place)) => (usize::from(*store), *place as usize),
            None => (0, i),
        }
    }

    /// A literal's value as it is kept: two are the same literal exactly if these are the same.
    pub(super) fn kept(&self, i: usize) -> Kept<'_> {
        let (store, place) = self.place(i);
        match &self.stores[store] {
            Stored::Integers(ty, all) => Kept::Integer(*ty, all[place]),
            Stored::Floats(all) => Kept::Float(all[place].to_bits()),
            Stored::Texts(texts) => Kept::Text(texts.get(place)),
            Stored::Others(texts, kinds) => Kept::Other(texts.get(place), kinds[place]),
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

    /// Bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        let texts = |texts: &TextList| texts.bytes.capacity() + texts.ends.capacity() * 8;
        let stores = self.stores.iter().map(|stored| match stored {
            Stored::Integers(_, all) => all.capacity() * 8,
            Stored::Floats(all) => all.capacity() * 8,
            Stored::Texts(all) => texts(all),
            Stored::Others(all, kinds) => texts(all) + kinds.capacity() * 2,
        });
        stores.sum::<usize>() + self.subjects.capacity() * 4 + self.places.capacity() * 8
    }
}
