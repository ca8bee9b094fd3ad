//! Strings: bytes end to end with packed end offsets, plain or compressed by a table of frequent substrings
//! (FSST).
//!
//! FSST codes are one byte for a symbol of up to 8 bytes; code 255 escapes the byte that follows. A single
//! string is decoded on its own, in time proportional to its length.
//!
//! Source: Boncz, Neumann, Leis: FSST, PVLDB 13(11), 2020; crate `fsst-rs` trains and compresses.

use std::cmp::Ordering;

use fsst::Compressor;
use trimorph_vector::{Room, Symbols};

use crate::PackedView;

const ESCAPE: u8 = 255;

/// The symbols of one column, as stored: 255 × 8 bytes, then 255 lengths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsstTable {
    /// By code; that of the escape has no bytes.
    symbols: Symbols,
}

/// The most bytes that a compressed byte stands for.
const SYMBOL_BYTES_MAX: usize = 8;

impl FsstTable {
    /// Bytes of the stored form.
    pub const BYTES: usize = 255 * 9;

    /// The stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let all = || (0..ESCAPE).map(|code| self.symbols.get(code));
        let mut out: Vec<u8> = all().flat_map(|(symbol, _)| symbol.to_le_bytes()).collect();
        // At most 8.
        out.extend(all().map(|(_, len)| len as u8));
        out
    }

    /// From the stored form; `None` if it is not one.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (symbol_bytes, length_bytes) = bytes.split_at_checked(255 * 8)?;
        if bytes.len() != Self::BYTES {
            return None;
        }
        let (mut symbols, mut lengths) = ([0; 256], [0; 256]);
        for (symbol, stored) in symbols.iter_mut().zip(symbol_bytes.as_chunks().0) {
            *symbol = u64::from_le_bytes(*stored);
        }
        lengths[..255].copy_from_slice(length_bytes);
        Some(Self { symbols: Symbols::new(symbols, lengths)? })
    }

    /// The bytes that a code stands for.
    #[inline]
    fn symbol(&self, code: u8) -> ([u8; 8], usize) {
        let (symbol, len) = self.symbols.get(code);
        (symbol.to_le_bytes(), len)
    }

    /// The room that [`Self::decode_into`] needs for so many compressed bytes.
    #[inline]
    pub fn room(compressed: usize) -> usize {
        // Eight bytes are stored whatever the length of the last symbol.
        (compressed + 1) * SYMBOL_BYTES_MAX
    }

    /// Writes the decoded form of `compressed`. **Cost**: a look-up and a store of eight bytes a code, eight
    /// codes at once where none of them is an escape.
    #[inline]
    pub fn decode_into(&self, compressed: &[u8], room: &mut Room<'_>) {
        let mut rest = compressed;
        while let Some((codes, tail)) = rest.split_first_chunk::<8>() {
            if !has_escape(*codes) && room.push_coded(&self.symbols, *codes, 8) {
                rest = tail;
            } else {
                rest = &rest[self.decode_one(rest, room)..];
            }
        }
        // The last codes by a load that ends with them.
        if let Some(last) = compressed.last_chunk::<8>().filter(|_| !rest.is_empty()) {
            let codes = (u64::from_le_bytes(*last) >> (64 - rest.len() * 8)).to_le_bytes();
            if !has_escape(codes) && room.push_coded(&self.symbols, codes, rest.len()) {
                return;
            }
        }
        while !rest.is_empty() {
            rest = &rest[self.decode_one(rest, room)..];
        }
    }

    /// Writes what the first code of some stands for, and gives how many bytes the code takes.
    #[inline(always)]
    fn decode_one(&self, codes: &[u8], room: &mut Room<'_>) -> usize {
        match codes {
            [ESCAPE, byte, ..] => {
                room.push_symbol((*byte).into(), 1);
                2
            }
            // An escape at the end stands for nothing: its length is 0.
            [code, ..] => {
                let (symbol, len) = self.symbols.get(*code);
                room.push_symbol(symbol, len);
                1
            }
            [] => 0,
        }
    }

    /// Appends the decoded form of `compressed` to `out`.
    pub fn decode(&self, compressed: &[u8], out: &mut Vec<u8>) {
        let mut codes = compressed.iter();
        while let Some(&code) = codes.next() {
            if code == ESCAPE {
                out.extend(codes.next());
            } else {
                let (symbol, len) = self.symbol(code);
                out.extend_from_slice(&symbol[..len]);
            }
        }
    }
}

/// The bit of a byte among 8 at most; 0 if it is not among them.
fn bit_of(bytes: &[u8], byte: u8) -> u8 {
    bytes.iter().take(8).position(|own| *own == byte).map_or(0, |place| 1 << place)
}

/// Whether one of eight codes is an escape.
#[inline(always)]
fn has_escape(codes: [u8; 8]) -> bool {
    // A byte of the complement is 0 where the code is 255; the test for such a byte is exact.
    let free = !u64::from_le_bytes(codes);
    free.wrapping_sub(0x0101_0101_0101_0101) & !free & 0x8080_8080_8080_8080 != 0
}

impl FsstTable {
    /// Whether `compressed` decodes to `text`, found out at the first symbol that differs.
    pub fn decodes_to(&self, compressed: &[u8], text: &[u8]) -> bool {
        self.rest_of(compressed, text).is_some_and(|rest| rest == (0, 0))
    }

    /// Whether what `compressed` decodes to starts with `prefix`, found out at the first symbol that differs.
    pub fn decodes_to_start(&self, compressed: &[u8], prefix: &[u8]) -> bool {
        self.rest_of(compressed, prefix).is_some_and(|(_, rest)| rest == 0)
    }

    /// How many characters each code stands for the beginning of, by code: what [`Self::chars`] adds up.
    pub fn chars_by_code(&self) -> [u8; 256] {
        std::array::from_fn(|code| {
            let (symbol, len) = self.symbol(u8::try_from(code).unwrap_or(ESCAPE));
            // At most 8.
            symbol[..len].iter().filter(|byte| starts_char(**byte)).count() as u8
        })
    }

    /// How many characters `compressed` decodes to, which is UTF-8: the bytes that begin one.
    pub fn chars(by_code: &[u8; 256], compressed: &[u8]) -> usize {
        let (mut rest, mut count) = (compressed, 0);
        loop {
            while let Some((codes, tail)) = rest.split_first_chunk::<8>()
                && !has_escape(*codes)
            {
                count += codes.iter().map(|code| usize::from(by_code[usize::from(*code)])).sum::<usize>();
                rest = tail;
            }
            // To the next escape, or the end.
            (count, rest) = match rest {
                [] => return count,
                [ESCAPE, byte, tail @ ..] => (count + usize::from(starts_char(*byte)), tail),
                [ESCAPE] => return count,
                [code, tail @ ..] => (count + usize::from(by_code[usize::from(*code)]), tail),
            };
        }
    }

    /// Which of some bytes, 8 at most, the symbol of each code has, a bit each: what [`Self::bytes_in`] asks.
    pub fn bytes_by_code(&self, bytes: &[u8]) -> [u8; 256] {
        let mut bits = [0; 256];
        bytes.iter().for_each(|byte| bits[usize::from(*byte)] = bit_of(bytes, *byte));
        std::array::from_fn(|code| {
            let (symbol, len) = self.symbol(u8::try_from(code).unwrap_or(ESCAPE));
            symbol[..len].iter().fold(0, |found, byte| found | bits[usize::from(*byte)])
        })
    }

    /// Which of `bytes`, at most eight, are in what `compressed` decodes to, a bit each. **Cost**: a load a
    /// code, until all are found.
    pub fn bytes_in(by_code: &[u8; 256], bytes: &[u8], compressed: &[u8]) -> u8 {
        let (mut rest, mut found) = (compressed, 0);
        let all = u8::MAX.unbounded_shr(8 - bytes.len().min(8) as u32);
        loop {
            while let Some((codes, tail)) = rest.split_first_chunk::<8>()
                && !has_escape(*codes)
            {
                found |= codes.iter().fold(0, |found, code| found | by_code[usize::from(*code)]);
                if found == all {
                    return found;
                }
                rest = tail;
            }
            // To the next escape, or the end.
            (found, rest) = match rest {
                [] => return found,
                [ESCAPE, byte, tail @ ..] => (found | bit_of(bytes, *byte), tail),
                [ESCAPE] => return found,
                [code, tail @ ..] => (found | by_code[usize::from(*code)], tail),
            };
        }
    }

    /// How what `compressed` decodes to compares with `text`, found out at the first symbol that differs.
    pub fn compare(&self, compressed: &[u8], text: &[u8]) -> Ordering {
        let (mut rest, mut codes) = (text, compressed.iter());
        while let Some(&code) = codes.next() {
            let (symbol, len) = self.next_symbol(code, &mut codes);
            match agreeing(symbol, len, rest) {
                same if same == len => rest = &rest[len..],
                // Where the text is at its end, the symbol goes on.
                same => {
                    let byte = symbol.to_le_bytes()[same.min(7)];
                    return rest.get(same).map_or(Ordering::Greater, |other| byte.cmp(other));
                }
            }
        }
        if rest.is_empty() { Ordering::Equal } else { Ordering::Less }
    }

    /// What a code stands for; `codes` are those after it.
    #[inline(always)]
    fn next_symbol(&self, code: u8, codes: &mut std::slice::Iter<'_, u8>) -> (u64, usize) {
        match code {
            // An escape at the end stands for nothing.
            ESCAPE => codes.next().map_or((0, 0), |byte| (u64::from(*byte), 1)),
            code => self.symbols.get(code),
        }
    }

    /// Goes through both while they agree, to the end of one of them: bytes that are left of what is decoded
    /// (of its last symbol and of what is compressed) and of `text`. `None` where they differ.
    fn rest_of(&self, compressed: &[u8], text: &[u8]) -> Option<(usize, usize)> {
        let mut rest = text;
        let mut codes = compressed.iter();
        while !rest.is_empty() {
            let Some(&code) = codes.next() else { break };
            let (symbol, len) = self.next_symbol(code, &mut codes);
            match agreeing(symbol, len, rest) {
                same if same == len => rest = &rest[len..],
                same => return (same == rest.len()).then(|| (len - same, 0)),
            }
        }
        // Symbols of no bytes, and an escape at the end, are nothing.
        let mut left = 0;
        while let Some(&code) = codes.next() {
            left += if code == ESCAPE { usize::from(codes.next().is_some()) } else { self.symbol(code).1 };
            if left > 0 {
                break;
            }
        }
        Some((left, rest.len()))
    }
}

/// Whether a byte of UTF-8 is the first of a character.
fn starts_char(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

/// How many bytes of a symbol of `len` agree with the first of a text, by one comparison of eight.
#[inline(always)]
fn agreeing(symbol: u64, len: usize, text: &[u8]) -> usize {
    let first = match text.first_chunk::<8>() {
        Some(first) => *first,
        None => {
            let mut first = [0; 8];
            first[..text.len()].copy_from_slice(text);
            first
        }
    };
    let differing = symbol ^ u64::from_le_bytes(first);
    // At most 8; where nothing differs, 8.
    (differing.trailing_zeros() as usize / 8).min(len).min(text.len())
}

/// Compresses with a table that is there already: greedily, by the longest symbol. Any table will do, a
/// forged one too.
#[derive(Debug)]
pub struct FsstEncoder {
    /// The symbols by their first bytes, the longest first.
    symbols: Vec<Vec<Symbol>>,
}

/// A symbol as it is compared with the next bytes of a text: as a word.
#[derive(Clone, Copy, Debug)]
struct Symbol {
    word: u64,
    /// Which bits of a word are its.
    mask: u64,
    len: usize,
    code: u8,
}

impl FsstEncoder {
    /// For a table. **Cost**: a sort of its 255 symbols.
    pub fn new(table: &FsstTable) -> Self {
        let mut symbols = vec![Vec::new(); 256];
        for code in 0..ESCAPE {
            let (bytes, len) = table.symbol(code);
            if len > 0 {
                let mask = u64::MAX >> (64 - 8 * len);
                let word = u64::from_le_bytes(bytes) & mask;
                symbols[usize::from(bytes[0])].push(Symbol { word, mask, len, code });
            }
        }
        for same in &mut symbols {
            same.sort_by_key(|symbol: &Symbol| std::cmp::Reverse(symbol.len));
        }
        Self { symbols }
    }

    /// Appends the compressed form of `text` to `out`.
    pub fn encode(&self, text: &[u8], out: &mut Vec<u8>) {
        let mut rest = text;
        while let Some((first, tail)) = rest.split_first() {
            let word = rest.first_chunk().map_or_else(|| last_word(rest), |next| u64::from_le_bytes(*next));
            let starts =
                |symbol: &&Symbol| (word ^ symbol.word) & symbol.mask == 0 && symbol.len <= rest.len();
            match self.symbols[usize::from(*first)].iter().find(starts) {
                Some(symbol) => {
                    out.push(symbol.code);
                    rest = &rest[symbol.len..];
                }
                None => {
                    out.extend([ESCAPE, *first]);
                    rest = tail;
                }
            }
        }
    }
}

/// The last bytes of a text, fewer than eight, as a word.
fn last_word(rest: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = rest.len().min(bytes.len());
    bytes[..len].copy_from_slice(&rest[..len]);
    u64::from_le_bytes(bytes)
}

/// Trains on a sample and gives the table with a compressor for it.
pub fn train_fsst(sample: &[&[u8]]) -> (FsstTable, Compressor) {
    let compressor = Compressor::train(&sample.to_vec());
    let (mut symbols, mut lengths) = ([0; 256], [0; 256]);
    for (to, symbol) in symbols[..255].iter_mut().zip(compressor.symbol_table()) {
        *to = symbol.to_u64();
    }
    for (to, length) in lengths[..255].iter_mut().zip(compressor.symbol_lengths()) {
        // A symbol is a word of eight bytes.
        *to = (*length).min(8);
    }
    let symbols = Symbols::new(symbols, lengths);
    (FsstTable { symbols: symbols.unwrap_or_else(Symbols::empty) }, compressor)
}

/// Texts compressed at a time: in and out they fit the second cache, and the room set aside for the worst
/// case stays small.
const COMPRESS_BYTES: usize = 1 << 18;

/// The compressed forms of texts end to end, and where each ends.
///
/// **Cost**: four texts side by side, since within one a code tells where the next begins.
pub fn compress_fsst(compressor: &Compressor, texts: &[&[u8]]) -> (Vec<u8>, Vec<i64>) {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    let (mut out, mut ends) = (Vec::with_capacity(total / 2), Vec::with_capacity(texts.len()));
    let mut rest = texts;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fit = rest.iter().take_while(|text| {
            bytes += text.len();
            bytes <= COMPRESS_BYTES
        });
        let (now, later) = rest.split_at(fit.count().max(1));
        compressor.compress_bulk_into::<{ Compressor::DEFAULT_BULK_LANES }>(now, &mut out, &mut ends);
        rest = later;
    }
    (out, ends.into_iter().map(u64::cast_signed).collect())
}

/// Strings read in place: string `i` is `bytes[end[i-1]..end[i]]`.
#[derive(Clone, Copy, Debug)]
pub struct StringsView<'a> {
    /// One past the last byte of each string.
    pub ends: PackedView<'a>,
    /// All strings, end to end.
    pub bytes: &'a [u8],
}

impl<'a> StringsView<'a> {
    /// The bytes of string `i`; empty if the offsets are not within the bytes.
    #[inline]
    pub fn get(&self, i: usize) -> &'a [u8] {
        let start = if i == 0 { 0 } else { self.ends.get(i - 1) };
        let range =
            usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(self.ends.get(i)).unwrap_or(0);
        self.bytes.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use trimorph_vector::Texts;

    use super::*;

    #[test]
    fn decodes_what_it_compressed() {
        let texts: Vec<String> =
            (0..2000).map(|i| format!("About Adolf Hitler, number {i} of the house — ü")).collect();
        let sample: Vec<&[u8]> = texts.iter().map(|t| t.as_bytes()).collect();
        let (table, compressor) = train_fsst(&sample);
        let table = FsstTable::from_bytes(&table.to_bytes()).unwrap();
        let (bulk, ends) = compress_fsst(&compressor, &sample);
        let mut start = 0;
        for (text, end) in sample.iter().zip(ends) {
            let end = usize::try_from(end).unwrap();
            assert_eq!(bulk[start..end], compressor.compress(text));
            start = end;
        }
        assert_eq!(compress_fsst(&compressor, &[]), (Vec::new(), Vec::new()));
        let mut total = 0;
        for text in texts.iter().map(String::as_str).chain(["", "zzz", "\u{1F600}"]) {
            let compressed = compressor.compress(text.as_bytes());
            total += compressed.len();
            let mut out = Vec::new();
            table.decode(&compressed, &mut out);
            assert_eq!(out, text.as_bytes());
            let mut texts = Texts::blank(1);
            texts.set_with(0, FsstTable::room(compressed.len()), |room| table.decode_into(&compressed, room));
            assert_eq!(texts.get(0), text);
            assert!(table.decodes_to(&compressed, text.as_bytes()));
            assert_eq!(FsstTable::chars(&table.chars_by_code(), &compressed), text.chars().count());
            for bytes in [&b"A"[..], b"zq7", b"\xf0\x9f", b"Aabdlmnr", b""] {
                let found = FsstTable::bytes_in(&table.bytes_by_code(bytes), bytes, &compressed);
                for (place, byte) in bytes.iter().enumerate() {
                    assert_eq!(found >> place & 1 == 1, text.as_bytes().contains(byte), "{text} {byte}");
                }
            }
            for other in
                ["", "About", "About Adolf Hitler, number 7", "Zoo", "About Adolf\0", "\u{1F600}x", text]
            {
                let order = table.compare(&compressed, other.as_bytes());
                assert_eq!(order, text.cmp(other), "{text} {other}");
                let start = table.decodes_to_start(&compressed, other.as_bytes());
                assert_eq!(start, text.starts_with(other), "{text} {other}");
            }
            assert!(!table.decodes_to(&compressed, format!("{text}!").as_bytes()));
            for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                assert!(table.decodes_to_start(&compressed, &text.as_bytes()[..end]));
                assert_eq!(table.decodes_to(&compressed, &text.as_bytes()[..end]), end == text.len());
                assert!(!table.decodes_to_start(&compressed, format!("{}\u{1}", &text[..end]).as_bytes()));
            }
            assert_eq!(table.decodes_to(&compressed, b"zzz"), text == "zzz");
            let (mut own, mut out) = (Vec::new(), Vec::new());
            FsstEncoder::new(&table).encode(text.as_bytes(), &mut own);
            table.decode(&own, &mut out);
            assert!(out == text.as_bytes() && own.len() <= compressed.len() * 5 / 4 + 2);
        }
        assert!(total * 2 < texts.iter().map(String::len).sum());
    }

    /// Of symbols that begin a text the longest is taken, also at the end of the text and with zeros in it.
    #[test]
    fn encodes_by_the_longest_symbol() {
        let mut random = trimorph_base::Random::new(5);
        for _ in 0..300 {
            let byte = |random: &mut trimorph_base::Random| b"\0\0ab\xff"[random.below(5)];
            let (mut symbols, mut lengths) = ([0; 256], [0; 256]);
            for code in 0..random.below(256) {
                let len = 1 + random.below(8);
                let bytes: Vec<u8> = (0..len).map(|_| byte(&mut random)).collect();
                (symbols[code], lengths[code]) = (last_word(&bytes), len as u8);
            }
            let table = FsstTable { symbols: Symbols::new(symbols, lengths).unwrap() };
            let encoder = FsstEncoder::new(&table);
            for len in 0..20 {
                let text: Vec<u8> = (0..len).map(|_| byte(&mut random)).collect();
                let (mut compressed, mut out, mut at) = (Vec::new(), Vec::new(), 0);
                encoder.encode(&text, &mut compressed);
                table.decode(&compressed, &mut out);
                assert_eq!(out, text);
                let mut codes = compressed.iter();
                while let Some(code) = codes.next() {
                    let rest = &text[at..];
                    let fits = (0..ESCAPE).map(|code| table.symbol(code));
                    let longest =
                        fits.filter(|(s, len)| rest.starts_with(&s[..*len])).map(|(_, len)| len).max();
                    let longest = longest.filter(|len| *len > 0);
                    let taken =
                        if *code == ESCAPE { codes.next().and(None) } else { Some(table.symbol(*code).1) };
                    assert_eq!(taken, longest);
                    at += taken.unwrap_or(1);
                }
                assert_eq!(at, len);
            }
        }
    }
}
