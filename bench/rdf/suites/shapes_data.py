"""Statements about subjects of many shapes, as N-Triples: `python bench/rdf/suites/shapes_data.py KIND STATEMENTS OUT.nt [--seed N]`.

A shape is the set of predicates that a subject has. By KIND:

uniform     one shape of ten predicates: what the others are compared with
classes     500 shapes, each with predicates of its own and a class: 5,000 predicates, as a schema would have them
predicates  the same without the classes
sets        100,000 shapes: three predicates that all have, and any of 17 more
loose       ten of 5,000 predicates at random, some far more often than others: hardly a shape comes twice

A predicate's number says what its values are: integers, texts of few words, days, or other subjects. Nothing is kept in memory, so a
file may be of any size; the same arguments make the same file.
"""

import argparse
import random

PLACE = "http://example.org/shapes/"
XSD = "http://www.w3.org/2001/XMLSchema#"
CLASSES, PREDICATES, SETS, OPTIONAL = 500, 5000, 100_000, 17
# Subjects written at once.
BLOCK = 10_000


def shape_of(kind, subject, draw):
    """The numbers of the predicates of a subject."""
    match kind:
        case "uniform":
            return range(10)
        case "classes" | "predicates":
            first = subject % CLASSES * 10
            return range(first, first + 10)
        case "sets":
            # Any two of 100,000 subjects in a row have different sets, and neighbours hardly anything in common.
            bits = subject % SETS
            bits = (bits ^ bits << 7 ^ bits << 11) & (1 << OPTIONAL) - 1
            return [0, 1, 2] + [3 + bit for bit in range(OPTIONAL) if bits >> bit & 1]
        case "loose":
            return {int(PREDICATES * draw() ** 3) for _ in range(10)}
    raise ValueError(f"there is no kind {kind!r}")


def value_of(predicate, subjects, words, draw):
    match predicate % 4:
        case 0:
            return f'"{int(draw() * 1000)}"^^<{XSD}integer>'
        case 1:
            return f'"{words[int(draw() * len(words))]} {words[int(draw() * len(words))]}"'
        case 2:
            return f"<{PLACE}s{int(draw() * subjects)}>"
    return f'"20{10 + int(draw() * 15)}-{1 + int(draw() * 12):02}-{1 + int(draw() * 28):02}"^^<{XSD}date>'


def write(kind, statements, seed, out):
    draw = random.Random(seed).random
    words = ["".join(chr(97 + int(draw() * 26)) for _ in range(4 + int(draw() * 6))) for _ in range(2000)]
    subjects, written, subject = max(1, statements // 10), 0, 0
    while written < statements:
        lines = []
        for subject in range(subject, subject + BLOCK):
            if written + len(lines) >= statements:
                break
            own = f"<{PLACE}s{subject}>"
            if kind == "classes":
                lines.append(f"{own} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{PLACE}C{subject % CLASSES}> .\n")
            lines += [f"{own} <{PLACE}p{p}> {value_of(p, subjects, words, draw)} .\n" for p in shape_of(kind, subject, draw)]
        subject += 1
        written += len(lines)
        out.write("".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["uniform", "classes", "predicates", "sets", "loose"])
    parser.add_argument("statements", type=int)
    parser.add_argument("out", help="a file, or /dev/stdout")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with open(arguments.out, "w", encoding="utf-8") as file:
        write(arguments.kind, arguments.statements, arguments.seed, file)


if __name__ == "__main__":
    main()
