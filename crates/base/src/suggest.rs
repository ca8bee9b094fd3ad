//! "Did you mean": the candidate nearest to a misspelt name.

/// The candidate within a third of `name`'s length (at most 3 edits) that is nearest to it, ignoring case: one or two letters are near
/// to everything.
///
/// **Cost**: O(|name|²) for each candidate of nearly that length; for error paths only.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let edits_max = (wanted.len() / 3).min(3);
    candidates
        .into_iter()
        .filter(|c| *c != name)
        .map(|c| (c.to_lowercase().chars().collect::<Vec<_>>(), c))
        .filter(|(letters, _)| letters.len().abs_diff(wanted.len()) <= edits_max)
        .map(|(letters, c)| (edit_distance(&wanted, &letters), c))
        .filter(|(d, _)| *d <= edits_max)
        .min()
        .map(|(_, c)| c)
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut current = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let cost = usize::from(a[i - 1] != b[j - 1]);
            current[j] = (previous[j] + 1).min(current[j - 1] + 1).min(previous[j - 1] + cost);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                current[j] = current[j].min(before[j - 2] + 1);
            }
        }
        before = previous;
        previous = current;
    }
    previous[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn offers_the_near_name_and_nothing_far() {
        assert_eq!(nearest("nmae", ["age", "name", "id"]), Some("name"));
        assert_eq!(nearest("PERSON", ["Person", "Post"]), Some("Person"));
        assert_eq!(nearest("xyz", ["name", "creationDate"]), None);
    }
}
