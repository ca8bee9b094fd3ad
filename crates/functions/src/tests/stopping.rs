//! What takes long within one call stops when it is told to.

use trimorph_base::{CancelToken, Diagnostic, Stop};
use trimorph_types::Value;

use crate::aggregate::{Accumulator, AggregateFunction};
use crate::operators::{add_until, in_list_until, regex_match_until};
use crate::{Clock, Context, NoGraph, lookup};

const NOW: Clock = Clock { seconds: 0, nanos: 0 };

#[track_caller]
fn is_stopped(what: &str, result: Result<Value, Diagnostic>) {
    match result {
        Err(error) => assert_eq!(error.stop, Some(Stop::Cancelled), "{what}: {error}"),
        Ok(_) => panic!("{what} went on to its end"),
    }
}

#[test]
fn long_values_are_not_gone_through_to_their_end() {
    let cancel = CancelToken::default();
    cancel.cancel();
    let text = Value::string("ab,".repeat(1 << 19));
    let list = Value::list((0..100_000).map(Value::Int).collect());
    let part = |text: &str| Value::string(text);
    for (name, args) in [
        ("range", vec![Value::Int(1), Value::Int(100_000)]),
        ("split", vec![text.clone(), part(",")]),
        ("split", vec![text.clone(), part("")]),
        ("split", vec![text.clone(), Value::list(vec![part("x"), part("y")])]),
        ("replace", vec![text.clone(), part("a"), part("cd")]),
        ("reverse", vec![list.clone()]),
        ("tail", vec![list.clone()]),
        ("toUpper", vec![text.clone()]),
        ("toLower", vec![text.clone()]),
    ] {
        let function = lookup(name).unwrap();
        is_stopped(name, function.invoke(&Context::new(&NoGraph, NOW, 1).until(&cancel), &args));
        assert!(function.invoke(&Context::new(&NoGraph, NOW, 1), &args).is_ok(), "{name}");
    }
    for (a, b) in [(&list, &list), (&list, &Value::Int(1)), (&Value::Int(1), &list)] {
        is_stopped("+", add_until(a, b, Some(&cancel)));
    }
    is_stopped("IN", in_list_until(&Value::Int(-1), &list, Some(&cancel)));
    is_stopped("=~", regex_match_until(&text, &part("(ab|,)*"), Some(&cancel)));
    // What backtracks looks whenever it looks at the text: one step may go through the rest of it.
    for pattern in [r"(.).\1*", "(?=.*x)a.*", "(?>ab)*+,", r"(?:.(?=(?:(.)\1?)*+X))*"] {
        is_stopped(pattern, regex_match_until(&part("ab,ab"), &part(pattern), Some(&cancel)));
        let going = CancelToken::default();
        assert!(regex_match_until(&part("ab,ab"), &part(pattern), Some(&going)).is_ok(), "{pattern}");
    }
    let mut median = Accumulator::new(AggregateFunction::PercentileCont);
    median.set_parameter(&Value::Float(0.5)).unwrap();
    (0..1000).for_each(|i| median.update(&Value::Int(i), 1).unwrap());
    is_stopped("percentileCont", median.finish_until(Some(&cancel)));
}
