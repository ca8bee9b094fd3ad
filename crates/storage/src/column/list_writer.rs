//! Lists of a segment as they are stored: those all of whose elements are of one type.

use trimorph_encoding::value_codec::{self, Tag};
use trimorph_encoding::{RankBits, pack};
use trimorph_types::LogicalType;
use trimorph_vfs::{CodecError, Decoder};

use super::data::{BLOCK_ELEMENTS, elements_max};
use super::dictionary;
use super::elements::Elements;
use super::encoded::{Block, Encoded, EncodedLists, Flags, encode_floats, encode_ints};
use super::writer::ColumnWriter;

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
            if !elements.read(&mut from, true)? {
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
                0 => Flags::None,
                count if count == flags.len() => Flags::All,
                _ => Flags::Some(RankBits::new(flags)),
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
