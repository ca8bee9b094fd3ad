//! The world in, persons out: attributes that go together (name, language, university and address by country;
//! work after studies; interests around a favourite).

use super::rng::{Rng, floor};
use super::world::World;
use crate::parse::days_from_civil;

/// Milliseconds of a day.
pub(super) const DAY: i64 = 86_400_000;
/// First instant of the network: 2010-01-01.
pub(super) const BEGIN: i64 = 1_262_304_000_000;
/// Its end: 2012-12-01. Nothing is dated at or after it.
pub(super) const END: i64 = 1_354_320_000_000;

/// Instants are told from ids by this many buckets over the network's time, as in LDBC's ids.
const BUCKETS: i64 = 36;

/// The bucket of an instant.
pub(super) fn bucket(at: i64) -> u64 {
    u64::try_from((at - BEGIN) * BUCKETS / (END - BEGIN)).unwrap_or(0)
}

/// A person; friends are filled in later.
pub(super) struct Person {
    pub(super) id: u64,
    pub(super) created: i64,
    pub(super) first: &'static str,
    pub(super) last: &'static str,
    pub(super) male: bool,
    /// Days since 1970-01-01.
    pub(super) birthday: i64,
    pub(super) ip: [u8; 4],
    pub(super) browser: &'static str,
    pub(super) country: usize,
    pub(super) city: usize,
    pub(super) languages: Vec<&'static str>,
    pub(super) emails: Vec<String>,
    pub(super) study: Option<(usize, i64)>,
    pub(super) work: Vec<(usize, i64)>,
    /// Tags, the favourite first.
    pub(super) interests: Vec<usize>,
    /// Friends and since when, by index.
    pub(super) friends: Vec<(u32, i64)>,
}

/// Makes `n` persons, oldest account first.
pub(super) fn make_persons(world: &World, n: usize, seed: u64) -> Vec<Person> {
    let mut rng = Rng::new(seed, 2);
    // Nobody joins in the last days, so that everybody can have done something.
    let mut dates: Vec<i64> = (0..n).map(|_| rng.between(BEGIN, END - 10 * DAY)).collect();
    dates.sort_unstable();
    dates.into_iter().enumerate().map(|(i, created)| make_person(world, i, created, seed)).collect()
}

fn make_person(world: &World, index: usize, created: i64, seed: u64) -> Person {
    let mut rng = Rng::new(seed, 0x1000_0000 + index as u64);
    let rng = &mut rng;
    let country = world.country(rng);
    let words = &world.words.countries[country];
    let culture = &world.words.cultures[words.culture];
    let male = rng.chance(0.5);
    let firsts = if male { &culture.male } else { &culture.female };
    let first = firsts[rng.skewed(firsts.len())];
    let last = culture.last[rng.skewed(culture.last.len())];
    let cities = &world.cities[country];
    let id = (bucket(created) << 40) | index as u64;
    let birthday = rng.between(days_from_civil(1980, 1, 1), days_from_civil(1991, 1, 1));
    let birth_year = 1970 + birthday * 400 / 146_097;
    let study = make_study(world, country, birth_year, rng);
    let mut languages: Vec<&str> = vec![words.languages[rng.skewed(words.languages.len())]];
    for language in &words.languages {
        if !languages.contains(language) && rng.chance(0.25) {
            languages.push(language);
        }
    }
    if !languages.contains(&"en") && rng.chance(0.7) {
        languages.push("en");
    }
    let mails = world.words.list("mails");
    let first_mail = rng.below(mails.len());
    let emails = (0..=rng.below(4)).map(|i| format!("{first}{id}@{}", mails[(first_mail + i) % mails.len()]));
    Person {
        id,
        created,
        first,
        last,
        male,
        birthday,
        ip: make_ip(country, rng),
        browser: make_browser(world, rng),
        country,
        city: cities[rng.skewed(cities.len())],
        languages,
        emails: emails.collect(),
        study,
        work: make_work(world, country, study.map_or(birth_year + 18, |(_, year)| year), rng),
        interests: make_interests(world, country, rng),
        friends: Vec::new(),
    }
}

/// An address out of the blocks of a country.
pub(super) fn make_ip(country: usize, rng: &mut Rng) -> [u8; 4] {
    let byte = |n: usize| u8::try_from(n % 256).unwrap_or(0);
    [byte(1 + country * 2), byte(16 * rng.below(12)), byte(rng.below(256)), byte(1 + rng.below(254))]
}

/// A browser by its share.
pub(super) fn make_browser(world: &World, rng: &mut Rng) -> &'static str {
    let mut at = rng.below(101);
    for entry in world.words.list("browsers") {
        if let Some((name, share)) = entry.rsplit_once(' ') {
            let share: usize = share.parse().unwrap_or(0);
            if at < share {
                return name;
            }
            at -= share;
        }
    }
    "Firefox"
}

fn make_study(world: &World, home: usize, birth_year: i64, rng: &mut Rng) -> Option<(usize, i64)> {
    if !rng.chance(0.81) {
        return None;
    }
    let country = if rng.chance(0.9) { home } else { world.country(rng) };
    let universities = &world.universities[country];
    let university = *universities.get(rng.skewed(universities.len()))?;
    Some((university, birth_year + rng.between(18, 25)))
}

fn make_work(world: &World, home: usize, from: i64, rng: &mut Rng) -> Vec<(usize, i64)> {
    let mut work: Vec<(usize, i64)> = Vec::new();
    let mut year = from;
    for _ in 0..rng.below(6) {
        let country = if rng.chance(0.85) { home } else { world.country(rng) };
        let companies = &world.companies[country];
        year += rng.between(0, 4);
        match rng.pick(companies) {
            Some(company) if year < 2013 && work.iter().all(|(c, _)| c != company) => {
                work.push((*company, year))
            }
            _ => {}
        }
    }
    work
}

fn make_interests(world: &World, home: usize, rng: &mut Rng) -> Vec<usize> {
    let wanted = floor(rng.lognormal(22.5, 0.6)).clamp(1, 80);
    let local = |country: usize, rng: &mut Rng| {
        let tags = &world.local_tags[country];
        tags[rng.skewed(tags.len())]
    };
    let favourite = local(home, rng);
    let mut interests = vec![favourite];
    let same_class = &world.class_tags[world.tags[favourite].class];
    for _ in 0..wanted * 3 {
        if interests.len() >= wanted {
            break;
        }
        let kind = rng.unit();
        let tag = if kind < 0.5 {
            local(home, rng)
        } else if kind < 0.75 {
            same_class[rng.below(same_class.len())]
        } else {
            let country = world.country(rng);
            local(country, rng)
        };
        if !interests.contains(&tag) {
            interests.push(tag);
        }
    }
    interests
}
