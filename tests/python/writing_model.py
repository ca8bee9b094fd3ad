"""Statements of openCypher that write, clause after clause, beside a graph in Python's dicts.

A clause takes all rows of the one before it and gives all of its own before the next begins; it sees what earlier clauses
wrote. What would depend on the order of rows is not asked: a property is set to one value by all rows, or counted up.
`Statement` makes a random statement and applies it, as `Graph.copy()` has it; `Refused` is raised where it must fail.
"""

LABELS, TYPES = "ABC", "TU"


class Refused(Exception):
    """The statement must fail, and leave the graph as it was; has the detail word of the error."""


class Graph:
    def __init__(self):
        self.nodes, self.edges, self.next = {}, {}, 0

    def copy(self):
        other = Graph()
        other.nodes = {n: (set(labels), dict(own)) for n, (labels, own) in self.nodes.items()}
        other.edges = {e: (*ends, dict(own)) for e, (*ends, own) in self.edges.items()}
        other.next = self.next
        return other

    def new(self):
        self.next += 1
        return self.next

    def add_node(self, labels, own):
        node = ("node", self.new())
        self.nodes[node] = (set(labels), {k: v for k, v in own.items() if v is not None})
        return node

    def add_edge(self, start, kind, end, own):
        if start is None or end is None:
            raise Refused("MissingNode")
        if start not in self.nodes or end not in self.nodes:
            raise Refused("DeletedEntityAccess")
        edge = ("edge", self.new())
        self.edges[edge] = (start, kind, end, {k: v for k, v in own.items() if v is not None})
        return edge

    def own(self, entity):
        """The properties of a node or an edge, to be changed."""
        if entity in self.nodes:
            return self.nodes[entity][1]
        if entity in self.edges:
            return self.edges[entity][3]
        raise Refused("DeletedEntityAccess")

    def property(self, entity, key):
        return None if entity is None else self.own(entity).get(key)

    def content(self):
        """Everything but ids: node and edge texts, edges with the texts of their ends; sorted."""
        text = {n: f"{sorted(labels)} {sorted(own.items())}" for n, (labels, own) in self.nodes.items()}
        edges = [f"{text[s]} {kind} {sorted(own.items())} {text[e]}" for s, kind, e, own in self.edges.values()]
        return sorted(text.values()), sorted(edges)


def beginning(random, graph):
    """A statement that makes some nodes and edges."""
    nodes, parts = [], []
    for i in range(random.randint(2, 5)):
        labels, p = random.sample(LABELS, random.randint(0, 2)), random.randint(0, 2)
        nodes.append(graph.add_node(labels, {"p": p}))
        parts.append(f"(n{i}{''.join(':' + label for label in labels)} {{p: {p}}})")
    for _ in range(random.randint(1, 5)):
        (i, j), kind, p = random.choices(range(len(nodes)), k=2), random.choice(TYPES), random.randint(0, 2)
        graph.add_edge(nodes[i], kind, nodes[j], {"p": p})
        parts.append(f"(n{i})-[:{kind} {{p: {p}}}]->(n{j})")
    return "CREATE " + ", ".join(parts)


class Statement:
    """A random statement and what it does to a graph."""

    def __init__(self, random, graph):
        self.random, self.graph = random, graph
        self.rows, self.kinds, self.clauses, self.names, self.wrote = [{}], {}, [], 0, False

    def name(self, kind):
        self.names += 1
        name = f"{kind[0]}{self.names}"
        self.kinds[name] = kind
        return name

    def some(self, kind):
        names = [name for name, of in self.kinds.items() if of == kind]
        return self.random.choice(names) if names else None

    def labels(self, most=2):
        return sorted(self.random.sample(LABELS, self.random.randint(0, most)))

    def make(self, length):
        reading = [self.unwind, self.match_node, self.match_node, self.match_edge, self.match_edge, self.filter, self.group]
        writing = [self.create_node, self.create_edge, self.create_edge, self.merge_node, self.merge_node, self.merge_edge,
                   self.set, self.set, self.set, self.remove, self.delete_edge, self.delete_node]
        for _ in range(length):
            # Few rows: a model that takes its time, and products of clauses.
            reads = not self.clauses or (self.random.random() < 0.4 and len(self.rows) < 40)
            clause = self.random.choice(reading if reads else writing)
            if clause in reading and self.wrote and clause not in (self.filter, self.group):
                self.clauses.append("WITH *" if self.kinds else "WITH 1 AS nothing")
                if not self.kinds:
                    self.kinds["nothing"] = "value"
                    self.rows = [{"nothing": 1} for _ in self.rows]
                self.wrote = False
            clause()
        self.clauses.append("RETURN count(*)")
        return " ".join(self.clauses)

    # Clauses that read.

    def unwind(self):
        name, items = self.name("value"), [self.random.randint(0, 2) for _ in range(self.random.randint(1, 3))]
        self.clauses.append(f"UNWIND {items} AS {name}")
        self.rows = [{**row, name: item} for row in self.rows for item in items]

    def value(self):
        """A value that is the same for all rows, or a variable's: (text, function of a row)."""
        name = self.some("value")
        if name and self.random.random() < 0.5:
            return name, lambda row: row[name]
        constant = self.random.randint(0, 2)
        return str(constant), lambda _: constant

    def match_node(self):
        labels, (text, value), name = self.labels(1), self.value(), self.name("node")
        asks = self.random.random() < 0.3
        optional = self.random.random() < 0.3
        pattern = f"({name}{''.join(':' + label for label in labels)}{f' {{p: {text}}}' if asks else ''})"
        self.clauses.append(f"{'OPTIONAL ' if optional else ''}MATCH {pattern}")
        found = []
        for row in self.rows:
            nodes = [n for n, (own_labels, own) in self.graph.nodes.items()
                     if own_labels >= set(labels) and (not asks or (value(row) is not None and own.get("p") == value(row)))]
            found += [{**row, name: node} for node in nodes or ([None] if optional else [])]
        self.rows = found

    def match_edge(self):
        start, optional = self.some("node"), self.random.random() < 0.4
        end = self.some("node") if start and self.random.random() < 0.3 else None
        known = {start, end} - {None}
        start, edge = start or self.name("node"), self.name("edge")
        end = end or self.name("node")
        kind, directed = self.random.choice(TYPES), self.random.random() < 0.7
        self.clauses.append(f"{'OPTIONAL ' if optional else ''}MATCH ({start})-[{edge}:{kind}]-{'>' if directed else ''}({end})")
        found = []
        for row in self.rows:
            ways = [(s, e, t) for e, (s, of, t, _) in self.graph.edges.items() if of == kind]
            ways += [(t, e, s) for s, e, t in ways if not directed and s != t]
            of_row = [{**row, edge: e, start: s, end: t} for s, e, t in ways
                      if all(row[name] == at for name, at in ((start, s), (end, t)) if name in known)
                      and (start != end or s == t)]
            nothing = {name: None for name in (start, edge, end) if name not in row}
            found += of_row or ([{**row, **nothing}] if optional else [])
        self.rows = found

    def filter(self):
        name = self.some("node") or self.some("value")
        if not name:
            return
        bound = self.random.randint(0, 2)
        if self.kinds[name] == "value":
            self.clauses.append(f"WITH * WHERE {name} >= {bound}")
            self.rows = [row for row in self.rows if row[name] is not None and row[name] >= bound]
        elif self.random.random() < 0.5:
            label = self.random.choice(LABELS)
            self.clauses.append(f"WITH * WHERE {name}:{label}")
            self.rows = [row for row in self.rows if row[name] in self.graph.nodes and label in self.graph.nodes[row[name]][0]]
        else:
            self.clauses.append(f"WITH * WHERE coalesce({name}.p, 0) >= {bound}")
            self.rows = [row for row in self.rows if (self.graph.property(row[name], "p") or 0) >= bound]
        self.wrote = False

    def group(self):
        """Keeps one variable, and how often it came."""
        name = self.random.choice(list(self.kinds) or [None])
        if name is None:
            return
        count, kind = self.name("value"), self.kinds[name]
        self.clauses.append(f"WITH {name}, count(*) AS {count}")
        counts = {}
        for row in self.rows:
            counts[row[name]] = counts.get(row[name], 0) + 1
        self.rows, self.kinds = [{name: key, count: n} for key, n in counts.items()], {name: kind, count: "value"}
        self.wrote = False

    # Clauses that write.

    def create_node(self):
        labels, (text, value) = self.labels(), self.value()
        name = self.name("node")
        self.clauses.append(f"CREATE ({name}{''.join(':' + label for label in labels)} {{p: {text}}})")
        self.rows = [{**row, name: self.graph.add_node(labels, {"p": value(row)})} for row in self.rows]
        self.wrote = True

    def create_edge(self):
        start, end = self.some("node"), self.some("node") if self.random.random() < 0.6 else None
        (text, value), labels, kind = self.value(), self.labels(1), self.random.choice(TYPES)
        new_start, new_end = start is None, end is None
        start = start or self.name("node")
        edge, end = self.name("edge"), end or self.name("node")
        label = "".join(":" + label for label in labels)
        self.clauses.append(f"CREATE ({start}{label if new_start else ''})-[{edge}:{kind} {{p: {text}}}]->({end}{label if new_end else ''})")
        for i, row in enumerate(self.rows):
            row = dict(row)
            for name, is_new in ((start, new_start), (end, new_end)):
                if is_new:
                    row[name] = self.graph.add_node(labels, {})
            row[edge] = self.graph.add_edge(row[start], kind, row[end], {"p": value(row)})
            self.rows[i] = row
        self.wrote = True

    def merge_node(self):
        label, (text, value), name = self.random.choice(LABELS), self.value(), self.name("node")
        self.clauses.append(f"MERGE ({name}:{label} {{p: {text}}}) ON CREATE SET {name}.made = 1 ON MATCH SET {name}.met = coalesce({name}.met, 0) + 1")
        found = []
        for row in self.rows:
            wanted = value(row)
            if wanted is None:
                raise Refused("MergeReadOwnWrites")
            nodes = [n for n, (labels, own) in self.graph.nodes.items() if label in labels and own.get("p") == wanted]
            for node in nodes:
                own = self.graph.own(node)
                own["met"] = own.get("met", 0) + 1
            found += [{**row, name: n} for n in nodes or [self.graph.add_node([label], {"p": wanted, "made": 1})]]
        self.rows, self.wrote = found, True

    def merge_edge(self):
        start, end = self.some("node"), self.some("node")
        if not start:
            return
        # Of two rows that ask the same from both ends, the first would say which way it goes.
        kind, edge, directed = self.random.choice(TYPES), self.name("edge"), len(self.rows) > 1 or self.random.random() < 0.5
        self.clauses.append(f"MERGE ({start})-[{edge}:{kind}]-{'>' if directed else ''}({end})")
        found = []
        for row in self.rows:
            s, t = row[start], row[end]
            if s is None or t is None:
                raise Refused("MissingNode")
            if s not in self.graph.nodes or t not in self.graph.nodes:
                raise Refused("*")
            edges = [e for e, (a, of, b, _) in self.graph.edges.items()
                     if of == kind and ((a, b) == (s, t) or (not directed and (b, a) == (s, t)))]
            found += [{**row, edge: e} for e in edges or [self.graph.add_edge(s, kind, t, {})]]
        self.rows, self.wrote = found, True

    def set(self):
        name = self.some(self.random.choice(["node", "node", "edge"]))
        if not name:
            return
        constant, is_node = self.random.randint(0, 2), self.kinds[name] == "node"
        label = self.random.choice(LABELS)
        text, change = self.random.choice([
            (f"{name}.p = {constant}", lambda own: own.update(p=constant)),
            (f"{name}.n = coalesce({name}.n, 0) + {constant}", lambda own: own.update(n=own.get("n", 0) + constant)),
            (f"{name}.p = null", lambda own: own.pop("p", None)),
            (f"{name} += {{q: {constant}, n: null}}", lambda own: (own.update(q=constant), own.pop("n", None))),
            (f"{name} = {{p: {constant}}}", lambda own: (own.clear(), own.update(p=constant))),
            (f"{name}.p = {constant}, {name}.q = {name}.p + 1", lambda own: own.update(p=constant, q=constant + 1)),
            *([(f"{name}:{label}", None)] if is_node else []),
        ])
        self.clauses.append(f"SET {text}")
        self.change(name, change, lambda labels: labels.add(label))

    def remove(self):
        name = self.some(self.random.choice(["node", "node", "edge"]))
        if not name:
            return
        label = self.random.choice(LABELS)
        text, change = self.random.choice([(".p", lambda own: own.pop("p", None)), *([(f":{label}", None)] if self.kinds[name] == "node" else [])])
        self.clauses.append(f"REMOVE {name}{text}")
        self.change(name, change, lambda labels: labels.discard(label))

    def change(self, name, change, change_labels):
        for row in self.rows:
            if row[name] is None:
                continue
            own = self.graph.own(row[name])
            if change:
                change(own)
            else:
                change_labels(self.graph.nodes[row[name]][0])
        self.wrote = True

    def delete_edge(self):
        name = self.some("edge")
        if name:
            self.clauses.append(f"DELETE {name}")
            for row in self.rows:
                self.graph.edges.pop(row[name], None)
            self.forget(name)

    def delete_node(self):
        name = self.some("node")
        if name:
            self.clauses.append(f"DETACH DELETE {name}")
            for node in {row[name] for row in self.rows}:
                self.graph.nodes.pop(node, None)
                for edge in [e for e, (s, _, t, _) in self.graph.edges.items() if node in (s, t)]:
                    del self.graph.edges[edge]
            self.forget(name)

    def forget(self, name):
        """Goes on without what was deleted; other names may still mean it."""
        gone = [n for n, kind in self.kinds.items() if kind != "value" and any(self.is_gone(row[n]) for row in self.rows)] or [name]
        kept = [n for n in self.kinds if n != name and n not in gone]
        if not kept:
            self.names += 1
            kept = [f"nothing{self.names}"]
            self.clauses.append(f"WITH 1 AS {kept[0]}")
            self.rows = [{kept[0]: 1} for _ in self.rows]
            self.kinds = {kept[0]: "value"}
        else:
            self.clauses.append("WITH " + ", ".join(kept))
            self.rows = [{n: row[n] for n in kept} for row in self.rows]
            self.kinds = {n: self.kinds[n] for n in kept}
        self.wrote = False

    def is_gone(self, entity):
        return entity is not None and entity not in self.graph.nodes and entity not in self.graph.edges
