//! Aligned columns without lines: cells in, text out.

use unicode_width::UnicodeWidthStr as _;

/// On which side a column's cells are flush.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Columns of a terminal that `text` takes, escape sequences not counted.
pub(crate) fn width(text: &str) -> usize {
    let mut plain = 0;
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        plain += rest[..at].width();
        rest = rest[at..].find('m').map_or("", |end| &rest[at + end + 1..]);
    }
    plain + rest.width()
}

/// `text` filled up with spaces.
pub(crate) fn pad(text: &str, to: usize, align: Align) -> String {
    let space = " ".repeat(to.saturating_sub(width(text)));
    match align {
        Align::Left => format!("{text}{space}"),
        Align::Right => format!("{space}{text}"),
    }
}

/// Rows of cells as lines, two spaces between columns, `indent` spaces before; no spaces at line ends.
pub(crate) fn align(rows: &[Vec<String>], aligns: &[Align], indent: usize) -> String {
    let widths: Vec<usize> = (0..aligns.len())
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| width(t)).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).zip(aligns).map(|((text, to), align)| pad(text, *to, *align));
        let line = format!("{}{}", " ".repeat(indent), cells.collect::<Vec<_>>().join("  "));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A bar for `share` of 0 to 1, at most `cells` wide, in eighths of a cell; something for anything above
/// zero.
pub(crate) fn bar(share: f64, cells: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "small"
    )]
    let eighths = (share.clamp(0.0, 1.0) * cells as f64 * 8.0).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8])
}

/// `text` on at most `to` columns.
pub(crate) fn cut(text: &str, to: usize) -> String {
    if width(text) <= to {
        return text.to_owned();
    }
    let mut out = String::new();
    for c in text.chars() {
        if width(&out) + unicode_width::UnicodeWidthChar::width(c).unwrap_or(0) + 1 > to {
            break;
        }
        out.push(c);
    }
    out + "…"
}

/// Words of `text` in lines of at most `to` columns, longer words excepted. Only spaces part words.
pub(crate) fn wrap(text: &str, to: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|w| !w.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if width(line) + 1 + width(word) <= to => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
