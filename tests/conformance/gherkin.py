"""Reads feature files: takes text, gives scenarios with outlines expanded and backgrounds in front.

1. Lines: comments and tags out, `\"\"\"` blocks and `|` tables belong to the step above.
2. A table's cells are unescaped as Gherkin says: `\\|`, `\\\\`, `\\n`.
3. A scenario outline becomes one scenario per example row, `<column>` replaced in step texts, blocks and tables.
"""

import dataclasses
import re


@dataclasses.dataclass
class Step:
    """`text` without its keyword; `block` is the quoted text below it, `table` its rows, each None if there is none."""

    text: str
    block: str | None = None
    table: list | None = None

    def filled(self, values):
        """The step of one example row."""

        def fill(text):
            return re.sub(r"<([^<>\n]+)>", lambda m: values.get(m.group(1), m.group(0)), text)

        return Step(fill(self.text), None if self.block is None else fill(self.block),
                    None if self.table is None else [[fill(cell) for cell in row] for row in self.table])


@dataclasses.dataclass
class Scenario:
    """`name` as in the file; an example of an outline has its number, from 1, over all its tables."""

    name: str
    example: int | None
    steps: list


def cells(line):
    """The cells of a table row."""
    found, cell, escaped = [], "", False
    for character in line.strip()[1:]:
        if escaped:
            cell += {"n": "\n", "|": "|", "\\": "\\"}.get(character, "\\" + character)
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == "|":
            found.append(cell.strip(" \t"))
            cell = ""
        else:
            cell += character
    return found


def scenarios(text):
    """All scenarios of a feature file, in order."""
    background, raw = [], []  # raw: [name, is outline, steps, example tables]
    steps, tables, lines, position = background, None, text.splitlines(), 0
    while position < len(lines):
        line = lines[position].strip()
        position += 1
        if not line or line.startswith(("#", "@")):
            continue
        if line == '"""':
            indent = len(lines[position - 1]) - len(lines[position - 1].lstrip())
            block = []
            while lines[position].strip() != '"""':
                start = lines[position]
                block.append(start[min(indent, len(start) - len(start.lstrip())):])
                position += 1
            position += 1
            steps[-1].block = "\n".join(block)
        elif line.startswith("|"):
            if tables is not None:
                tables[-1].append(cells(line))
            else:
                steps[-1].table = (steps[-1].table or []) + [cells(line)]
        elif line.startswith("Feature:"):
            steps = []  # prose may follow
        elif line.startswith("Background:"):
            steps, tables = background, None
        elif match := re.match(r"Scenario( Outline)?:\s*(.*)", line):
            steps, tables = [], None
            raw.append((match.group(2), bool(match.group(1)), steps, []))
        elif line.startswith("Examples:"):
            tables = raw[-1][3]
            tables.append([])
        elif match := re.match(r"(?:Given|When|Then|And|But)\s+(.*)", line):
            tables = None
            steps.append(Step(match.group(1)))
        elif raw:
            raise ValueError(f"line {position}: cannot read {line!r}")
    result = []
    for name, is_outline, steps, tables in raw:
        if not is_outline:
            result.append(Scenario(name, None, background + steps))
            continue
        number = 0
        for header, *rows in tables:
            for row in rows:
                number += 1
                values = dict(zip(header, row, strict=True))
                result.append(Scenario(name, number, [step.filled(values) for step in background + steps]))
    return result
