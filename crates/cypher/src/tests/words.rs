//! The lexer: blanks, comments, names, keywords, bracket pairs.

use trimorph_base::CancelToken;

use super::{clauses, expression};
use crate::lexer::tokenize;
use crate::token::{Keyword, Token, TokenKind};

fn tokens_of(text: &str) -> Vec<Token> {
    tokenize(text, &CancelToken::default()).unwrap()
}

#[test]
fn blanks_and_comments_separate() {
    let text = "\u{feff}RETURN/* a\n * b */\u{a0}1\u{2003}+// c\n\t2\u{1c}\u{3000}//";
    assert_eq!(clauses(text), "RETURN (Add 1 2)");
}

#[test]
fn keywords_are_known_in_any_case() {
    for &keyword in Keyword::ALL {
        for word in [keyword.text().to_owned(), keyword.text().to_lowercase()] {
            let tokens = tokens_of(&word);
            assert_eq!(tokens[0].kind, TokenKind::Word(Some(keyword)), "{word}");
            let longer = format!("{word}x");
            let kind = tokens_of(&longer)[0].kind;
            assert!(kind != TokenKind::Word(Some(keyword)), "{longer}");
        }
    }
}

#[test]
fn names() {
    for (text, expect) in [
        ("größe", "größe"),
        ("名前.x", "(. 名前 x)"),
        ("_a1", "_a1"),
        ("`return`", "return"),
        ("`a``b`", "a`b"),
        ("``", ""),
        ("x\u{301}y", "x\u{301}y"),
    ] {
        assert_eq!(expression(text), expect);
    }
}

#[test]
fn every_word_may_be_a_key_a_label_and_a_type() {
    for keyword in Keyword::ALL {
        let word = keyword.text();
        clauses(&format!("MATCH (n:{word})-[:{word}]->() RETURN n.{word}, {{{word}: 1}}, n:{word}"));
        clauses(&format!("MATCH (`{word}`) RETURN `{word}` AS `{word}`"));
        if !keyword.is_reserved() {
            clauses(&format!(
                "MATCH {word} = ({word})-[{word} {{x: {word}}}]-() RETURN {word} AS {word}, {word}.{word}"
            ));
        }
    }
}

#[test]
fn brackets_are_paired() {
    let partners: Vec<u32> = tokens_of("([{}](").iter().map(|t| t.partner).collect();
    assert_eq!(partners, [0, 4, 3, 0, 0, 0, 0]);
    let partners: Vec<u32> = tokens_of("(])").iter().map(|t| t.partner).collect();
    assert_eq!(partners, [2, 0, 0, 0]);
}

#[test]
fn cutting_a_long_text_stops_when_asked() {
    let cancel = CancelToken::default();
    let text = "a ".repeat(100_000);
    assert_eq!(tokenize(&text, &cancel).map(|tokens| tokens.len()), Some(100_001));
    cancel.cancel();
    assert!(tokenize(&text, &cancel).is_none());
}
