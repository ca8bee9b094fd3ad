//! Lists of a segment as they are stored: those all of whose elements are of one type.

use trimorph_encoding::value_codec::{self, Tag};
use trimorph_encoding::{Packed, RankBits, pack};
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, Decoder, PieceWriter};

use super::dictionary;
use super::elements::Elements;
use super::format::type_code;
use super::stored_lists::{BLOCK_ELEMENTS, elements_max};
use super::writer::{ColumnWriter, Encoded, encode_floats, encode_ints, put_data, put_ints, put_rank};

/// Lists whose elements are of one type.
pub(super) struct EncodedLists {
    ends: Packed,
    element: LogicalType,
    len: usize,
    blocks: Vec<Block>,
}

/// Which elements are not null, where some are, and these.
struct Block {
    presence: Presence,
    data: Encoded,
}

enum Presence {
    All,
    None,
    Some(RankBits),
}

impl EncodedLists {
    /// Writes them behind the name of the encoding, and gives their bytes.
    pub(super) fn put(self, piece: &mut PieceWriter) -> usize {
        piece.meta.u8(type_code(self.element));
        piece.meta.u64(self.len as u64);
        let mut size = put_ints(self.ends, piece);
        for Block { presence, data } in self.blocks {
            match presence {
                Presence::All => piece.meta.u8(0),
                Presence::None => piece.meta.u8(1),
                Presence::Some(bits) => {
                    piece.meta.u8(2);
                    size += put_rank(&bits, piece);
                }
            }
            size += put_data(data, piece);
        }
        size
    }
}

/// The elements of general values that are all lists of one type, and where those of each end; `None` where
/// they are not, or all lists are empty.
fn elements_of<'b>(values: &[&'b [u8]]) -> Result<Option<(Elements<'b>, Vec<i64>)>, CodecError> {
    let (mut elements, mut ends) = (Elements::default(), Vec::with_capacity(values.len()));
    for bytes in values {
        let mut from = Decoder::new(bytes);
        if Tag::read(&mut from)? != Tag::List {
            return Ok(None);
        }
        for _ in 0..value_codec::count(&mut from)? {
            if !elements.read(&mut from, None, true)? {
                return Ok(None);
            }
        }
        ends.push(elements.len as i64);
    }
    Ok(elements.ty.map(|_| (elements, ends)))
}

impl ColumnWriter {
    /// General values as lists, if that is what they are.
    pub(super) fn encode_lists(&mut self, values: &[&[u8]]) -> Option<EncodedLists> {
        let (elements, ends) = elements_of(values).ok().flatten()?;
        let element = elements.ty?;
        let mut present = vec![true; elements.len];
        elements.nulls.iter().for_each(|i| present[*i as usize] = false);
        let (mut blocks, mut bytes) = (Vec::new(), 0);
        for (k, flags) in present.chunks(BLOCK_ELEMENTS).enumerate() {
            let from = k * BLOCK_ELEMENTS;
            let with_value = (from..from + flags.len()).filter(|i| present[*i]);
            let data = match element {
                LogicalType::Float => {
                    let floats: Vec<f64> = with_value.map(|i| elements.floats[i]).collect();
                    encode_floats(&floats)
                }
                LogicalType::String => {
                    let texts: Vec<&[u8]> = with_value.map(|i| elements.texts.get(i).as_bytes()).collect();
                    self.encode_elements(&texts)
                }
                _ => encode_ints(&with_value.map(|i| elements.ints[i]).collect::<Vec<i64>>()),
            };
            bytes += data.size();
            let presence = match flags.iter().filter(|present| **present).count() {
                0 => Presence::None,
                count if count == flags.len() => Presence::All,
                _ => Presence::Some(RankBits::new(flags)),
            };
            blocks.push(Block { presence, data });
        }
        let fits = elements.len <= elements_max(bytes);
        fits.then(|| EncodedLists { ends: pack(&ends), element, len: elements.len, blocks })
    }

    /// Texts of lists by the column's dictionary or FSST table, as texts of a column are.
    fn encode_elements(&mut self, texts: &[&[u8]]) -> Encoded {
        self.hashes.extend(texts.iter().map(|text| dictionary::hash(text)));
        let encoded = match self.encode_dictionary(texts, texts.iter().map(|text| text.len()).sum()) {
            Some(codes) => Encoded::Dictionary(pack(&codes)),
            None => {
                let mut bytes = Vec::new();
                let mut ends = Vec::with_capacity(texts.len());
                for text in texts {
                    bytes.extend_from_slice(text);
                    ends.push(bytes.len() as i64);
                }
                self.encode_heap(&bytes, &ends, texts)
            }
        };
        self.hashes.clear();
        encoded
    }
}
