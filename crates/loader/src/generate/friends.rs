//! Persons in, who knows whom out: degrees skewed as Facebook's, friends alike in studies or interests.
//!
//! 1. Each person draws a number of friends.
//! 2. For three orders of all persons (where and when they studied; favourite interest; random) each looks
//!    for friends among those next in the order, nearer ones more likely, until its share for that order is
//!    used up.
//!
//! Source: Pham, Boncz and Erling, "S3G2: a Scalable Structure-correlated Social Graph Generator" (2012), §4;
//! Ugander et al., "The Anatomy of the Facebook Social Graph" (2011), for the degrees.

use super::persons::{END, Person};
use super::rng::{Rng, count, exp, floor, ln};
use super::world::shuffle;

/// Share of a person's friends found by studies, by interest and at random.
const SHARES: [f64; 3] = [0.45, 0.45, 0.10];
/// How many persons ahead in an order one looks.
const WINDOW: usize = 400;

/// Mean number of friends in a network of `n` persons.
pub(super) fn mean_degree(n: usize) -> f64 {
    let log = ln(count(n.max(2)));
    let log10 = log / ln(10.0);
    // LDBC Datagen's exponent; 0.77 is what remains of it in its snapshots, which end before all have met.
    0.77 * exp(log * (0.512 - 0.028 * log10))
}

/// Fills in everybody's friends, sorted by index.
pub(super) fn make_friends(persons: &mut [Person], seed: u64) {
    let n = persons.len();
    let mut rng = Rng::new(seed, 3);
    let mean = mean_degree(n);
    let most = (n / 4).clamp(1, 1000);
    // 1.1: some of the wanted friends are not found.
    let wanted: Vec<usize> = (0..n).map(|_| floor(rng.lognormal(mean * 1.1, 1.07)).clamp(1, most)).collect();
    for (dimension, share) in SHARES.into_iter().enumerate() {
        let mut left: Vec<usize> = wanted.iter().map(|w| rng.round(count(*w) * share)).collect();
        for (person, left) in left.iter_mut().enumerate() {
            *left = (*left).min(wanted[person].saturating_sub(persons[person].friends.len()));
        }
        let order = make_order(persons, dimension, &mut rng);
        for (at, &person) in order.iter().enumerate() {
            for (distance, &other) in order[at + 1..].iter().take(WINDOW).enumerate() {
                if left[person] == 0 {
                    break;
                }
                if left[other] > 0
                    && rng.chance(nearness(distance))
                    && befriend(persons, person, other, &mut rng)
                {
                    left[person] -= 1;
                    left[other] -= 1;
                }
            }
        }
    }
    for person in persons {
        person.friends.sort_unstable();
    }
}

/// Chance of a friendship at this distance in an order.
fn nearness(distance: usize) -> f64 {
    (1.0 / (1.0 + count(distance) / 12.0)).max(0.12)
}

fn make_order(persons: &[Person], dimension: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..persons.len()).collect();
    shuffle(&mut order, rng);
    match dimension {
        0 => order.sort_by_key(|p| {
            let person = &persons[*p];
            let (university, year) = person.study.unwrap_or((usize::MAX, 0));
            (person.country, university, year)
        }),
        1 => order.sort_by_key(|p| persons[*p].interests.first().copied()),
        _ => {}
    }
    order
}

fn befriend(persons: &mut [Person], a: usize, b: usize, rng: &mut Rng) -> bool {
    let (Ok(a32), Ok(b32)) = (u32::try_from(a), u32::try_from(b)) else { return false };
    if persons[a].friends.iter().any(|(friend, _)| *friend == b32) {
        return false;
    }
    let from = persons[a].created.max(persons[b].created) + 1;
    let date = from + days(rng.exponential(200.0));
    let date = if date < END { date } else { rng.between(from, END) };
    persons[a].friends.push((b32, date));
    persons[b].friends.push((a32, date));
    true
}

#[expect(clippy::cast_possible_truncation, reason = "some hundred days in milliseconds")]
fn days(days: f64) -> i64 {
    (days * 86_400_000.0) as i64
}
