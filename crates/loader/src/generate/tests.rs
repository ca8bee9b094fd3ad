//! The generator: the same bytes for the same seed, causal order, skewed degrees, counts near LDBC's.

use std::collections::HashMap;
use std::io;

use super::rng::{Rng, exp, ln};
use super::snb::generate;
use super::tables::{Out, TABLES};
use super::{SnbLayout, generate_snb, load_generated_snb, persons_of_scale};
use crate::progress::Meter;
use crate::tests::recorder::Recorder;
use crate::{LoadOptions, NoProgress, load};

struct Memory(Vec<Vec<u8>>);

impl Out for Memory {
    fn write(&mut self, table: usize, piece: Vec<u8>) -> io::Result<()> {
        self.0[table].extend_from_slice(&piece);
        Ok(())
    }
}

fn texts(scale: f64, seed: u64) -> HashMap<&'static str, String> {
    let mut memory = Memory(vec![Vec::new(); TABLES.len()]);
    generate(scale, seed, SnbLayout::Merged, &mut memory, &mut Meter::new(&NoProgress)).unwrap();
    let texts = memory.0.into_iter().map(|t| String::from_utf8(t).unwrap());
    TABLES.iter().map(|(_, entity, ..)| *entity).zip(texts).collect()
}

/// The named columns of every row.
fn columns<'a>(text: &'a str, names: &[&str]) -> Vec<Vec<&'a str>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split('|').collect();
    let at: Vec<usize> = names.iter().map(|n| header.iter().position(|h| h == n).unwrap()).collect();
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('|').collect();
            assert_eq!(fields.len(), header.len(), "{line}");
            at.iter().map(|i| fields[*i]).collect()
        })
        .collect()
}

/// FNV-1a, so that the expected value does not hang on the standard library's hasher.
fn hash(texts: &HashMap<&'static str, String>) -> u64 {
    let mut hash: u64 = 0xCBF2_9CE4_8422_2325;
    for (_, entity, ..) in TABLES {
        for byte in texts[entity].bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        }
    }
    hash
}

#[test]
fn same_seed_same_bytes_other_seed_other_bytes() {
    let first = texts(0.02, 42);
    assert_eq!(hash(&first), hash(&texts(0.02, 42)));
    assert_ne!(hash(&first), hash(&texts(0.02, 43)));
}

#[test]
fn static_entities_have_ldbc_numbers_and_dynamic_ones_are_near_its_scale() {
    let texts = texts(0.1, 1);
    let rows = |entity: &str| texts[entity].lines().count() - 1;
    assert_eq!((rows("Place"), rows("Organisation")), (1_460, 7_955));
    assert_eq!((rows("Tag"), rows("TagClass"), rows("Person")), (16_080, 71, 1_700));
    let near = [
        ("Forum", 16_500),
        ("Post", 167_600),
        ("Comment", 172_200),
        ("Person_knows_Person", 14_900),
        ("Forum_hasMember_Person", 252_000),
        ("Person_hasInterest_Tag", 39_100),
        ("Forum_hasTag_Tag", 54_000),
        ("Post_hasTag_Tag", 71_000),
        ("Comment_hasTag_Tag", 211_500),
        ("Person_likes_Post", 69_000),
        ("Person_likes_Comment", 73_900),
        ("Person_studyAt_University", 1_372),
        ("Person_workAt_Company", 3_632),
    ];
    for (entity, expected) in near {
        let found = rows(entity);
        assert!(
            found * 10 > expected * 8 && found * 10 < expected * 12,
            "{entity}: {found}, not near {expected}"
        );
    }
}

#[test]
fn everything_is_dated_after_what_it_refers_to() {
    let texts = texts(0.02, 7);
    // ISO instants of one form compare as texts do.
    let created = |entity: &str| -> HashMap<&str, &str> {
        columns(&texts[entity], &["id", "creationDate"]).into_iter().map(|r| (r[0], r[1])).collect()
    };
    let (persons, forums) = (created("Person"), created("Forum"));
    let (posts, comments) = (created("Post"), created("Comment"));
    assert_eq!(posts.len() + 1, texts["Post"].lines().count(), "post ids are distinct");
    assert!(comments.keys().all(|id| !posts.contains_key(id)), "posts and comments share one id space");
    let mut knows = HashMap::new();
    for row in columns(&texts["Person_knows_Person"], &["Person1Id", "Person2Id", "creationDate"]) {
        assert!(row[2] > persons[row[0]] && row[2] > persons[row[1]]);
        let (a, b): (u64, u64) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        assert!(a < b, "stored once, smaller id first");
        assert!(knows.insert((a, b), row[2]).is_none());
    }
    for row in columns(&texts["Forum"], &["creationDate", "ModeratorPersonId"]) {
        assert!(row[0] > persons[row[1]]);
    }
    let mut joined: HashMap<(&str, &str), &str> = HashMap::new();
    for row in columns(&texts["Forum_hasMember_Person"], &["ForumId", "PersonId", "creationDate"]) {
        assert!(row[2] > forums[row[0]] && row[2] > persons[row[1]]);
        assert!(joined.insert((row[0], row[1]), row[2]).is_none(), "a member is one once");
    }
    let moderators: HashMap<&str, &str> =
        columns(&texts["Forum"], &["id", "ModeratorPersonId"]).into_iter().map(|r| (r[0], r[1])).collect();
    for row in columns(&texts["Post"], &["creationDate", "CreatorPersonId", "ContainerForumId"]) {
        let is_moderator = moderators[row[2]] == row[1];
        let since = joined.get(&(row[2], row[1])).or_else(|| is_moderator.then(|| &forums[row[2]]));
        assert!(row[0] > *since.expect("only members post"));
    }
    for row in
        columns(&texts["Comment"], &["creationDate", "CreatorPersonId", "ParentPostId", "ParentCommentId"])
    {
        assert!(row[0] > persons[row[1]]);
        let parent = if row[2].is_empty() { comments[row[3]] } else { posts[row[2]] };
        assert!(row[2].is_empty() != row[3].is_empty() && row[0] > parent);
    }
    for (entity, of, column) in
        [("Person_likes_Post", &posts, "PostId"), ("Person_likes_Comment", &comments, "CommentId")]
    {
        for row in columns(&texts[entity], &["creationDate", "PersonId", column]) {
            assert!(row[0] > persons[row[1]] && row[0] > of[row[2]]);
            assert!(row[0] < "2012-12-01");
        }
    }
}

#[test]
fn degrees_are_skewed_and_friends_are_alike() {
    let texts = texts(0.1, 3);
    let mut degree: HashMap<&str, usize> = HashMap::new();
    let country: HashMap<&str, &str> =
        columns(&texts["Person"], &["id", "lastName"]).into_iter().map(|r| (r[0], r[1])).collect();
    let (mut same, mut pairs) = (0, 0);
    for row in columns(&texts["Person_knows_Person"], &["Person1Id", "Person2Id"]) {
        *degree.entry(row[0]).or_default() += 1;
        *degree.entry(row[1]).or_default() += 1;
        pairs += 1;
        same += usize::from(country[row[0]] == country[row[1]]);
    }
    let mut degrees: Vec<usize> = degree.into_values().collect();
    degrees.sort_unstable();
    let (median, most) = (degrees[degrees.len() / 2], degrees[degrees.len() - 1]);
    assert!(most > median * 8, "median {median}, most {most}");
    let top: usize = degrees[degrees.len() * 9 / 10..].iter().sum();
    assert!(
        top * 10 > degrees.iter().sum::<usize>() * 3,
        "a tenth of the persons has more than three tenths of the friends"
    );
    // Two random persons share a last name far less often than one time in fifty.
    assert!(same * 50 > pairs, "{same} of {pairs}");
}

#[test]
fn both_layouts_and_the_direct_way_give_the_same_graph() {
    let directory = std::env::temp_dir().join(format!("trimorph-generate-{}", std::process::id()));
    let options = LoadOptions { threads: 2, chunk_bytes: 50_000, ..LoadOptions::default() };
    let direct = Recorder::default();
    let report = load_generated_snb(0.01, 5, &options, &direct, &NoProgress).unwrap();
    assert_eq!((report.rejected, options.budget.used_bytes()), (0, 0));
    let expected = direct.graph();
    assert!(expected["(:Person)"].len() >= 170);
    for (layout, name) in [(SnbLayout::Merged, "merged"), (SnbLayout::Projected, "projected")] {
        let path = directory.join(name);
        generate_snb(0.01, 5, &path, layout, &NoProgress).unwrap();
        let recorder = Recorder::default();
        load(&[path], None, &options, &recorder, &NoProgress).unwrap();
        assert!(recorder.graph() == expected, "{name} differs");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn persons_follow_ldbc_scales() {
    assert_eq!(persons_of_scale(0.1), 1_700);
    assert_eq!(persons_of_scale(1.0), 11_000);
    assert_eq!(persons_of_scale(0.01), 170);
    for odd in [f64::NAN, -1.0, 0.0, 1e-300] {
        assert_eq!(persons_of_scale(odd), 10);
    }
    assert!(persons_of_scale(f64::INFINITY) > 3_600_000);
    let mut before = 0;
    for step in 1..200 {
        let persons = persons_of_scale(f64::from(step) * 0.5);
        assert!(persons > before);
        before = persons;
    }
}

#[test]
fn numbers_are_what_they_should_be() {
    for x in [1e-6, 0.1, 0.5, 1.0, 2.0, 7.5, 1e9] {
        assert!((ln(x) - x.ln()).abs() < 1e-12 * (1.0 + x.ln().abs()), "ln {x}");
    }
    for x in [-20.0, -1.0, 0.0, 0.3, 1.0, 5.0, 20.0] {
        assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "exp {x}");
    }
    let mut rng = Rng::new(1, 2);
    let mean = (0..100_000).map(|_| rng.lognormal(10.0, 1.0)).sum::<f64>() / 100_000.0;
    assert!((mean - 10.0).abs() < 0.3, "{mean}");
    assert_eq!(rng.below(0), 0);
    assert!((0..1000).all(|_| rng.below(7) < 7));
    // The reference implementations, from state 0: splitmix64 as seed, then xoshiro256++.
    assert_eq!(Rng::new(0, 0).bits(), 5_987_356_902_031_041_503);
}
