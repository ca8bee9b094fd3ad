//! A word that was mistyped in, the word that was meant out.

/// The name that begins like `word`, or is spelled almost like it.
pub(crate) fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str> + Clone) -> Option<&'n str> {
    if word.len() < 2 {
        return None;
    }
    let close = |name: &&str| distance(name, word) <= 1 + word.len() / 5;
    let begins = names.clone().find(|name| name.starts_with(word));
    begins.or_else(|| names.filter(close).min_by_key(|name| distance(name, word)))
}

/// Letters to change, add, take away, or swap with the next.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for (i, x) in a.iter().enumerate() {
        let mut now = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (rows[i][j] + usize::from(x != y)).min(rows[i][j + 1] + 1).min(now[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && *x == b[j - 1] {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            now.push(least);
        }
        rows.push(now);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["load", "labels", "lang", "timer", "query"];
        let near = |word: &str| nearest(word, names.into_iter()).unwrap_or("");
        assert_eq!(near("laod"), "load");
        assert_eq!(near("lable"), "labels");
        assert_eq!(near("lab"), "labels");
        assert_eq!(near("tmier"), "timer");
        assert_eq!(near("qeury"), "query");
        assert_eq!(near("nonsense"), "");
        assert_eq!(near("é"), "");
        assert_eq!(near(""), "");
    }
}
