//! How many arguments a call may have in, the words for it in an error out: the same for functions,
//! procedures and all languages.

/// `no arguments`, `1 argument`, `2 or 3 arguments`, `1 to 3 arguments`, `at least 1 argument`; `usize::MAX`
/// is any number.
pub fn arguments_in_words(min: usize, max: usize) -> String {
    let arguments = |last: usize| if last == 1 { "argument" } else { "arguments" };
    match (min, max) {
        (0, 0) => "no arguments".to_owned(),
        (0, 1) => "at most 1 argument".to_owned(),
        (0, usize::MAX) => "any number of arguments".to_owned(),
        (min, usize::MAX) => format!("at least {min} {}", arguments(min)),
        (min, max) if min >= max => format!("{min} {}", arguments(min)),
        (min, max) if max - min == 1 => format!("{min} or {max} arguments"),
        (min, max) => format!("{min} to {max} arguments"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_arguments_read_well() {
        for (min, max, expected) in [
            (0, 0, "no arguments"),
            (0, 1, "at most 1 argument"),
            (0, 2, "0 to 2 arguments"),
            (0, usize::MAX, "any number of arguments"),
            (1, 1, "1 argument"),
            (1, 2, "1 or 2 arguments"),
            (1, 3, "1 to 3 arguments"),
            (1, usize::MAX, "at least 1 argument"),
            (2, 2, "2 arguments"),
            (2, 3, "2 or 3 arguments"),
            (2, usize::MAX, "at least 2 arguments"),
        ] {
            assert_eq!(arguments_in_words(min, max), expected);
        }
    }
}
