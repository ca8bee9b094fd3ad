//! "Did you mean": the candidate nearest to a misspelt name.

use std::cmp::Reverse;

/// The candidate within a third of `name`'s length (at most 3 edits) that is nearest to it, ignoring case:
/// one or two letters are near to everything. Of equally near ones it is one that goes on as `name` does.
///
/// **Cost**: O(|name|²) for each candidate of nearly that length; for error paths only.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let edits_max = (wanted.chars().count() / 3).min(3);
    candidates
        .into_iter()
        .filter(|c| *c != name)
        // Insertions, deletions, substitutions and swaps of neighbours.
        .map(|c| {
            let lower = c.to_lowercase();
            let common = wanted.chars().zip(lower.chars()).take_while(|(a, b)| a == b).count();
            (strsim::osa_distance(&wanted, &lower), Reverse(common), c)
        })
        .filter(|(d, ..)| *d <= edits_max)
        .min()
        .map(|(.., c)| c)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn offers_the_near_name_and_nothing_far() {
        assert_eq!(nearest("nmae", ["age", "name", "id"]), Some("name"));
        assert_eq!(nearest("PERSON", ["Person", "Post"]), Some("Person"));
        assert_eq!(nearest("siz", ["sin", "size", "six"]), Some("size"));
        assert_eq!(nearest("xyz", ["name", "creationDate"]), None);
    }
}
