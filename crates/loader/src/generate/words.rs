//! The embedded dictionaries: text files in, lists of words out. All of them were written for this project.

use std::collections::HashMap;

/// A country.
pub(super) struct CountryWords {
    pub(super) name: &'static str,
    pub(super) continent: &'static str,
    /// Share of the population, in arbitrary units.
    pub(super) weight: usize,
    /// Most spoken first.
    pub(super) languages: Vec<&'static str>,
    /// Index of its names in [`Words::cultures`].
    pub(super) culture: usize,
    /// Largest first.
    pub(super) cities: Vec<&'static str>,
}

/// Names usual in a group of countries.
pub(super) struct Culture {
    pub(super) male: Vec<&'static str>,
    pub(super) female: Vec<&'static str>,
    pub(super) last: Vec<&'static str>,
}

/// A tag class.
pub(super) struct ClassWords {
    pub(super) name: &'static str,
    pub(super) parent: &'static str,
    /// How its tags are named.
    pub(super) form: &'static str,
    /// How many tags it has.
    pub(super) tags: usize,
}

/// Everything.
pub(super) struct Words {
    pub(super) countries: Vec<CountryWords>,
    pub(super) cultures: Vec<Culture>,
    pub(super) classes: Vec<ClassWords>,
    lists: HashMap<&'static str, Vec<&'static str>>,
}

impl Words {
    pub(super) fn new() -> Self {
        let mut cultures = Vec::new();
        let mut culture_names = Vec::new();
        for mut fields in rows(include_str!("words/names.txt")) {
            culture_names.push(fields.next().unwrap_or(""));
            let mut list = || fields.next().unwrap_or("").split(' ').collect::<Vec<_>>();
            cultures.push(Culture { male: list(), female: list(), last: list() });
        }
        let countries = rows(include_str!("words/countries.txt")).map(|mut fields| {
            let mut next = || fields.next().unwrap_or("");
            let (name, continent, weight) = (next(), next(), next().parse().unwrap_or(1));
            let languages = next().split(';').collect();
            let culture = next();
            CountryWords {
                name,
                continent,
                weight,
                languages,
                culture: culture_names.iter().position(|c| *c == culture).unwrap_or(0),
                cities: next().split(' ').collect(),
            }
        });
        let classes = rows(include_str!("words/classes.txt")).map(|mut fields| {
            let mut next = || fields.next().unwrap_or("");
            ClassWords { name: next(), parent: next(), form: next(), tags: next().parse().unwrap_or(0) }
        });
        let (countries, classes) = (countries.collect(), classes.collect());
        let lists = rows(include_str!("words/text.txt")).map(|mut fields| {
            let name = fields.next().unwrap_or("");
            // Two of the lists are plain words between blanks.
            let words = fields.flat_map(|f| if is_plain(name) { f.split(' ').collect() } else { vec![f] });
            (name, words.collect())
        });
        Self { countries, cultures, classes, lists: lists.collect() }
    }

    /// The list of that name in `words/text.txt`; empty if there is none.
    pub(super) fn list(&self, name: &str) -> &[&'static str] {
        self.lists.get(name).map_or(&[], Vec::as_slice)
    }
}

fn is_plain(list: &str) -> bool {
    matches!(list, "adjectives" | "nouns" | "verbs")
}

fn rows(text: &'static str) -> impl Iterator<Item = std::str::Split<'static, char>> {
    text.lines().filter(|line| !line.is_empty()).map(|line| line.split('|'))
}
