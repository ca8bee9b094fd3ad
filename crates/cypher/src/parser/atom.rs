//! Atoms: literals, variables, parameters, calls, and everything that begins with a word or bracket of its
//! own.

use trimorph_base::nearest;

use super::error::{syntax, with_hint};
use super::lookahead::Bracket;
use super::{Parsed, Parser};
use crate::absent;
use crate::ast::{Expr, ExprKind, FunctionCall, Literal, QualifiedName, SubqueryKind};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// An atom. In parentheses it keeps its kind and takes their span.
    pub(super) fn atom(&mut self) -> Parsed<Expr> {
        if self.kind() == TokenKind::LeftParen {
            return if self.path_at(self.at) { self.path_expression() } else { self.parenthesised() };
        }
        let start = self.start();
        let kind = self.atom_kind()?;
        self.grow()?;
        Ok(Expr { kind, span: self.span_from(start) })
    }

    #[inline(never)]
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let start = self.bump().start;
        let mut inner = self.predicate()?;
        if self.eat(TokenKind::RightParen).is_none() {
            let error = self.expected("an operator or \")\"");
            let is_list = self.kind() == TokenKind::Comma;
            return Err(if is_list { with_hint(error, "write [a, b] for a list") } else { error });
        }
        inner.span = self.span_from(start);
        Ok(inner)
    }

    /// `(a)-->(b)`.
    #[inline(never)]
    fn path_expression(&mut self) -> Parsed<Expr> {
        let path = self.anonymous_path()?;
        self.refuse_parameter_map(&path)?;
        self.grow()?;
        let span = path.span;
        Ok(Expr { kind: ExprKind::Pattern(Box::new(path)), span })
    }

    fn atom_kind(&mut self) -> Parsed<ExprKind> {
        let token = self.token();
        match token.kind {
            TokenKind::Word(Some(keyword)) => self.keyword_atom(keyword),
            TokenKind::Word(None) | TokenKind::QuotedName => self.named_atom(),
            TokenKind::Integer | TokenKind::HexInteger | TokenKind::OctalInteger => {
                self.bump();
                Ok(ExprKind::Literal(Literal::Integer(self.integer(token, false)?)))
            }
            TokenKind::Float => {
                self.bump();
                Ok(ExprKind::Literal(Literal::Float(self.float(token)?)))
            }
            TokenKind::String => {
                self.bump();
                Ok(ExprKind::Literal(Literal::String(self.string(token)?)))
            }
            TokenKind::Parameter => Ok(ExprKind::Parameter(self.take_parameter().text)),
            TokenKind::LeftBrace => Ok(ExprKind::Map(self.map_entries()?)),
            TokenKind::LeftBracket => match self.bracket_ahead() {
                Bracket::List => self.list(),
                Bracket::ListComprehension => self.list_comprehension(),
                Bracket::PatternComprehension => self.pattern_comprehension(),
            },
            _ => Err(self.expected("an expression")),
        }
    }

    /// An atom that begins with a keyword, which may be just a name.
    fn keyword_atom(&mut self, keyword: Keyword) -> Parsed<ExprKind> {
        use Keyword as K;
        let call = self.next_kind() == TokenKind::LeftParen;
        match keyword {
            K::Null => Ok(self.literal_word(Literal::Null)),
            K::True => Ok(self.literal_word(Literal::Boolean(true))),
            K::False => Ok(self.literal_word(Literal::Boolean(false))),
            K::Case => self.case(),
            K::All | K::Any | K::None | K::Single if call && self.quantifier_ahead() => {
                self.quantifier(keyword)
            }
            K::Reduce if call && self.kind_at(self.at + 3) == TokenKind::Equal => self.reduce(),
            K::ShortestPath | K::AllShortestPaths if call => self.shortest_path_value(),
            K::Count if call && self.kind_at(self.at + 2) == TokenKind::Star => self.count_star(),
            K::Exists if self.subquery_ahead() => self.subquery(SubqueryKind::Exists),
            K::Count if self.subquery_ahead() => self.subquery(SubqueryKind::Count),
            K::Collect if self.subquery_ahead() => self.subquery(SubqueryKind::Collect),
            _ if keyword.is_reserved() => Err(self.reserved_word(keyword)),
            _ => self.named_atom(),
        }
    }

    fn reserved_word(&self, keyword: Keyword) -> Box<trimorph_base::Diagnostic> {
        let error = self.expected("an expression");
        match keyword {
            Keyword::Not => with_hint(error, "put the negation in parentheses"),
            Keyword::Contains => with_hint(error, "write text CONTAINS 'a'"),
            Keyword::Xor => with_hint(error, "write a XOR b"),
            _ => error,
        }
    }

    fn literal_word(&mut self, literal: Literal) -> ExprKind {
        self.bump();
        ExprKind::Literal(literal)
    }

    fn count_star(&mut self) -> Parsed<ExprKind> {
        self.bump();
        self.bump();
        self.bump();
        self.expect(TokenKind::RightParen, "\")\" after count(*")?;
        Ok(ExprKind::CountStar)
    }

    fn shortest_path_value(&mut self) -> Parsed<ExprKind> {
        let path = self.anonymous_path()?;
        self.refuse_parameter_map(&path)?;
        Ok(ExprKind::ShortestPath(Box::new(path)))
    }

    /// A call, a map projection or a variable.
    fn named_atom(&mut self) -> Parsed<ExprKind> {
        if self.function_ahead() {
            return self.function();
        }
        if self.next_kind() == TokenKind::LeftBrace {
            return self.map_projection();
        }
        Ok(ExprKind::Variable(self.take_ident().text))
    }

    #[inline(never)]
    fn function(&mut self) -> Parsed<ExprKind> {
        let mut name = self.qualified_name("a function name")?;
        self.bump();
        let distinct = self.eat_keyword(Keyword::Distinct);
        let is = |word: &str| matches!(name.parts.as_slice(), [only] if only.eq_ignore_ascii_case(word));
        let arguments = match is("trim") && self.kind() != TokenKind::RightParen {
            true => self.trim_arguments(&mut name)?,
            false => self.arguments(&name, is("exists"))?,
        };
        Ok(ExprKind::Function(Box::new(FunctionCall { name, distinct, arguments })))
    }

    /// `a, b)`: arguments, among them bare paths only if `paths`, and the `)`.
    pub(super) fn arguments(&mut self, name: &QualifiedName, paths: bool) -> Parsed<Vec<Expr>> {
        if self.eat(TokenKind::RightParen).is_some() {
            return Ok(Vec::new());
        }
        if self.kind() == TokenKind::Star {
            let primary = format!("{}(*) is not a call, only count(*) is", name.dotted());
            let error = syntax("UnexpectedSyntax", primary, self.token().span());
            return Err(if nearest(&name.dotted(), ["count"]).is_some() {
                with_hint(error, "did you mean count(*)?")
            } else {
                error
            });
        }
        let first = if paths { self.predicate()? } else { self.value()? };
        self.more_arguments(name, paths, vec![first])
    }

    /// `, b)`: what follows the first argument.
    pub(super) fn more_arguments(
        &mut self,
        name: &QualifiedName,
        paths: bool,
        mut arguments: Vec<Expr>,
    ) -> Parsed<Vec<Expr>> {
        loop {
            if self.eat(TokenKind::RightParen).is_some() {
                return Ok(arguments);
            }
            if self.eat(TokenKind::Comma).is_none() {
                let what = format!("\",\" or \")\" to close the arguments of {}", name.dotted());
                let error = self.expected(&what);
                return Err(match absent::function(&name.dotted()) {
                    Some(instead) => with_hint(error, instead),
                    None => error,
                });
            }
            arguments.push(if paths { self.predicate()? } else { self.value()? });
        }
    }
}
