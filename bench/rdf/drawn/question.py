"""A question in SPARQL: takes a draw and what is known of the data, gives a text whose answer does not depend on who evaluates it.

A group begins with a pattern (a chain, a star, a cycle), to which filters, OPTIONAL, UNION, MINUS, EXISTS, VALUES, BIND, sub-selects, paths,
unknown predicates and named graphs come. How many rows there may be is guessed from the counts, and what would give too many is not drawn.
Where the order of terms is not the standard's there is no LIMIT, and what the standard leaves open is not asked.
"""

from . import conditions
from .conditions import NUMBERS, Thing, condition, expression
from .known import REIFIES, TYPE

PREFIXES = """PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
# Rows that a question may come to, by the guess.
MOST = 150_000


class Group:
    def __init__(self, question, things=(), rows=1.0):
        self.question, self.draw, self.known = question, question.draw, question.known
        self.parts, self.things, self.rows = [], list(things), rows

    def nodes(self):
        return [thing for thing in self.things if thing.of_class is not None and not thing.maybe]

    def text(self):
        return " ".join(self.parts)

    def begin(self):
        """A node of some class, by the class or by one of its predicates."""
        known, draw = self.known, self.draw
        classes = sorted(known.classes)
        of_class = draw.choices(classes, [known.classes[name] ** 0.4 for name in classes])[0]
        thing = Thing(self.question.name(), {"iri"}, [], of_class)
        self.things.append(thing)
        self.rows *= known.classes[of_class]
        if of_class and (draw.random() < 0.6 or not known.steps(of_class)):
            self.parts.append(f"{thing.name} a {of_class} .")
        if not self.parts or draw.random() < 0.7:
            self.step(thing)
        return thing

    def step(self, node, constant=0.1):
        """A predicate from or to a node; gives what it leads to, or None where that would be too much."""
        draw, steps = self.draw, self.known.steps(node.of_class)
        if not steps:
            return None
        predicate, forwards = draw.choice(steps)
        fan = predicate.fan(forwards)
        if draw.random() < constant:
            subject, value = draw.choice(predicate.samples)
            if not (value if forwards else subject).startswith(("_:", "<<(")):
                self.parts.append(f"{node.name} {predicate.name} {value} ." if forwards else f"{subject} {predicate.name} {node.name} .")
                self.rows = max(1.0, self.rows * predicate.fan(not forwards) / max(self.known.classes[node.of_class], 1))
                return node
        if self.rows * fan > MOST:
            return None
        self.rows *= fan
        thing = self.far_end(predicate, forwards)
        path = self.path(predicate, forwards, thing)
        ends = (node.name, thing.name) if forwards else (thing.name, node.name)
        self.parts.append(f"{ends[0]} {path} {ends[1]} .")
        self.things.append(thing)
        return thing

    def far_end(self, predicate, forwards):
        name = self.question.name()
        if forwards and not predicate.leads:
            return Thing(name, predicate.kinds, [value for _, value in predicate.samples])
        classes = predicate.targets if forwards else predicate.sources
        of_class = self.draw.choices(sorted(classes), [classes[c] for c in sorted(classes)])[0]
        kinds = predicate.kinds if forwards else {"iri"}
        return Thing(name, kinds, [pair[forwards] for pair in predicate.samples], of_class)

    def path(self, predicate, forwards, thing):
        """The predicate, or sometimes a path that it is part of; what it leads to is of the same class."""
        draw, name = self.draw, predicate.name
        if draw.random() > 0.18 or not predicate.leads:
            return name
        again = [p.name for p in self.known.predicates.values() if p.leads and p.targets.keys() & predicate.targets.keys() and p.fan(True) < 5]
        other = draw.choice(again or [name])
        loops = bool(predicate.sources.keys() & predicate.targets.keys())
        forms = [f"{name}?", f"^(^{name})", f"({name})", f"{name}/({name})?"]
        if loops and predicate.fan(True) < 3:
            forms += [f"{name}+", f"{name}*", f"({name}|{other})+", f"{name}/{name}", f"({name}/{name})*", f"{name}/{name}*", f"(^{name}/{name})?"]
        self.rows *= 2
        return draw.choice(forms)

    def close(self):
        """An edge between two nodes that are there: a cycle, or a join by what is the same."""
        draw, nodes = self.draw, self.nodes()
        pairs = [(a, p, b) for a in nodes for b in nodes if a is not b for p in self.known.predicates.values()
                 if p.sources[a.of_class] and p.targets[b.of_class]]
        if pairs:
            a, predicate, b = draw.choice(pairs)
            self.parts.append(f"{a.name} {predicate.name} {b.name} .")

    def unknown(self, node):
        """A predicate that is asked for."""
        draw, predicate = self.draw, self.question.name()
        steps = self.known.steps(node.of_class)
        forwards = draw.random() < 0.7
        fan = sum(p.fan(way) for p, way in steps if way == forwards) + 2
        if self.rows * fan > MOST:
            return
        self.rows *= fan
        other = self.question.name()
        self.parts.append(f"{node.name} {predicate} {other} ." if forwards else f"{other} {predicate} {node.name} .")
        names = [p.name for p, way in steps if way == forwards] + [TYPE]
        self.things.append(Thing(predicate, {"iri"}, names))
        # The node may be of other classes, too.
        mixed = {kind for p in self.known.predicates.values() for kind in p.kinds} | {"iri"} if forwards else {"iri"}
        self.things.append(Thing(other, mixed, [pair[forwards] for p, way in steps if way == forwards for pair in p.samples]))
        if draw.random() < 0.5:
            some = draw.sample(names, min(3, len(names)))
            self.parts.append(f"FILTER({predicate} {draw.choice(['=', '!='])} {some[0]})" if draw.random() < 0.5 else
                              f"FILTER({predicate} {draw.choice(['IN', 'NOT IN'])} ({', '.join(some)}))")

    def filter(self):
        if self.things:
            self.parts.append(f"FILTER({condition(self.draw, self.draw.choice(self.things), self.things)})")

    def inner(self, outer=True):
        """A group about a node of this one: of it the new things are maybe there."""
        nodes = self.nodes()
        if not nodes:
            return None
        node = self.draw.choice(nodes)
        group = Group(self.question, [node], self.rows)
        for _ in range(self.draw.choice([1, 1, 2])):
            group.step(self.draw.choice(group.nodes()), 0.05)
        if not group.parts:
            return None
        if self.draw.random() < 0.4:
            seen = group.things + (self.things if outer else [])
            group.parts.append(f"FILTER({condition(self.draw, self.draw.choice(group.things), seen)})")
        return group

    def took(self, group, depth):
        for thing in group.things:
            if all(thing.name != own.name for own in self.things):
                thing.maybe = True
                self.things.append(thing)
        self.rows = max(self.rows, group.rows)

    def optional(self, depth=0):
        group = self.inner()
        if group:
            if depth < 2 and self.draw.random() < 0.35:
                group.optional(depth + 1)
            self.parts.append(f"OPTIONAL {{ {group.text()} }}")
            self.took(group, depth)

    def union(self):
        groups = [group for group in (self.inner(outer=False) for _ in range(self.draw.choice([2, 2, 3]))) if group]
        if len(groups) > 1 and sum(group.rows for group in groups) < MOST:
            # Often the alternatives bind one variable.
            firsts = [group.things[-1] for group in groups]
            if self.draw.random() < 0.6 and all(thing not in self.things for thing in firsts):
                for group, thing in zip(groups[1:], firsts[1:]):
                    group.parts = [part.replace(f"{thing.name} ", f"{firsts[0].name} ").replace(f"{thing.name})", f"{firsts[0].name})") for part in group.parts]
                    firsts[0].kinds |= thing.kinds
                    group.things.remove(thing)
            self.parts.append(" UNION ".join(f"{{ {group.text()} }}" for group in groups))
            for group in groups:
                self.took(group, 0)

    def without(self):
        group = self.inner(outer=False)
        if group:
            self.parts.append(f"MINUS {{ {group.text()} }}")

    def exists(self):
        group = self.inner()
        if group:
            self.parts.append(f"FILTER {self.draw.choice(['EXISTS', 'NOT EXISTS'])} {{ {group.text()} }}")

    def values(self):
        draw, things = self.draw, [t for t in self.things if not t.maybe and any(not s.startswith(("_:", "<<(")) for s in t.samples)]
        if not things:
            return
        some = draw.sample(things, min(len(things), draw.choice([1, 1, 2])))
        rows = []
        for _ in range(draw.choice([1, 3, 10])):
            row = [draw.choice([s for s in t.samples if not s.startswith(("_:", "<<("))]) for t in some]
            rows.append([("UNDEF" if len(some) > 1 and draw.random() < 0.25 else term) for term in row])
        text = f"VALUES ({' '.join(t.name for t in some)}) {{ {' '.join('(' + ' '.join(row) + ')' for row in rows)} }}"
        self.parts.insert(draw.choice([0, len(self.parts)]), text)

    def bind(self):
        thing = self.draw.choice(self.things)
        text, kind = expression(self.draw, thing)
        made = Thing(self.question.name(), {kind}, ['"7"^^<http://www.w3.org/2001/XMLSchema#integer>' if kind in NUMBERS else '"the"'], maybe=True)
        self.parts.append(f"BIND({text} AS {made.name})")
        self.things.append(made)

    def subselect(self):
        nodes = self.nodes()
        group = self.inner(outer=False) if nodes else None
        if not group:
            return
        node, n = group.things[0], Thing(self.question.name(), {"integer"}, ['"2"^^<http://www.w3.org/2001/XMLSchema#integer>'])
        tail = self.draw.choice(["", f" HAVING(COUNT(*) > {self.draw.choice([1, 2, 5])})", f" ORDER BY DESC({n.name}) STR({node.name}) LIMIT 10"])
        counted = f"SELECT {node.name} (COUNT(*) AS {n.name}) {{ {group.text()} }} GROUP BY {node.name}{tail}"
        if node.kinds <= {"iri"} and self.draw.random() < 0.6:
            self.parts.append(f"{{ {counted} }}")
            self.things.append(n)
        else:
            self.parts.append(f"{{ SELECT DISTINCT {node.name} {{ {group.text()} }} }}")

    def graph(self):
        draw, known, nodes = self.draw, self.known, self.nodes()
        if not known.in_graphs or not nodes:
            return
        node, predicate = draw.choice(nodes), draw.choice(sorted(known.in_graphs.values(), key=lambda p: p.name))
        graph = draw.choice([self.question.name(), draw.choice(sorted(known.graphs))])
        thing = Thing(self.question.name(), predicate.kinds, [value for _, value in predicate.samples])
        self.parts.append(f"GRAPH {graph} {{ {node.name} {predicate.name} {thing.name} }}")
        self.things += [thing] + ([Thing(graph, {"iri"}, sorted(known.graphs))] if graph[0] == "?" else [])

    def reified(self):
        """Who says what, in triple terms."""
        draw, known, question = self.draw, self.known, self.question
        if REIFIES not in known.predicates:
            return
        said = draw.choice(sorted({value.split(" ")[2] for _, value in known.predicates[REIFIES].samples}))
        by, subject, value = (Thing(question.name(), {"iri"}, [], "") for _ in range(3))
        about = [p for p, forwards in known.steps("") if forwards and p.subjects & known.predicates[REIFIES].subjects and p.name != REIFIES]
        self.rows *= known.predicates[REIFIES].count
        self.parts.append(f"{by.name} rdf:reifies <<( {subject.name} {said} {value.name} )>> .")
        if about:
            p, found = draw.choice(about), Thing(question.name(), {"any"}, [])
            found.kinds, found.samples = set(p.kinds), [value for _, value in p.samples]
            self.parts.append(f"{by.name} {p.name} {found.name} .")
            self.things.append(found)
        self.things += [subject, value]


PARTS = {"filter": 30, "optional": 12, "union": 8, "without": 5, "exists": 8, "values": 6, "bind": 6, "subselect": 6, "graph": 8, "close": 6}


class Question:
    def __init__(self, draw, known):
        self.draw, self.known, self.count = draw, known, 0
        self.group = Group(self)

    def name(self):
        self.count += 1
        return f"?v{self.count}"

    def fill(self):
        draw, group = self.draw, self.group
        if draw.random() < 0.06:
            group.reified()
        if not group.parts:
            group.begin()
        for _ in range(draw.choice([0, 1, 1, 2, 2, 3])):
            nodes = group.nodes()
            if nodes:
                node = draw.choice([nodes[0], nodes[-1], draw.choice(nodes)])
                group.unknown(node) if draw.random() < 0.1 else group.step(node)
        for part in draw.choices(list(PARTS), PARTS.values(), k=draw.choice([0, 1, 1, 2, 2, 3])):
            getattr(group, part)()
        if group.rows > 20_000 and draw.random() < 0.7:
            group.filter()

    def text(self):
        self.fill()
        where = f"{{ {self.group.text()} }}"
        things = {thing.name: thing for thing in self.group.things}
        some = [things[name] for name in self.draw.sample(sorted(things), min(len(things), self.draw.choice([1, 2, 2, 3])))]
        forms = [self.rows, self.rows, self.counted, self.grouped, self.grouped, self.distinct, self.first, self.asked, self.constructed]
        return PREFIXES + self.draw.choice(forms)(where, some)

    def rows(self, where, some):
        if self.group.rows > 30_000:
            return self.counted(where, some)
        return f"SELECT {' '.join(t.name for t in some)} {where}"

    def distinct(self, where, some):
        return f"SELECT DISTINCT {' '.join(t.name for t in some[:2])} {where}"

    def counted(self, where, some):
        return f"SELECT {' '.join(f'({self.aggregate(t)} AS ?x{i})' for i, t in enumerate(some))} {where}"

    def aggregate(self, thing):
        x, found = thing.name, ["COUNT(*)", f"COUNT({thing.name})", f"COUNT(DISTINCT {thing.name})"]
        if thing.kinds <= NUMBERS:
            found += [f"SUM({x})", f"AVG({x})", f"MIN({x})", f"MAX({x})", f"SUM(DISTINCT {x})", f"SUM(IF({x} > 50, 1, 0))", f"SUM(COALESCE({x}, 0))"]
        elif thing.kinds in ({"string"}, {"dateTime"}, {"date"}):
            found += [f"MIN({x})", f"MAX({x})"]
        if thing.written and not thing.kinds & {"blank", "triple"}:
            found += [f"STRLEN(GROUP_CONCAT(STR({x})))", f'STRLEN(GROUP_CONCAT(DISTINCT STR({x}); SEPARATOR=", "))']
        return self.draw.choice(found)

    def grouped(self, where, some):
        key, *rest = some
        about = rest or [key]
        given = f"{key.name}"
        if self.draw.random() < 0.3:
            given = f"({expression(self.draw, key)[0]} AS ?k)"
        shown = "?k" if given[0] == "(" else key.name
        aggregates = " ".join(f"({self.aggregate(t)} AS ?x{i})" for i, t in enumerate(about))
        having = self.draw.choice(["", "", f" HAVING(COUNT(*) > {self.draw.choice([1, 3, 10])})"])
        text = f"SELECT {shown} {aggregates} {where} GROUP BY {given}{having}"
        return f"SELECT (COUNT(*) AS ?groups) (MAX(?x0) AS ?most) {{ {text} }}" if self.draw.random() < 0.15 and "COUNT(" in aggregates[:8] else text

    def first(self, where, some):
        keys = [t for t in some if t.ordered]
        if not keys or self.group.rows > MOST:
            return self.counted(where, some)
        order = " ".join(self.draw.choice([t.name, f"DESC({t.name})"]) for t in keys)
        offset = self.draw.choice(["", "", " OFFSET 3"])
        return f"SELECT {' '.join(t.name for t in keys)} {where} ORDER BY {order} LIMIT {self.draw.choice([1, 10, 100])}{offset}"

    def asked(self, where, some):
        return f"ASK {where}"

    def constructed(self, where, some):
        nodes = [t for t in some if t.node]
        if not nodes or self.group.rows > 30_000:
            return self.counted(where, some)
        node = nodes[0]
        if node.kinds == {"iri"} and self.draw.random() < 0.3 and node.ordered:
            return f"DESCRIBE {node.name} {{ SELECT DISTINCT {node.name} {where} ORDER BY {node.name} LIMIT 20 }}"
        return f"CONSTRUCT {{ {node.name} <http://made/by> {some[-1].name} ; <http://made/first> \"x\" }} WHERE {where}"


def question(draw, known):
    return Question(draw, known).text()
