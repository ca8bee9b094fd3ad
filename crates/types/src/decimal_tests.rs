//! Decimals: text, exactness, arithmetic.

use std::cmp::Ordering;

use crate::samples::Samples;
use crate::{Decimal, Value};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

#[test]
fn values_do_not_grow() {
    assert_eq!(size_of::<Value>(), 40);
    assert_eq!(align_of::<Value>(), 8);
}

#[test]
fn text_is_canonical() {
    for (text, expected) in [
        ("0", Some("0")),
        ("-0.00", Some("0")),
        ("+007.50", Some("7.5")),
        (".5", Some("0.5")),
        ("-5.", Some("-5")),
        ("-0.05", Some("-0.05")),
        ("100", Some("100")),
        ("0.000000000000000001", Some("0.000000000000000001")),
        ("123456789012345678901234567890.12345678", Some("123456789012345678901234567890.12345678")),
        ("99999999999999999999999999999999999999", Some("99999999999999999999999999999999999999")),
        ("100000000000000000000000000000000000000", None),
        ("0.000000000000000000000000000000000000001", None),
        ("", None),
        (".", None),
        ("-", None),
        ("1e5", None),
        (" 1", None),
        ("1.2.3", None),
        ("--1", None),
        ("٣", None),
    ] {
        assert_eq!(Decimal::parse(text).map(|d| d.to_string()).as_deref(), expected, "{text}");
    }
}

#[test]
fn arithmetic() {
    for (a, b, sum, product, quotient, remainder) in [
        ("0.1", "0.2", "0.3", "0.02", "0.5", "0.1"),
        ("1", "3", "4", "3", "0.333333333333333333", "1"),
        ("-7.5", "2", "-5.5", "-15", "-3.75", "-1.5"),
        ("1", "8", "9", "8", "0.125", "1"),
        ("-2", "3", "1", "-6", "-0.666666666666666666", "-2"),
    ] {
        let (x, y) = (decimal(a), decimal(b));
        assert_eq!(x.plus(y), Some(decimal(sum)), "{a} + {b}");
        assert_eq!(x.times(y), Some(decimal(product)), "{a} * {b}");
        assert_eq!(x.divided(y), Some(decimal(quotient)), "{a} / {b}");
        assert_eq!(x.remainder(y), Some(decimal(remainder)), "{a} % {b}");
        assert_eq!(x.plus(x.negated()), Some(Decimal::default()));
    }
    let most = decimal("99999999999999999999999999999999999999");
    assert_eq!(most.plus(decimal("1")), None);
    assert_eq!(most.times(most), None);
    assert_eq!(most.divided(Decimal::default()), None);
    assert_eq!(most.divided(decimal("1")), Some(most));
    assert_eq!(most.negated().whole(), -most.whole());
}

#[test]
fn quotients_are_those_of_one_digit_after_the_other() {
    let mut random = Samples::new(11);
    for round in 0..4_000 {
        let mut drawn = || {
            let unscaled = i128::from(random.between(-1_000_000_000, 1_000_000_000));
            let larger = if random.between(0, 3) == 0 { 10_i128.pow(19) + 7 } else { 1 };
            Decimal::new(unscaled * larger, u8::try_from(random.between(0, 25)).unwrap()).unwrap()
        };
        let (a, b) = (drawn(), drawn());
        // What is divided has the digits of both behind the point.
        let scale = a.scale().max(b.scale());
        let raised = |n: Decimal| n.unscaled().checked_mul(10_i128.pow((scale - n.scale()).into()));
        let by_digit =
            raised(a).zip(raised(b)).and_then(|(x, y)| Decimal::divided_by_digit(x, y, a.scale().max(18)));
        assert_eq!(a.divided(b), by_digit, "round {round}: {a} / {b}");
    }
    let unit = decimal("0.0000000000000000001");
    assert_eq!(decimal("1").divided(decimal("-8")), Some(decimal("-0.125")));
    assert_eq!(unit.divided(decimal("7")), Some(decimal("0")));
}

#[test]
fn floats_are_compared_exactly() {
    let mut random = Samples::new(7);
    for _ in 0..2_000 {
        // Few bits and few places, so that ties come.
        let scale = random.between(0, 12);
        let unscaled = random.between(-5_000_000, 5_000_000);
        let number = Decimal::new(unscaled.into(), u8::try_from(scale).unwrap()).unwrap();
        let near = number.to_float();
        match number.exact_float() {
            Some(float) => {
                assert_eq!(float.to_bits(), (near + 0.0).to_bits(), "{number}");
                assert_eq!(number.compare_float(float), Some(Ordering::Equal), "{number}");
            }
            None => assert_ne!(number.compare_float(near), Some(Ordering::Equal), "{number}"),
        }
        assert_eq!(number.compare_float(near.next_up()), Some(Ordering::Less), "{number}");
        assert_eq!(number.compare_float(near.next_down()), Some(Ordering::Greater), "{number}");
        // The exact expansion of a float decides as well.
        let expansion = format!("{near:.38}");
        if let Some(exact) = Decimal::parse(&expansion).filter(|d| d.exact_float() == Some(near)) {
            assert_eq!(number.compare_float(near), Some(number.cmp(&exact)), "{number}");
        }
    }
}
