//! Operators: expressions against expected text.

use super::functions::check;

#[test]
fn arithmetic() {
    check(
        "
        1 + 2 ==> 3
        1 + 2.0 ==> 3.0
        9223372036854775807 + 1 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 - 1 ==> !ArithmeticError NumberOutOfRange
        9223372036854775807 * 2 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 / -1 ==> !ArithmeticError NumberOutOfRange
        -9223372036854775808 % -1 ==> 0
        -(-9223372036854775808) ==> !ArithmeticError NumberOutOfRange
        7 / 2 ==> 3
        -7 / 2 ==> -3
        7 / 2.0 ==> 3.5
        1 / 0 ==> !ArithmeticError DivisionByZero
        1 % 0 ==> !ArithmeticError DivisionByZero
        1.0 / 0 ==> Inf
        0.0 / 0 ==> NaN
        -7 % 3 ==> -1
        7.5 % 2 ==> 1.5
        2 ^ 3 ==> 8.0
        4 ^ 0.5 ==> 2.0
        null + 1 ==> null
        1 - null ==> null
        null ^ 2 ==> null
        null / 0 ==> null
        true + 1 ==> !TypeError InvalidArgumentType
        {} + 1 ==> !TypeError InvalidArgumentType
        -'a' ==> !TypeError InvalidArgumentType
        ",
    );
}

#[test]
fn concatenation() {
    check(
        "
        'a' + 'b' ==> 'ab'
        'a' + 1 ==> 'a1'
        1.5 + 'a' ==> '1.5a'
        'a' + null ==> null
        'a' + date('2015-07-21') ==> !TypeError InvalidArgumentType
        [1] + [2, null] ==> [1, 2, null]
        [1] + 2 ==> [1, 2]
        0 + [1] ==> [0, 1]
        'a' + ['b'] ==> ['a', 'b']
        [1] + null ==> null
        ",
    );
}

#[test]
fn logic_is_ternary() {
    check(
        "
        true AND null ==> null
        false AND null ==> false
        null AND false ==> false
        true OR null ==> true
        false OR null ==> null
        true XOR null ==> null
        true XOR true ==> false
        NOT null ==> null
        NOT false ==> true
        1 AND true ==> !TypeError InvalidArgumentType
        NOT 'a' ==> !TypeError InvalidArgumentType
        null IS NULL ==> true
        1 IS NOT NULL ==> true
        ",
    );
}

#[test]
fn comparison_across_types() {
    check(
        "
        1 < 2.5 ==> true
        9007199254740993 > 9007199254740992.0 ==> true
        9007199254740993 = 9007199254740992.0 ==> false
        9223372036854775807 < 9223372036854775808.0 ==> true
        1 < 'a' ==> null
        1 = 'a' ==> false
        null = null ==> null
        null <> 1 ==> null
        false < true ==> true
        'a' < 'aa' ==> true
        'B' < 'a' ==> true
        [1, 2] < [1, 3] ==> true
        [1] < [1, 0] ==> true
        [1, null] = [2, null] ==> false
        {a: 1} = {a: 1.0} ==> true
        {a: 1} < {a: 2} ==> true
        {a: null} <= {a: null} ==> null
        NaN = NaN ==> false
        NaN <> NaN ==> true
        NaN <= NaN ==> false
        NaN < 'a' ==> null
        ",
    );
}

#[test]
fn access() {
    check(
        "
        [1, 2, 3][0] ==> 1
        [1, 2, 3][-1] ==> 3
        [1, 2, 3][3] ==> null
        [1, 2, 3][-4] ==> null
        [1][9223372036854775807] ==> null
        [1][-9223372036854775808] ==> null
        [1][null] ==> null
        [1]['a'] ==> !TypeError ListElementAccessByNonInteger
        {a: 1}['a'] ==> 1
        {a: 1}[0] ==> !TypeError MapElementAccessByNonString
        {a: 1}.b ==> null
        null[0] ==> null
        1[0] ==> !TypeError InvalidArgumentType
        {a: {b: 2}}.a.b ==> 2
        [1, 2, 3][1..] ==> [2, 3]
        [1, 2, 3][..-1] ==> [1, 2]
        [1, 2, 3][-9..9] ==> [1, 2, 3]
        [1, 2, 3][2..1] ==> []
        [1, 2, 3][null..1] ==> null
        [1, 2, 3][0..'a'] ==> !TypeError InvalidArgumentType
        'abc'[0..1] ==> !TypeError InvalidArgumentType
        ",
    );
}

#[test]
fn text_and_membership() {
    check(
        r"
        'abc' STARTS WITH 'ab' ==> true
        'abc' ENDS WITH '' ==> true
        'abc' CONTAINS 'x' ==> false
        'abc' CONTAINS 1 ==> null
        null STARTS WITH 'a' ==> null
        'abc' =~ 'a.c' ==> true
        'abc' =~ 'b' ==> false
        'ABC' =~ '(?i)a|abc' ==> true
        'abc' =~ null ==> null
        'abc' =~ '(' ==> !ArgumentError InvalidArgumentValue
        1 IN [1.0] ==> true
        1 IN [] ==> false
        null IN [] ==> false
        null IN [1] ==> null
        1 IN null ==> null
        1 IN 1 ==> !TypeError InvalidArgumentType
        ",
    );
}
