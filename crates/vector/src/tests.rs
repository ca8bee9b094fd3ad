//! Vectors, masks, selections and groups by themselves.

use std::sync::Arc;

use trimorph_base::{EdgeId, EdgePlaces, EdgeTableId, NodeId, TableId};
use trimorph_types::{LogicalType, Value};

use crate::{
    Chosen, Chunk, Dictionary, Edges, Group, Nodes, Nulls, PageStarts, Positions, Selection, Symbols, Texts,
    Values, Vector,
};

const TABLE: TableId = TableId(3);

fn nulls(positions: &[usize], len: usize) -> Nulls {
    let mut out = Nulls::NONE;
    positions.iter().for_each(|i| out.set(*i, len));
    out
}

fn listed(mask: &Nulls, len: usize) -> Vec<usize> {
    (0..len).filter(|i| mask.get(*i)).collect()
}

/// The values of a vector, as text: nulls equal each other there.
fn shown(vector: &Vector<'_>, len: usize) -> String {
    let value = |i| vector.value(i, &|edge| Value::Int(edge.0.cast_signed()));
    (0..len).map(|i| format!("{:?} ", value(i))).collect()
}

#[test]
fn masks() {
    for (first, bits, expected) in [
        (0, 0b101, &[0, 2][..]),
        (60, 0b1_0001, &[60, 64]),
        (64, 1 << 63, &[127]),
        (130, 0b11, &[130, 131]),
        (5, 0, &[]),
    ] {
        let mut mask = Nulls::NONE;
        mask.set_run(first, bits, 10);
        assert_eq!(listed(&mask, 200), expected, "{first} {bits:b}");
        assert_eq!(mask.is_none(), expected.is_empty());
    }
    let (a, b) = (nulls(&[1, 70], 80), nulls(&[2, 70], 71));
    assert_eq!(listed(&a.union(&b, 80), 80), [1, 2, 70]);
    assert_eq!(listed(&a.union(&Nulls::NONE, 80), 80), [1, 70]);
    assert_eq!(listed(&a.gather(&[70, 0, 1, 1]), 4), [0, 2, 3]);
    assert!(Nulls::NONE.gather(&[5]).is_none());
    assert_eq!(listed(&Nulls::all(65), 65).len(), 65);
    assert!(!nulls(&[1], 2).get(1_000), "what no word covers is not null");
}

#[test]
fn selections() {
    for (before, keep, after) in [
        (Selection::All, &[0, 1, 2, 3][..], Selection::All),
        (Selection::All, &[1, 3], Selection::List(vec![1, 3])),
        (Selection::List(vec![0, 2, 3]), &[2, 3], Selection::List(vec![2, 3])),
        (Selection::List(vec![1]), &[], Selection::List(vec![])),
    ] {
        let mut selection = before.clone();
        selection.retain(4, |i| keep.contains(&i));
        assert_eq!(selection, after, "{before:?} {keep:?}");
        assert_eq!(selection.count(4), after.to_vec(4).len());
        let mut visited = Vec::new();
        selection.for_each(4, |i| visited.push(u32::try_from(i).unwrap()));
        assert_eq!(visited, after.to_vec(4));
        let mut appended = vec![9];
        selection.append_to(4, &mut appended);
        assert_eq!(appended[1..], visited);
        assert!((0..visited.len()).all(|k| selection.position(k) == visited[k] as usize));
    }
}

/// Flags drawn at random, seldom and often set, against one position after the other.
#[test]
fn flagged_positions_are_kept() {
    let mut seed = 1u64;
    for round in 0..400 {
        let len = round % 90;
        let mut flags: Vec<bool> = (0..len)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 33) % 64 < [0, 1, 20, 60, 64][round / 90]
            })
            .collect();
        for before in [Selection::All, Selection::List((0..len as u32).step_by(3).collect())] {
            let (mut one, mut other) = (before.clone(), before);
            one.retain(len, |i| flags[i]);
            other.retain_flagged(len, &flags);
            assert_eq!(one, other, "{flags:?}");
        }
        flags.pop();
        let mut short = Selection::All;
        short.retain_flagged(len, &flags);
        let set = (0..flags.len()).filter(|i| flags[*i]).collect::<Vec<_>>();
        assert_eq!(short.to_vec(len).len(), set.len(), "what has no flag is not kept");
    }
}

#[test]
fn nodes_in_all_forms() {
    let id = |row| NodeId::new(TABLE, row);
    // Codes of one and two bytes, with the padding that reads of eight bytes need.
    let narrow: Vec<u8> = [7u8, 9, 250].into_iter().chain([0; 8]).collect();
    let wide: Vec<u8> = [7u16, 9, 60_000].into_iter().flat_map(u16::to_le_bytes).chain([0; 8]).collect();
    let ids = vec![id(5), id(6), id(7)];
    for (nodes, expected) in [
        (Nodes::Range(id(5)), [5, 6, 7]),
        (Nodes::Ids { table: Some(TABLE), ids }, [5, 6, 7]),
        (Nodes::Packed { table: TABLE, base: 100, width: 1, bytes: &narrow }, [107, 109, 350]),
        (Nodes::Packed { table: TABLE, base: 100, width: 2, bytes: &wide }, [107, 109, 60_100]),
        (Nodes::Packed { table: TABLE, base: 100, width: 0, bytes: &narrow }, [100, 100, 100]),
    ] {
        assert_eq!(nodes.table(), Some(TABLE));
        let expected = expected.map(id);
        assert_eq!([0, 1, 2].map(|i| nodes.id(i)), expected, "{nodes:?}");
        assert_eq!(nodes.gather(&[2, 0]), [expected[2], expected[0]], "{nodes:?}");
        for positions in [&[1u32, 2][..], &[0, 2], &[2, 0], &[0, 0, 2], &[2, 1, 1, 0], &[1], &[]] {
            let (part, all) = (nodes.at(positions), nodes.gather(positions));
            let is_range = matches!(nodes, Nodes::Range(_)) && positions == [1, 2];
            assert_eq!(matches!(part, Nodes::Range(_)), is_range, "{nodes:?}, {positions:?}");
            assert_eq!(part.first(positions.len()), all, "{nodes:?}, {positions:?}");
        }
    }
}

#[test]
fn edges_in_all_forms() {
    let table = EdgeTableId(2);
    let places = EdgePlaces::new(table, 64, |_| 16);
    let starts =
        PageStarts { places: Some(&places), first_page: 10, first_slot: 1_000, starts: &[0, 4, 4, 9] };
    for (slot, page, position) in
        [(1_000, 10, 0), (1_003, 10, 3), (1_004, 12, 0), (1_008, 12, 4), (1_009, 13, 0)]
    {
        assert_eq!(starts.id(slot), places.id(page, position), "{slot}");
    }
    assert_eq!(PageStarts::NONE.id(77), EdgeId(77), "without pages the slot stands for itself");
    let first = places.id(5, 8);
    assert_eq!(Edges::Run(first).id(3), places.id(5, 11));
    assert_eq!(Edges::Slots { table: 2, first: 1_003, pages: starts }.id(1), places.id(12, 0));
}

#[test]
fn vectors_grow() {
    let no_edge = |_| Value::Null;
    let text = |s: &str| {
        let mut texts = Texts::default();
        texts.push(s);
        texts.push_stored("b");
        Values::String(texts)
    };
    // Nulls alone have no type; what comes with them keeps its own.
    let mut vector = Vector::nulls(2);
    vector.extend(&Vector::new(Values::Int(vec![4, 5])), &[1, 0], &no_edge);
    assert_eq!(vector.logical_type(), LogicalType::Int);
    assert_eq!(shown(&vector, 4), "Null Null Int(5) Int(4) ");
    vector.extend(&Vector::nulls(1), &[0], &no_edge);
    assert_eq!(vector.logical_type(), LogicalType::Int);
    assert!(vector.is_null(4));
    // Of two types it becomes general.
    vector.extend(&Vector::new(text("a")), &[0], &no_edge);
    assert_eq!(vector.logical_type(), LogicalType::Any);
    assert_eq!(shown(&vector, 6), "Null Null Int(5) Int(4) Null String(\"a\") ");
    assert_eq!(vector.listed(), 6);
    // Nodes of two tables have none in common.
    let mut nodes = Vector::new(Values::Node(Nodes::Range(NodeId::new(TABLE, 1)))).gather(&[0, 1]);
    nodes.extend(&Vector::new(Values::Node(Nodes::Range(NodeId::new(TableId(4), 9)))), &[0], &no_edge);
    assert!(matches!(nodes.values, Values::Node(Nodes::Ids { table: None, .. })));
    assert_eq!(nodes.node(2), Some(NodeId::new(TableId(4), 9)));
}

#[test]
fn vectors_are_gathered_and_overlaid() {
    let mut vector = Vector { values: Values::Int(vec![1, 2, 3]), nulls: nulls(&[1], 3) };
    assert_eq!(shown(&vector.gather(&[2, 1, 2]), 3), "Int(3) Null Int(3) ");
    let other = Vector { values: Values::Int(vec![7, 8, 9]), nulls: nulls(&[2], 3) };
    assert!(vector.assign(&other, &[0, 2], 3));
    assert_eq!(shown(&vector, 3), "Int(7) Null Null ");
    assert!(vector.assign(&other, &[1], 3), "what was null is not any longer");
    assert_eq!(shown(&vector, 3), "Int(7) Int(8) Null ");
    assert!(!vector.assign(&Vector::new(Values::Bool(vec![true; 3])), &[0], 3), "of another type");
    assert!(vector.assign(&Vector::nulls(3), &[0], 3), "nulls have no type");
    assert_eq!(shown(&vector, 3), "Null Int(8) Null ");
    assert!(matches!(vector.like().values, Values::Int(v) if v.is_empty()));
}

#[test]
fn integers_and_floats_lie_beside_each_other() {
    let no_edge = |_| Value::Null;
    let floats = || Vector { values: Values::Float(vec![0.5, 2.0, f64::NAN]), nulls: nulls(&[1], 3) };
    let mut vector = Vector { values: Values::Int(vec![1, 2, 3]), nulls: nulls(&[0], 3) };
    vector.extend(&floats(), &[0, 1], &no_edge);
    assert_eq!(shown(&vector, 5), "Null Int(2) Int(3) Float(0.5) Null ");
    vector.extend(&Vector::new(Values::Int(vec![9])), &[0], &no_edge);
    let all = "Null Int(2) Int(3) Float(0.5) Null Int(9) ";
    assert_eq!(shown(&vector, 6), all);
    assert!(matches!(vector.values, Values::Number(_)));
    assert_eq!(shown(&vector.gather(&[5, 3, 0]), 3), "Int(9) Float(0.5) Null ");
    let general = vector.clone().without_numbers();
    assert!(matches!(general.values, Values::Any(_)));
    assert_eq!(shown(&general, 6), all);
    // What is assigned keeps its type, too; other types are refused.
    let mut ints = Vector::new(Values::Int(vec![1, 2, 3]));
    assert!(ints.assign(&floats(), &[1, 2], 3));
    assert_eq!(shown(&ints, 3), "Int(1) Null Float(NaN) ");
    assert!(ints.assign(&Vector::new(Values::Int(vec![7, 8, 9])), &[0], 3));
    assert_eq!(shown(&ints, 3), "Int(7) Null Float(NaN) ");
    assert!(!ints.assign(&Vector::new(Values::Bool(vec![true; 3])), &[0], 3));
    // Values of both are numbers where that is asked for; nulls alone have no type.
    let values = || vec![Value::Int(1), Value::Null, Value::Float(2.0)];
    assert!(matches!(Vector::of_mixed(values(), Positions::all(3)).values, Values::Number(_)));
    assert!(matches!(Vector::of_values(values(), Positions::all(3)).values, Values::Any(_)));
    assert!(matches!(Vector::of_mixed(vec![Value::Null; 2], Positions::all(2)).values, Values::Any(_)));
}

#[test]
fn groups_count_tuples() {
    let mut group = Group { len: 5, selection: Selection::List(vec![1, 3]), ..Group::default() };
    assert_eq!((group.tuples(), group.positions()), (Some(2), vec![1, 3]));
    group.multiplicity = Some(vec![9, 2, 9, 4, 9]);
    assert_eq!(group.tuples(), Some(6));
    group.flat = Some(3);
    assert_eq!((group.tuples(), group.positions()), (Some(4), vec![3]));
    group.flat = None;
    group.multiplicity = Some(vec![u64::MAX; 5]);
    assert_eq!(group.tuples(), None, "too many to count");
    group.stand_for(12);
    assert_eq!((group.tuples(), group.positions(), group.len), (Some(12), vec![0], 5));
    group.reset(2);
    assert_eq!((group.tuples(), group.multiplicity_at(1)), (Some(2), 1));
    let chunk = Chunk::with_slots(&[2, 0]);
    assert_eq!(chunk.groups.iter().map(|g| g.vectors.len()).collect::<Vec<_>>(), [2, 0]);
}

/// Texts that a query made stay where they are while vectors that show them are cloned, grown and dropped.
#[test]
fn texts_outlive_the_vectors_they_were_made_in() {
    let word = |i: usize| format!("text {i} {}", "é".repeat(i % 40));
    let mut made = Texts::default();
    (0..500).for_each(|i| made.push(&word(i)));
    // A clone makes blocks of its own: both go on writing.
    let mut clone = made.clone();
    for i in 500..600 {
        made.push(&word(i));
        clone.push(&word(i + 1000));
    }
    let picked = made.gather(&[599, 0, 250]);
    let parts = made.parts(Positions::all(600), &nulls(&[3], 600), |_, text| &text[5..]);
    let mut grown = Texts::default();
    grown.extend(&made, &[7, 8]);
    grown.push_stored("stored");
    grown.set(0, "changed");
    let mut overlaid = Texts::blank(600);
    overlaid.assign(&clone, &[0, 599]);
    drop((made, clone));
    assert_eq!(picked.iter().collect::<Vec<_>>(), [word(599), word(0), word(250)]);
    assert_eq!((parts.get(2), parts.get(3), parts.get(599)), (&word(2)[5..], "", &word(599)[5..]));
    assert_eq!(grown.iter().collect::<Vec<_>>(), ["changed", &word(8), "stored"]);
    assert_eq!((overlaid.get(0), overlaid.get(1), overlaid.get(599)), (&*word(0), "", &*word(1599)));
    assert!(picked.block_bytes() > 0 && grown.block_bytes() < picked.block_bytes());
}

#[test]
fn codes_stay_codes_while_they_are_of_one_dictionary() {
    let of = |texts: &[&'static str]| Arc::new(texts.iter().copied().collect::<Dictionary<'_>>());
    let (entries, others) = (of(&["a", "b"]), of(&["c"]));
    let mut texts = Texts::coded(vec![1, 0], &entries);
    assert_eq!(texts.codes().map(|(codes, _)| codes.to_vec()), Some(vec![1, 0]));
    texts.extend(&Texts::coded(vec![0], &entries), &[0]);
    assert_eq!(texts.gather(&[2, 0]).codes().map(|(codes, _)| codes.to_vec()), Some(vec![0, 1]));
    texts.extend(&Texts::coded(vec![0], &others), &[0]);
    assert!(texts.codes().is_none());
    assert_eq!(texts.iter().collect::<Vec<_>>(), ["b", "a", "a", "c"]);
    // A code without an entry is the empty text.
    let forged = Texts::coded(vec![9, 1], &entries);
    assert_eq!(forged.iter().collect::<Vec<_>>(), ["", "b"]);
}

#[test]
fn a_room_takes_no_more_than_it_has() {
    let mut texts = Texts::blank(3);
    texts.set_with(0, 20, |room| {
        room.push_symbol(u64::from_le_bytes(*b"abcdefgh"), 3);
        room.extend(b"xyz");
        assert!(room.extend_mapped(b"up", |byte| byte.to_ascii_uppercase()));
        assert!(!room.extend_mapped("ä".as_bytes(), |byte| byte), "nothing is written");
    });
    // What is not UTF-8 is replaced; a length beyond eight bytes is eight.
    texts.set_with(1, 20, |room| room.push_symbol(u64::MAX, 99));
    texts.set_with(2, 0, |room| room.extend(&[b'x'; 1 << 21]));
    assert_eq!(texts.get(0), "abcxyzUP");
    assert_eq!(texts.get(1), "\u{fffd}".repeat(8));
    assert_eq!(texts.get(2), "", "there was no room for it");
}

#[test]
fn coded_symbols_are_written_where_all_have_room() {
    let mut symbols = [0; 256];
    let mut lengths = [0; 256];
    for code in 0..=255u8 {
        symbols[usize::from(code)] = u64::from_le_bytes([b'a' + code % 26; 8]);
        lengths[usize::from(code)] = code % 9;
    }
    let table = Symbols::new(symbols, lengths).unwrap();
    let codes = [8, 17, 3, 0, 255, 26, 35, 1];
    let expected = |count: usize| {
        codes[..count].iter().flat_map(|c| vec![b'a' + c % 26; usize::from(c % 9)]).collect::<Vec<_>>()
    };
    for count in 0..=8 {
        let mut texts = Texts::blank(1);
        texts.set_with(0, 128, |room| {
            assert!(room.push_coded(&table, codes, count));
            assert_eq!(room.len(), expected(count).len());
            let free = room.left();
            room.extend(&vec![b'-'; free - 63]);
            let written = room.len();
            assert!(!room.push_coded(&table, codes, count), "63 bytes are too few");
            assert_eq!(room.len(), written);
        });
        let mut bytes = expected(count);
        bytes.resize(texts.get(0).len(), b'-');
        assert_eq!(texts.get(0).as_bytes(), bytes);
    }
    lengths[9] = 9;
    assert!(Symbols::new(symbols, lengths).is_none());
}

/// Bytes that are written end to end: those of a text that ends within a character are mended alone.
#[test]
fn texts_that_are_written_together() {
    let parts: [&[u8]; 7] =
        [b"plain", "häß".as_bytes(), b"", b"h\xc3", b"\xa4 x", &[b'y'; 3000], "語".as_bytes()];
    for (take, ascii) in
        [(&parts[..1], true), (&parts[..3], false), (&parts[..], false), (&parts[5..6], true)]
    {
        let mut texts = Texts::blank_with_room(take.len(), 8);
        let rows = take.iter().enumerate().map(|(i, part)| (i, part.len(), *part));
        texts.set_many(rows, |part, room| room.extend(part));
        let expected: Vec<_> = take.iter().map(|part| String::from_utf8_lossy(part)).collect();
        assert_eq!(texts.iter().collect::<Vec<_>>(), expected);
        assert_eq!(texts.is_ascii(), ascii);
        let gathered = texts.gather(&[0]);
        drop(texts);
        assert_eq!((gathered.get(0), gathered.is_ascii()), (&*expected[0], ascii));
    }
}

/// Of every length about those of chunks: as long as the library's, and not beyond ASCII.
#[test]
fn bytes_are_changed_and_turned_sixteen_at_a_time() {
    for len in 0..70 {
        let text: String = (0..len).map(|i| char::from(b'A' + i % 58)).collect();
        let mut texts = Texts::blank(2);
        assert!(texts.set_mapped(0, &text, |byte| byte.to_ascii_lowercase()));
        assert!(texts.set_reversed(1, &text));
        assert_eq!(texts.get(0), text.to_ascii_lowercase());
        assert_eq!(texts.get(1), text.chars().rev().collect::<String>());
        for at in 0..len {
            let mut other = text.clone();
            other.replace_range(usize::from(at)..=usize::from(at), "é");
            let mut texts = Texts::blank(2);
            assert!(!texts.set_mapped(0, &other, |byte| byte.to_ascii_lowercase()));
            assert!(!texts.set_reversed(1, &other));
            assert_eq!((texts.get(0), texts.is_ascii()), ("", true));
        }
    }
}

/// Parts of ASCII by their places, whatever these are.
#[test]
fn parts_of_ascii_are_cut_without_a_look_at_them() {
    let mut texts = Texts::default();
    ["", "a", "some words", "more of them"].into_iter().for_each(|text| texts.push(text));
    let mut nulls = Nulls::NONE;
    for known in [true, false] {
        for (start, end) in [(0, 0), (0, 3), (2, 5), (5, 2), (9, usize::MAX), (usize::MAX, usize::MAX)] {
            let parts = texts.ascii_parts(Positions::all(4), &nulls, |_, _| (start, end)).unwrap();
            for i in (0..4).filter(|i| !nulls.get(*i)) {
                let text = texts.get(i);
                let end = end.min(text.len());
                assert_eq!(parts.get(i), &text[start.min(end)..end]);
            }
            assert!(parts.is_ascii());
        }
        if known {
            nulls.set(2, 4);
        }
    }
    let list = [1, 3];
    let some = Positions { len: 4, chosen: Chosen::List(&list) };
    let parts = texts.ascii_parts(some, &Nulls::NONE, |_, len| (len - 1, len)).unwrap();
    assert_eq!((parts.get(1), parts.get(3)), ("a", "m"));
    texts.push("ü");
    assert!(texts.ascii_parts(Positions::all(5), &Nulls::NONE, |_, len| (0, len)).is_none());
}

/// Texts that are put together lie end to end; what has no room is left out as a whole.
#[test]
fn texts_are_joined_where_they_are_put() {
    let parts = ["one", "", "zwei", "dré", "語語"];
    for take in [2, 3, 5] {
        let positions = [3, 0, 1];
        let mut texts = Texts::blank(4);
        let bytes = parts[..take].iter().map(|part| part.len()).sum::<usize>() * 3;
        texts.set_joined(&positions, bytes, |i, out| {
            parts[..take].iter().for_each(|part| out.push(part));
            assert!(i != 2);
        });
        let expected = parts[..take].concat();
        assert_eq!(texts.iter().collect::<Vec<_>>(), [&*expected, &expected, "", &expected]);
        assert_eq!(texts.is_ascii(), take < 4);
    }
    let mut texts = Texts::blank(1);
    texts.set_joined(&[0], 1, |_, out| {
        out.push(&"語".repeat(1 << 20));
        out.push("x");
    });
    assert_eq!(texts.get(0), "x");
}

/// A dictionary whose entries a query made outlives what it was made of, and so do texts taken from it.
#[test]
fn made_dictionaries_keep_their_texts() {
    let mut made = Texts::default();
    ["one", "zwei", "三"].into_iter().for_each(|text| made.push(text));
    let entries = Arc::new(Dictionary::new(made.clone()));
    drop(made);
    let coded = Texts::coded(vec![2, 0, 2], &entries);
    assert_eq!((entries.len(), entries.get(1), coded.get(0)), (3, "zwei", "三"));
    let mut extended = Texts::default();
    extended.push("first");
    extended.extend(&coded, &[0, 1]);
    let parts = coded.parts(Positions::all(3), &Nulls::NONE, |_, text| &text[..3]);
    let (cuts, counts) = coded
        .cuts(Positions::all(3), &Nulls::NONE, 10, |text, take| {
            text.split('n').all(take);
        })
        .unwrap_or_default();
    assert_eq!((counts, cuts.is_ascii()), (vec![1, 2, 1], false));
    let mut assigned = Texts::blank(3);
    assigned.assign(&coded, &[1]);
    let forged = Texts::coded(vec![7, 1], &entries);
    let mut viewed = coded.gather(&[2]);
    viewed.push("last");
    drop((coded, entries));
    assert_eq!(cuts.iter().collect::<Vec<_>>(), ["三", "o", "e", "三"]);
    assert_eq!(extended.iter().collect::<Vec<_>>(), ["first", "三", "one"]);
    assert_eq!(parts.iter().collect::<Vec<_>>(), ["三", "one", "三"]);
    assert_eq!(assigned.iter().collect::<Vec<_>>(), ["", "one", ""]);
    assert_eq!(forged.iter().collect::<Vec<_>>(), ["", "zwei"]);
    assert_eq!(viewed.iter().collect::<Vec<_>>(), ["三", "last"]);
}

/// Texts of every short length, and the same with another letter at each place or one more.
#[test]
fn texts_are_the_same_or_not() {
    let text: String = ('a'..='z').collect();
    for len in 0..=text.len() {
        let mut others: Vec<String> =
            (0..len).map(|at| format!("{}é", &text[..at]) + &text[at + 1..len]).collect();
        others.extend((0..len).map(|at| format!("{}_{}", &text[..at], &text[at + 1..len])));
        others.extend([text[..len].to_owned(), format!("{}_", &text[..len])]);
        let views: Texts<'_> = others.iter().map(String::as_str).collect();
        let entries = Arc::new(Dictionary::from_iter([&text[..len]]));
        let coded = Texts::coded(vec![0], &entries);
        for (j, other) in others.iter().enumerate() {
            assert_eq!(coded.is_same(0, &views, j), other == &text[..len], "{other}");
            assert_eq!(views.is_same(j, &coded, 0), other == &text[..len], "{other}");
        }
    }
}
