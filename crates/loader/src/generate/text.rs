//! Topics in, plausible sentences out.

use super::rng::Rng;
use super::world::World;

/// Sentences about `tags`, about `bytes` long: cut at a word, never inside a character.
pub(super) fn write_about(text: &mut String, world: &World, tags: &[usize], bytes: usize, rng: &mut Rng) {
    let mut pick = |list: &str| rng.pick(world.words.list(list)).copied().unwrap_or("");
    let mut topics = tags.iter().map(|tag| world.tags[*tag].name.as_str()).cycle();
    while text.len() < bytes {
        let topic = topics.next().unwrap_or("nothing");
        if text.is_empty() {
            text.push_str(pick("openings"));
            text.push(' ');
            push_name(text, topic);
            text.push_str(", who ");
        } else {
            text.push_str(". ");
            push_name(text, topic);
            text.push(' ');
        }
        for (word, after) in [(pick("verbs"), " "), (pick("objects"), " "), (pick("places"), "")] {
            text.push_str(word);
            text.push_str(after);
        }
    }
    if let Some(end) = text.char_indices().find(|(at, c)| *at >= bytes && *c == ' ').map(|(at, _)| at) {
        text.truncate(end);
    }
}

fn push_name(text: &mut String, name: &str) {
    text.extend(name.chars().map(|c| if c == '_' { ' ' } else { c }));
}

/// A reply that says nothing in particular.
pub(super) fn short_reply(world: &World, rng: &mut Rng) -> &'static str {
    rng.pick(world.words.list("replies")).copied().unwrap_or("ok")
}
