"""Runs one scenario on the engine: takes its steps, gives None or what is wrong.

Strict, as `../shared/conformance/README.md` asks: an error must agree in kind, phase and detail word; rows in value and
multiplicity, in order where the scenario says so; side effects are the difference of the graph before and after; a query
that fails leaves the graph as it was. "Any graph" is `binary-tree-1`.
Graphs are set up by the scenario's own statements.
"""

import collections
import re

import tck_value

EFFECTS = ("nodes", "relationships", "labels", "properties")


class Wrong(Exception):
    """`category` is for the summary, the text for people."""

    def __init__(self, category, text):
        super().__init__(text)
        self.category = category


class Run:
    """One scenario in a database of its own."""

    def __init__(self, engine, fixtures):
        self.engine, self.fixtures = engine, fixtures
        self.database = self.engine.Database(":memory:", threads=1, test_procedures=True)
        self.connection = self.database.connect()
        self.parameters, self.procedures = {}, []
        self.outcome = None  # ("rows", columns, rows) or ("error", exception)
        self.before = self.after = None

    def steps(self, steps):
        """Runs all of them; raises `Wrong` at the first that does not hold."""
        error_checked = True
        for step in steps:
            if self.outcome and self.outcome[0] == "error" and not error_checked and "should be raised" not in step.text:
                raise unexpected(self.outcome[1])
            if step.text.startswith("executing"):
                error_checked = False
            if "should be raised" in step.text:
                error_checked = True
            self.step(step)
        if self.outcome and self.outcome[0] == "error" and not error_checked:
            raise unexpected(self.outcome[1])

    def step(self, step):
        text = step.text
        if text in ("an empty graph", "any graph") or re.fullmatch(r"the .+ graph", text):
            if text != "an empty graph":
                self.set_up(self.fixtures("binary-tree-1" if text == "any graph" else text.split()[1]))
        elif text == "having executed:":
            self.set_up(step.block)
        elif text == "parameters are:":
            self.parameters = {name: tck_value.read_plain(cell) for name, cell in step.table}
        elif text.startswith("there exists a procedure "):
            self.register(text.removeprefix("there exists a procedure "), step.table or [])
        elif text in ("executing query:", "executing control query:"):
            self.execute(step.block)
        elif text.startswith("the result should be"):
            self.check_result(text, step.table)
        elif text == "no side effects":
            self.check_effects({})
        elif text == "the side effects should be:":
            self.check_effects({name: int(count) for name, count in step.table})
        elif match := re.fullmatch(r"an? (\w+) should be raised at (compile time|runtime|any time): (\S+)", text):
            self.check_error(*match.groups())
        else:
            raise Wrong("harness", f"unknown step {text!r}")

    def set_up(self, query):
        try:
            self.connection.execute(query).fetchall()
        except self.engine.Error as error:
            raise Wrong("setup", f"set-up failed: {describe(error)}") from error

    def register(self, declaration, table):
        match = re.fullmatch(r"([\w.]+)\((.*?)\)\s*::\s*\((.*?)\)\s*:", declaration)
        if not match:
            raise Wrong("harness", f"cannot read the procedure {declaration!r}")
        name, *signatures = match.groups()
        ins, outs = ([[part.strip() for part in field.split("::")] for field in s.split(",") if field.strip()] for s in signatures)
        rows = [[tck_value.read_plain(cell) for cell in row] for row in table[1:]]
        arguments = {"name": name, "ins": ins, "outs": outs, "rows": rows}
        try:
            self.connection.execute("CALL tck.register($name, $ins, $outs, $rows)", arguments).fetchall()
        except self.engine.Error as error:
            raise Wrong("setup", f"tck.register failed: {describe(error)}") from error
        self.procedures.append(name)

    def execute(self, query):
        self.before = self.snapshot()
        try:
            result = self.connection.execute(query, self.parameters)
            rows = [list(row) for row in result]
            self.outcome = ("rows", list(result.columns), rows)
        except self.engine.Error as error:
            self.outcome = ("error", error)
        self.after = self.snapshot()
        if self.outcome[0] == "error" and self.before != self.after:
            raise Wrong("atomicity", f"the failed query changed the graph ({describe(self.outcome[1])})")

    def snapshot(self):
        """Ids, labels and (owner, key, value) triples of the whole graph, by the names of the side effects."""
        graph = {name: set() for name in EFFECTS}
        try:
            for kind, query in (("nodes", "MATCH (n) RETURN n"), ("relationships", "MATCH ()-[r]->() RETURN r")):
                for (entity,) in self.connection.execute(query).fetchall():
                    graph[kind].add(entity.id)
                    if kind == "nodes":
                        graph["labels"].update(entity.labels)
                    for key, value in dict(entity.properties).items():
                        graph["properties"].add((kind, entity.id, key, tck_value.form(value, self.engine)))
        except self.engine.Error as error:
            raise Wrong("snapshot", f"could not read the graph back: {describe(error)}") from error
        return graph

    def check_result(self, text, table):
        _, columns, rows = self.outcome
        actual = [tuple(tck_value.form(v, self.engine) for v in row) for row in rows]
        if text == "the result should be empty":
            if actual:
                raise Wrong("result", f"{len(actual)} rows, expected none")
            return
        match = re.fullmatch(r"the result should be(, in any order|, in order)?( \(ignoring element order for lists\))?:", text)
        if not match:
            raise Wrong("harness", f"unknown step {text!r}")
        header, *cells = table
        if columns != header:
            raise Wrong("columns", f"columns {columns}, expected {header}")
        expected = [tuple(map(tck_value.read, row)) for row in cells]
        if match.group(2):
            actual = [tuple(map(tck_value.unordered, row)) for row in actual]
            expected = [tuple(map(tck_value.unordered, row)) for row in expected]
        ordered = match.group(1) == ", in order"
        if actual == expected or (not ordered and collections.Counter(actual) == collections.Counter(expected)):
            return
        same_rows = collections.Counter(actual) == collections.Counter(expected)
        shown = [" | ".join(self.engine.format_value(v) for v in row) for row in rows[:5]]
        wanted = [" | ".join(row) for row in cells[:5]]
        raise Wrong("order" if same_rows else "result", f"got {len(actual)} rows {shown}, expected {len(expected)} rows {wanted}")

    def check_effects(self, wanted):
        actual = {}
        for name in EFFECTS:
            for sign, count in (("+", len(self.after[name] - self.before[name])), ("-", len(self.before[name] - self.after[name]))):
                if count:
                    actual[sign + name] = count
        wanted = {name: count for name, count in wanted.items() if count}
        if actual != wanted:
            raise Wrong("side effects", f"side effects {actual}, expected {wanted}")

    def check_error(self, kind, phase, detail):
        if self.outcome[0] != "error":
            raise Wrong("no error", f"no error, expected {kind} at {phase}: {detail}")
        error = self.outcome[1]
        wanted = (kind, {"compile time": "compile", "runtime": "runtime"}.get(phase), detail)
        actual = (getattr(error, "kind", None), getattr(error, "phase", None), getattr(error, "detail", None))
        if actual[0] != wanted[0] or wanted[1] not in (None, actual[1]) or wanted[2] not in ("*", actual[2]):
            raise Wrong("other error", f"{describe(error)}, expected {kind} at {phase}: {detail}")

    def close(self):
        for name in self.procedures:
            try:
                self.connection.execute("CALL tck.unregister($name)", {"name": name}).fetchall()
            except self.engine.Error as error:
                raise Wrong("setup", f"tck.unregister failed: {describe(error)}") from error
        self.database.close()


def describe(error):
    """Kind, phase and detail, then the first line of the message."""
    named = [str(x) for x in (getattr(error, "kind", None), getattr(error, "phase", None), getattr(error, "detail", None)) if x]
    return f"{'/'.join(named) or type(error).__name__}: {(str(error).splitlines() or [''])[0]}"


def unexpected(error):
    return Wrong("error", f"unexpected {describe(error)}")


def run(engine, fixtures, scenario):
    """(category, text) of the first thing that is wrong, or None."""
    try:
        one = Run(engine, fixtures)
        one.steps(scenario.steps)
        one.close()
    except Wrong as wrong:
        return wrong.category, str(wrong)
    except Exception as error:  # outside the contract: a panic that became an exception, an attribute that is missing
        return "contract", f"{type(error).__name__}: {error}"
    return None
