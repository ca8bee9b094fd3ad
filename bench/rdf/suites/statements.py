"""Random statements as N-Triples, and the command that writes them; what the generators of this folder share."""

import argparse
import random


class Statements:
    """Writes statements to `out`; the same seed makes the same ones."""

    def __init__(self, seed, out, letters, lengths, words):
        self.random = random.Random(seed)
        self.out = out
        self.words = ["".join(self.random.choice(letters) for _ in range(self.random.randint(*lengths))) for _ in range(words)]

    def say(self, subject, predicate, value):
        """One statement; the predicate is an IRI, the others are terms as they are written."""
        self.out.write(f"{subject} <{predicate}> {value} .\n")

    def text(self, least, most):
        return '"' + " ".join(self.random.choices(self.words, k=self.random.randint(least, most))) + '"'


def main(description, counted, kind):
    """`COUNT OUT [--seed N]`: writes `kind(COUNT, N, file)`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(counted, type=int)
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with open(arguments.out, "w", encoding="utf-8") as file:
        kind(getattr(arguments, counted), arguments.seed, file).write()
