//! Language tags: takes a tag as a literal has it, gives its language and its base direction.

/// A language tag and its base direction: `ar--rtl` is `ar` and `rtl`.
pub fn split_tag(tag: &str) -> (&str, Option<&str>) {
    match tag.split_once("--") {
        Some((language, direction)) => (language, Some(direction)),
        None => (tag, None),
    }
}
