//! Cells in, a framed table out, no wider than the terminal: cells are cut first, then columns in the middle
//! are left out.
//!
//! 1. A column is as wide as its widest cell.
//! 2. Where all are too wide together, the widest are cut to one width, but not below [`CUT_MIN`].
//! 3. Where they are still too wide, columns are kept from both ends in turns as long as they fit; one column
//!    with `…` stands for the others.
//! 4. What room is left then, the kept columns get back.

use std::fmt::Write as _;

use crate::terminal::Paint;
use crate::text::columns::{Align, cut, pad, width};

/// Columns are not cut below this to make room for others.
const CUT_MIN: usize = 16;

/// How a table is framed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Frame {
    /// Lines with round corners.
    Round,
    /// `+`, `-` and `|`.
    Ascii,
    /// No lines but one below the head.
    Plain,
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Its text, on one line.
    pub(crate) text: String,
    /// Whether it is null.
    pub(crate) is_null: bool,
}

/// What is drawn.
pub(crate) struct Grid<'a> {
    /// Names of columns.
    pub(crate) head: &'a [String],
    /// Their types, if they are shown.
    pub(crate) types: Option<&'a [String]>,
    /// Whether a column's cells are flush right.
    pub(crate) numeric: &'a [bool],
    /// Rows.
    pub(crate) rows: &'a [Vec<Cell>],
    /// Before which row some are left out.
    pub(crate) gap: Option<usize>,
}

/// A column that is drawn: one of the grid's, or the one that stands for those left out.
type Shown = (Option<usize>, usize);

/// The table's text without a line end, and how many columns are left out.
pub(crate) fn draw(grid: &Grid<'_>, frame: Frame, to: Option<usize>, color: bool) -> (String, usize) {
    let natural: Vec<usize> = (0..grid.head.len()).map(|c| widest(grid, c)).collect();
    let shown = choose(&natural, frame, to);
    let hidden = grid.head.len() - shown.iter().filter(|(c, _)| c.is_some()).count();
    let paint = Paint { on: color };
    let mut out = String::new();
    let line = |out: &mut String, cells: &mut dyn FnMut(Option<usize>, usize) -> String| {
        let cells: Vec<String> = shown.iter().map(|(c, width)| cells(*c, *width)).collect();
        let text = match frame {
            Frame::Round => format!("│ {} │", cells.join(" │ ")),
            Frame::Ascii => format!("| {} |", cells.join(" | ")),
            Frame::Plain => cells.join("  ").trim_end().to_owned(),
        };
        out.push_str(&text);
        out.push('\n');
    };
    rule(&mut out, &shown, frame, ('╭', '┬', '╮'));
    line(&mut out, &mut |c, to| match c {
        Some(c) => paint.bold(pad(&cut(&grid.head[c], to), to, side(grid, c))),
        None => paint.bold("…"),
    });
    if let Some(types) = grid.types {
        line(&mut out, &mut |c, to| match c {
            Some(c) => paint.dim(pad(&cut(&types[c], to), to, side(grid, c))),
            None => paint.dim("…"),
        });
    }
    match frame {
        Frame::Plain => line(&mut out, &mut |_, to| "─".repeat(to)),
        _ => rule(&mut out, &shown, frame, ('├', '┼', '┤')),
    }
    for (at, row) in grid.rows.iter().enumerate() {
        if grid.gap == Some(at) {
            line(&mut out, &mut |c, to| paint.dim(pad("…", to, c.map_or(Align::Left, |c| side(grid, c)))));
        }
        line(&mut out, &mut |c, to| match c.and_then(|c| row.get(c).zip(Some(side(grid, c)))) {
            Some((cell, side)) => {
                let text = pad(&cut(&cell.text, to), to, side);
                if cell.is_null { paint.dim(text) } else { text }
            }
            None => paint.dim("…"),
        });
    }
    rule(&mut out, &shown, frame, ('╰', '┴', '╯'));
    out.truncate(out.trim_end_matches('\n').len());
    (out, hidden)
}

fn side(grid: &Grid<'_>, column: usize) -> Align {
    if grid.numeric[column] && !grid.rows.is_empty() { Align::Right } else { Align::Left }
}

/// How wide a column is by itself.
fn widest(grid: &Grid<'_>, column: usize) -> usize {
    let kind = grid.types.map_or(0, |types| width(&types[column]));
    let cells = grid.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(&cell.text));
    cells.max().unwrap_or(0).max(width(&grid.head[column])).max(kind).max(1)
}

/// A line between rows, if the frame has them.
fn rule(out: &mut String, shown: &[Shown], frame: Frame, (left, middle, right): (char, char, char)) {
    let (bar, (left, middle, right)) = match frame {
        Frame::Round => ("─", (left, middle, right)),
        Frame::Ascii => ("-", ('+', '+', '+')),
        Frame::Plain => return,
    };
    for (i, (_, width)) in shown.iter().enumerate() {
        out.push(if i == 0 { left } else { middle });
        // Infallible: it is a text.
        let _ = write!(out, "{}", bar.repeat(width + 2));
    }
    out.push(right);
    out.push('\n');
}

/// Columns that a table takes besides its cells.
fn lines(columns: usize, frame: Frame) -> usize {
    match frame {
        Frame::Plain => 2 * columns.saturating_sub(1),
        _ => 3 * columns + 1,
    }
}

/// Which columns are shown, and how wide.
fn choose(natural: &[usize], frame: Frame, to: Option<usize>) -> Vec<Shown> {
    let all = || natural.iter().enumerate().map(|(c, width)| (Some(c), *width)).collect::<Vec<Shown>>();
    let Some(to) = to else { return all() };
    let room = to.saturating_sub(lines(natural.len(), frame));
    let least: usize = natural.iter().map(|w| (*w).min(CUT_MIN)).sum();
    if least <= room {
        return narrow(all(), room, CUT_MIN);
    }
    // From both ends in turns, next to the column that stands for the others.
    let (mut left, mut right) = (0, natural.len());
    let mut used = 1;
    loop {
        let next = if left <= natural.len() - right { left } else { right - 1 };
        let columns = left + (natural.len() - right) + 2;
        let with = used + natural[next].min(CUT_MIN);
        if left >= right || lines(columns, frame) + with > to {
            break;
        }
        used = with;
        if next == left { left += 1 } else { right -= 1 }
    }
    if left == 0 {
        // Not even one fits beside the others: the first alone, as wide as there is room.
        let others = usize::from(natural.len() > 1);
        let room = to.saturating_sub(lines(1 + others, frame) + others).max(1);
        let mut shown = vec![(Some(0), natural[0].min(room))];
        shown.extend((others > 0).then_some((None, 1)));
        return shown;
    }
    let mut shown: Vec<Shown> = (0..left).map(|c| (Some(c), natural[c])).collect();
    shown.push((None, 1));
    shown.extend((right..natural.len()).map(|c| (Some(c), natural[c])));
    let room = to.saturating_sub(lines(shown.len(), frame));
    narrow(shown, room, CUT_MIN)
}

/// Cuts the widest columns to one width, so that all have `room`.
fn narrow(mut shown: Vec<Shown>, room: usize, least: usize) -> Vec<Shown> {
    let widest = shown.iter().map(|(_, w)| *w).max().unwrap_or(0);
    let sum = |most: usize| shown.iter().map(|(_, w)| (*w).min(most)).sum::<usize>();
    // The largest width for which all have room.
    let (mut low, mut high) = (least.min(widest), widest);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if sum(middle) <= room { low = middle } else { high = middle - 1 }
    }
    // What is left then, columns get one by one.
    let mut left = room.saturating_sub(sum(low));
    for (_, width) in &mut shown {
        let more = usize::from(*width > low && left > 0);
        left -= more;
        *width = (*width).min(low + more);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(natural: &[usize], to: usize, expect: &[(Option<usize>, usize)]) {
        let shown = choose(natural, Frame::Round, Some(to));
        assert_eq!(shown, expect, "{natural:?} in {to}");
        let used: usize = shown.iter().map(|(_, w)| w).sum();
        assert!(used + lines(shown.len(), Frame::Round) <= to.max(8), "{natural:?} in {to}");
    }

    #[test]
    fn columns_are_cut_then_left_out_from_the_middle() {
        check(&[4, 5], 80, &[(Some(0), 4), (Some(1), 5)]);
        check(&[4, 100], 40, &[(Some(0), 4), (Some(1), 29)]);
        check(&[90, 100], 47, &[(Some(0), 20), (Some(1), 20)]);
        check(&[10; 6], 40, &[(Some(0), 10), (None, 1), (Some(5), 10)]);
        check(&[8, 8, 8, 8, 8], 50, &[(Some(0), 8), (Some(1), 8), (None, 1), (Some(3), 8), (Some(4), 8)]);
        check(&[30, 8, 8, 8, 30], 50, &[(Some(0), 20), (None, 1), (Some(4), 19)]);
        check(&[100], 30, &[(Some(0), 26)]);
        check(&[100, 100], 20, &[(Some(0), 12), (None, 1)]);
        check(&[3; 400], 30, &[(Some(0), 3), (Some(1), 3), (None, 1), (Some(398), 3), (Some(399), 3)]);
    }
}
