//! Dictionaries in, the static half out: places, organisations, tag classes and tags.

use std::collections::HashSet;

use super::rng::Rng;
use super::words::Words;

/// LDBC's numbers of the static entities, at every scale.
const CITIES: usize = 1_343;
const COMPANIES: usize = 1_575;
const UNIVERSITIES: usize = 6_380;
/// Share of a culture's tags that are named after other cultures, so that interests reach over borders.
const UNIQUE_TRIES: usize = 8;

/// A city, country or continent.
pub(super) struct Place {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) part_of: Option<usize>,
}

/// A university or company; its id is its index.
pub(super) struct Organisation {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) place: usize,
}

/// A tag; its id is its index.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) class: usize,
}

/// The static half. Place ids are indexes: countries, then cities, then continents.
pub(super) struct World {
    pub(super) words: Words,
    pub(super) places: Vec<Place>,
    pub(super) organisations: Vec<Organisation>,
    pub(super) tags: Vec<Tag>,
    /// By country: its cities, largest first.
    pub(super) cities: Vec<Vec<usize>>,
    /// By country: its companies.
    pub(super) companies: Vec<Vec<usize>>,
    /// By country: its universities.
    pub(super) universities: Vec<Vec<usize>>,
    /// By country: tags that people there care about, most popular first.
    pub(super) local_tags: Vec<Vec<usize>>,
    /// By class: its tags.
    pub(super) class_tags: Vec<Vec<usize>>,
    /// Running sum of the countries' weights.
    weights: Vec<usize>,
}

impl World {
    pub(super) fn new(seed: u64) -> Self {
        let words = Words::new();
        let n = words.countries.len();
        let mut sum = 0;
        let weights = words.countries.iter().map(|c| {
            sum += c.weight;
            sum
        });
        let mut world = Self {
            weights: weights.collect(),
            places: Vec::new(),
            organisations: Vec::new(),
            tags: Vec::new(),
            cities: vec![Vec::new(); n],
            companies: vec![Vec::new(); n],
            universities: vec![Vec::new(); n],
            local_tags: vec![Vec::new(); n],
            class_tags: vec![Vec::new(); words.classes.len()],
            words,
        };
        world.make_places();
        world.make_organisations();
        world.make_tags(&mut Rng::new(seed, 1));
        world
    }

    /// A country, by population.
    pub(super) fn country(&self, rng: &mut Rng) -> usize {
        let at = rng.below(self.weights.last().copied().unwrap_or(0));
        self.weights.partition_point(|sum| *sum <= at)
    }

    fn make_places(&mut self) {
        let countries = &self.words.countries;
        let mut continents: Vec<&str> = Vec::new();
        for country in countries {
            if !continents.contains(&country.continent) {
                continents.push(country.continent);
            }
        }
        let first_continent = countries.len() + CITIES;
        for country in countries {
            let continent = continents.iter().position(|c| *c == country.continent).unwrap_or(0);
            let part_of = Some(first_continent + continent);
            self.places.push(Place { name: country.name.to_owned(), kind: "Country", part_of });
        }
        // Real cities first, then, country by country, towns named after them.
        let forms = self.words.list("city_forms");
        let mut names: Vec<(usize, String)> = Vec::new();
        for (index, country) in countries.iter().enumerate() {
            names.extend(country.cities.iter().map(|city| (index, (*city).to_owned())));
        }
        for round in 0.. {
            let form = forms[round % forms.len()];
            for (index, country) in countries.iter().enumerate() {
                let city = country.cities[(round / forms.len()) % country.cities.len()];
                names.push((index, form.replace('@', city)));
            }
            if names.len() >= CITIES {
                break;
            }
        }
        names.truncate(CITIES);
        for (country, name) in names {
            self.cities[country].push(self.places.len());
            self.places.push(Place { name, kind: "City", part_of: Some(country) });
        }
        for name in continents {
            self.places.push(Place { name: name.to_owned(), kind: "Continent", part_of: None });
        }
    }

    fn make_organisations(&mut self) {
        let n = self.words.countries.len();
        for (i, form) in (0..COMPANIES).zip(self.words.list("companies").iter().flat_map(|f| vec![*f; n])) {
            let country = i % n;
            self.companies[country].push(self.organisations.len());
            let name = form.replace('@', &self.places[country].name);
            self.organisations.push(Organisation { name, kind: "Company", place: country });
        }
        let first = n;
        for (i, form) in
            (0..UNIVERSITIES).zip(self.words.list("universities").iter().flat_map(|f| vec![*f; CITIES]))
        {
            let city = first + i % CITIES;
            let place = &self.places[city];
            let name = form.replace('@', &place.name);
            if let Some(country) = place.part_of {
                self.universities[country].push(self.organisations.len());
            }
            self.organisations.push(Organisation { name, kind: "University", place: city });
        }
    }

    fn make_tags(&mut self, rng: &mut Rng) {
        let mut taken: HashSet<String> = HashSet::new();
        for class in 0..self.words.classes.len() {
            for index in 0..self.words.classes[class].tags {
                let country = self.country(rng);
                let form = self.words.classes[class].form;
                let country = if form == "country" { index } else { country };
                let mut name = self.tag_name(form, country, rng);
                for _ in 0..UNIQUE_TRIES {
                    if !taken.contains(&name) {
                        break;
                    }
                    name = self.tag_name(form, country, rng);
                }
                let mut number = 2;
                let base = name.clone();
                while !taken.insert(name.clone()) {
                    name = format!("{base}_{number}");
                    number += 1;
                }
                self.class_tags[class].push(self.tags.len());
                self.local_tags[country].push(self.tags.len());
                self.tags.push(Tag { name, class });
            }
        }
        // Popularity has nothing to do with the class.
        for tags in &mut self.local_tags {
            shuffle(tags, rng);
        }
    }

    fn tag_name(&self, form: &str, country: usize, rng: &mut Rng) -> String {
        let words = &self.words;
        let mut pick = |list: &[&'static str]| rng.pick(list).copied().unwrap_or("");
        let (adjective, noun) = (pick(words.list("adjectives")), pick(words.list("nouns")));
        let other = pick(words.list("nouns"));
        let culture = &words.cultures[words.countries[country].culture];
        let last = pick(&culture.last);
        let male = rng.chance(0.6);
        let first = rng.pick(if male { &culture.male } else { &culture.female }).copied().unwrap_or("");
        let city = self.cities[country].get(rng.skewed(self.cities[country].len()));
        let city = city.map_or("", |c| self.places[*c].name.as_str());
        let number = rng.below(6);
        match form {
            "ruler" => format!(
                "{first}_{}_of_{}",
                ["I", "II", "III", "IV", "V", "VI"][number],
                words.countries[country].name
            ),
            "saint" => format!("Saint_{first}_of_{city}"),
            "band" => match number {
                0..3 => format!("The_{adjective}_{noun}s"),
                3 => format!("{noun}_and_the_{other}s"),
                _ => format!("{adjective}_{noun}_Orchestra"),
            },
            "title" => match number {
                0 | 1 => format!("The_{adjective}_{noun}"),
                2 => format!("{noun}_of_the_{other}"),
                3 => format!("{adjective}_{noun}"),
                4 => format!("A_{noun}_in_{city}"),
                _ => format!("{noun}_and_{other}"),
            },
            "company" => {
                format!("{last}_{}", ["Motors", "Press", "Electric", "Foods", "Records", "Media"][number])
            }
            "unit" => format!("{}_{adjective}_Regiment", ["1st", "2nd", "3rd", "4th", "5th", "6th"][number]),
            "team" => {
                format!("{city}_{}", ["United", "Rovers", "Athletic", "City", "Wanderers", "Tigers"][number])
            }
            "place" => {
                format!("{noun}_{}_{city}", ["Square", "Hill", "Bay", "Castle", "Park", "Market"][number])
            }
            "country" => words.countries[country].name.to_owned(),
            _ => format!("{first}_{last}"),
        }
    }
}

/// Fisher and Yates.
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i + 1));
    }
}
