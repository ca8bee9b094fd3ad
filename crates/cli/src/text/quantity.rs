//! Numbers for people, and numbers of people: counts, bytes, durations.
#![expect(clippy::cast_precision_loss, reason = "three digits are shown")]

use std::time::Duration;

/// Digits in groups of three: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many each second.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shown")]
pub(crate) fn per_second(count: u64, seconds: f64) -> u64 {
    (count as f64 / seconds) as u64
}

/// Two or three digits and a unit: `870`, `12.3 k`, `4.1 M`, `2.0 G`.
pub(crate) fn short(number: u64) -> String {
    scaled(number as f64, 1000.0, &["", " k", " M", " G", " T"])
}

/// Bytes in units of 1000: `512 B`, `12.3 kB`, `4.1 MB`.
pub(crate) fn bytes(number: u64) -> String {
    scaled(number as f64, 1000.0, &[" B", " kB", " MB", " GB", " TB"])
}

fn scaled(mut number: f64, base: f64, units: &[&str]) -> String {
    let mut unit = 0;
    // 999.95 would be shown as 1000.0.
    while number >= if unit == 0 { base } else { base - 0.05 } && unit + 1 < units.len() {
        number /= base;
        unit += 1;
    }
    let digits = usize::from(unit > 0);
    format!("{number:.digits$}{}", units[unit])
}

/// A time with three digits: `870 µs`, `12.3 ms`, `4.21 s`, `2 min 5 s`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 0.000_999_5 => format!("{:.0} µs", s * 1e6),
        s if s < 0.01 => format!("{:.2} ms", s * 1e3),
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s if s < 0.999_5 => format!("{:.0} ms", s * 1e3),
        s if s < 60.0 => format!("{s:.2} s"),
        s => format!("{} min {} s", (s / 60.0).floor(), (s % 60.0).floor()),
    }
}

/// `one` thing, or so many `things`.
pub(crate) fn plural(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {many}", grouped(number)) }
}

/// `… 97 more rows`.
pub(crate) fn more_rows(number: u64) -> String {
    format!("… {} more {}", grouped(number), if number == 1 { "row" } else { "rows" })
}

/// Bytes as people write them: `1000`, `512MiB`, `4GB`, `1.5 g`.
pub(crate) fn parse_bytes(text: &str) -> Result<usize, String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "ki" | "kib" => 1024.0,
        "mi" | "mib" => 1_048_576.0,
        "gi" | "gib" => 1_073_741_824.0,
        "ti" | "tib" => 1_099_511_627_776.0,
        _ => return Err(format!("unknown unit \"{}\"; write 4GB or 512MiB", unit.trim())),
    };
    match number.parse::<f64>() {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and is not negative"
        )]
        Ok(n) if n > 0.0 => Ok((n * factor) as usize),
        _ => Err("not a number of bytes; write 4GB or 512MiB".into()),
    }
}
