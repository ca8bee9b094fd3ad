"""What openCypher's specification asks for, clause by clause, in files of short rules (`cypher_rules/*.txt`).

A line of its own is an expression: `1 + 2 => 3`, or `1 + true !> SyntaxError compile InvalidArgumentType`. A block begins with
`## what it is about`, or `##` where the query says it; its lines begin with a letter, and a line that begins with none goes on:

| letter | what follows |
|---|---|
| `G` | a statement that is run before |
| `P` | a parameter: name, value |
| `Q` | the query |
| `C`, `R` | the columns, and a row for each `R`, cells divided by `|`; without `C` there are no rows and no columns |
| `O` | the rows come in this order |
| `S` | a side effect: `+nodes 1`; without any the graph is as before |
| `E` | the error: kind, phase (`any` is either), detail (`*` is any) |

They are compared as strictly as the TCK's scenarios, by the same program. Each runs in a database of its own.
"""

import pathlib
import re
import sys

import pytest
import trimorph

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "conformance"))

import tck_scenario  # noqa: E402
from gherkin import Scenario, Step  # noqa: E402

FILES = sorted((HERE / "cypher_rules").glob("*.txt"))
PHASES = {"compile": "compile time", "runtime": "runtime", "any": "any time"}


class Rule:
    """`lines` has what stands behind each letter."""

    def __init__(self, name, **lines):
        self.name = name
        self.lines = {letter: [] for letter in "GPQCROSE"} | lines

    def steps(self):
        """The rule as steps of a scenario."""
        of = self.lines
        yield Step("an empty graph")
        for statement in of["G"]:
            yield Step("having executed:", statement)
        if of["P"]:
            yield Step("parameters are:", None, [line.split(" ", 1) for line in of["P"]])
        yield Step("executing query:", of["Q"][0])
        if of["E"]:
            kind, phase, detail = of["E"][0].split()
            yield Step(f"a {kind} should be raised at {PHASES[phase]}: {detail}")
            return
        order = "in order" if of["O"] else "in any order"
        table = [cells(line) for line in of["C"] + of["R"]]
        yield Step(f"the result should be, {order}:", None, table) if of["C"] else Step("the result should be empty")
        yield Step("the side effects should be:", None, [line.split() for line in of["S"]]) if of["S"] else Step("no side effects")


def cells(line):
    return [cell.strip() for cell in line.split("|")]


def rules(path):
    """The rules of a file, named by their lines."""
    found, block, letter = [], None, None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        name = f"{path.name}:{number}"
        if not line.strip() or line.startswith("//"):
            continue
        if line.startswith("##"):
            block, letter = Rule(f"{name}{line[2:]}"), None
            found.append(block)
        elif one := re.fullmatch(r"(.+) (=>|!>) (.+)", line):
            expression, arrow, answer = one.groups()
            wanted = {"C": ["r"], "R": [answer]} if arrow == "=>" else {"E": [answer]}
            found.append(Rule(f"{name} {expression}", Q=[f"RETURN {expression} AS r"], **wanted))
            block = None
        elif start := re.fullmatch(r"([GPQCROSE])(?: (.*))?", line):
            letter = start.group(1)
            block.lines[letter].append(start.group(2) or "")
        else:
            block.lines[letter][-1] += "\n" + line
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rules(path):
    broken = []
    for rule in rules(path):
        wrong = tck_scenario.run(trimorph, None, Scenario(rule.name, None, list(rule.steps())))
        if wrong:
            broken.append(f"{rule.name}\n    {rule.lines['Q'][0]}\n    {wrong[0]}: {wrong[1]}")
    assert not broken, "\n".join(broken)


def test_there_are_rules():
    assert sum(len(rules(path)) for path in FILES) > 1000
