//! `trim([BOTH | LEADING | TRAILING] [characters] FROM text)`, GQL's spelling, as a call of `btrim`, `ltrim`
//! or `rtrim`.

use super::{Parsed, Parser};
use crate::ast::{Expr, QualifiedName};
use crate::token::TokenKind;

const SIDES: [(&str, &str); 3] = [("BOTH", "btrim"), ("LEADING", "ltrim"), ("TRAILING", "rtrim")];

impl Parser<'_> {
    /// The arguments of `trim`, behind its `(`; `name` becomes that of the function that is meant.
    pub(super) fn trim_arguments(&mut self, name: &mut QualifiedName) -> Parsed<Vec<Expr>> {
        let side = self.side();
        if side.is_some() {
            self.bump();
        }
        let mut characters = None;
        if side.is_none() || !self.is_spelt("FROM") {
            let first = self.value()?;
            if side.is_none() && !self.is_spelt("FROM") {
                return self.more_arguments(name, false, vec![first]);
            }
            characters = Some(first);
        }
        self.expect_word("FROM", "and the text to trim")?;
        let text = self.value()?;
        self.expect(TokenKind::RightParen, "\")\" to close the arguments of trim")?;
        name.parts = vec![side.unwrap_or("btrim").to_owned()];
        Ok([Some(text), characters].into_iter().flatten().collect())
    }

    /// The function for the side that is named here. A variable may be called so, too: behind it there is no
    /// other operand.
    fn side(&self) -> Option<&'static str> {
        let operand = matches!(
            self.next_kind(),
            TokenKind::String | TokenKind::Word(_) | TokenKind::QuotedName | TokenKind::Parameter
        );
        SIDES.iter().find(|(word, _)| operand && self.is_spelt(word)).map(|(_, function)| *function)
    }
}
