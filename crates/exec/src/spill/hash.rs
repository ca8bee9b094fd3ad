//! The hash of a row's key: the same for equivalent keys, whatever form they come in.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use trimorph_types::Value;
use trimorph_vector::{Values, Vector};

use crate::keys::{cell_key, encode, fixed_bits};

/// Mixes a word in so that all bits of the result depend on all of both.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    // The finaliser of MurmurHash3.
    let mut h = hash.rotate_left(29) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

fn of_bytes(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

/// The hashes of the keys at `positions`.
pub(crate) fn hashes(keys: &[&Vector<'_>], positions: &[u32], out: &mut Vec<u64>) {
    out.clear();
    out.resize(positions.len(), 0);
    let (mut bits, mut bytes) = (Vec::new(), Vec::new());
    for key in keys {
        if let Some(tag) = fixed_bits(key, positions, &mut bits) {
            out.iter_mut().zip(&bits).for_each(|(h, b)| *h = mix(mix(*h, tag.into()), *b));
            continue;
        }
        if let Values::String(texts) = &key.values
            && let Some((codes, entries)) = texts.codes()
            && entries.len() <= positions.len()
        {
            // An entry of a dictionary is hashed once.
            let words: Vec<u64> = entries.iter().map(|entry| of_bytes(entry.as_bytes())).collect();
            for (hash, p) in out.iter_mut().zip(positions) {
                let i = *p as usize;
                *hash = match cell_key(key, i) {
                    Some((tag, bits)) => mix(mix(*hash, tag.into()), bits),
                    None => mix(*hash, words[codes[i] as usize]),
                };
            }
            continue;
        }
        for (hash, p) in out.iter_mut().zip(positions) {
            let i = *p as usize;
            if let Some((tag, bits)) = cell_key(key, i) {
                *hash = mix(mix(*hash, tag.into()), bits);
                continue;
            }
            let word = match &key.values {
                Values::String(texts) => of_bytes(texts.get(i).as_bytes()),
                Values::Any(values) if let Value::String(text) = &values[i] => of_bytes(text.as_bytes()),
                _ => {
                    bytes.clear();
                    encode(key, i, &mut bytes);
                    of_bytes(&bytes)
                }
            };
            *hash = mix(*hash, word);
        }
    }
}
