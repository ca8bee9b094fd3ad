"""BI queries beside writers: (a) an idle delta, (b) 5,000 transactions a second, (c) a tenth more edges inserted and not merged.

CPU time of the thread that asks, wall time beside it. The writer of (b) changes no answer: it sets properties of all node tables to what they
are, and puts relationships in the place of themselves, so that what queries read is written to, and answers are compared as ever.
"""

import random
import statistics
import threading
import time

import network
from measure import cpu
from snb import answers

RATE = 5_000
BUSY = 0.002
SAME = {
    "Person": "firstName", "Forum": "title", "Post": "length", "Comment": "length", "Place": "name", "Organisation": "name", "Tag": "name", "TagClass": "name",
}
# A relationship out of a node of a label, put in the place of itself: of those of which a node may have several. Of the others the new one
# would stand beside the old one for a moment, and a column of single relationships becomes lists for good.
ANEW = [
    ("Person", "KNOWS"), ("Person", "LIKES"), ("Person", "HAS_INTEREST"), ("Person", "WORK_AT"), ("Person", "STUDY_AT"), ("Forum", "HAS_MEMBER"),
    ("Forum", "HAS_TAG"), ("Forum", "CONTAINER_OF"), ("Post", "HAS_TAG"), ("Comment", "HAS_TAG"),
]


def load(trimorph, options, name):
    path = options.work / f"htap-{name}.tm"
    options.clear(path)
    database = trimorph.Database(str(path), threads=1, durability="relaxed", memory_limit="6GB", checkpoint_interval=None)
    database.load(str(answers.SNAPSHOT), format="ldbc-snb")
    return database


def ask(connection, questions, expect=None):
    """CPU and wall seconds of each variant, summed over its cases."""
    spent, wrong = {}, []
    for variant, text, parameters, _ in questions:
        started = time.perf_counter()
        seconds, rows = cpu(lambda text=text, parameters=parameters: connection.execute(text, parameters).fetchall())
        wall = time.perf_counter() - started
        before = spent.get(variant, (0.0, 0.0))
        spent[variant] = (before[0] + seconds, before[1] + wall)
        if expect is not None and (found := answers.difference(rows, expect[variant, str(parameters)])):
            wrong.append(f"bi-{variant}: {found}")
    return spent, wrong


def known(connection, questions):
    """The answers of a database as it stands."""
    result = {}
    for variant, text, parameters, _ in questions:
        result[variant, str(parameters)] = [answers.normal(list(row)) for row in connection.execute(text, parameters).fetchall()]
    return result


def medians(rounds, at=0):
    return {variant: statistics.median(one[variant][at] for one in rounds) for variant in rounds[0]}


def compare(what, base, other, at=0):
    before, after = medians(base, at), medians(other, at)
    ratios = sorted((after[v] / before[v], v) for v in before if before[v] >= BUSY)
    total = sum(after.values()) / sum(before.values())
    worst = ", ".join(f"bi-{v} x {r:.2f}" for r, v in ratios[-3:][::-1])
    mean = statistics.geometric_mean(r for r, _ in ratios)
    print(f"{what:<58} sum x {total:.3f}, mean x {mean:.3f}; most: {worst}", flush=True)


class Writer:
    """Writes at a rate until it is stopped."""

    def __init__(self, database):
        self.connection = database.connect()
        self.keys = {
            label: [row[0] for row in self.connection.execute(f"MATCH (n:{label}) RETURN n.id LIMIT 2000").fetchall()] for label in SAME
        }
        prepare = self.connection.prepare
        sets = [(label, prepare(f"MATCH (n:{label} {{id: $id}}) SET n.{name} = n.{name}")) for label, name in SAME.items()]
        anew = [
            (label, prepare(f"MATCH (n:{label} {{id: $id}})-[r:{kind}]->(m) WITH n, r, m LIMIT 1 CREATE (n)-[x:{kind}]->(m) SET x = properties(r) DELETE r"))
            for label, kind in ANEW
        ]
        # As many of the one as of the other.
        self.statements = sets + anew
        self.random = random.Random(1)
        self.seconds, self.stop, self.late = [], threading.Event(), 0
        self.cpu = 0.0
        self.thread = threading.Thread(target=self.write)

    def write(self):
        started = next_one = time.perf_counter()
        before = time.thread_time()
        while not self.stop.is_set():
            label, statement = self.random.choice(self.statements)
            now = time.perf_counter()
            if now < next_one:
                time.sleep(min(next_one - now, 0.002))
                continue
            next_one += 1 / RATE
            statement.execute({"id": self.random.choice(self.keys[label])})
            self.seconds.append(time.perf_counter() - now)
        self.wall = time.perf_counter() - started
        self.cpu = time.thread_time() - before

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        self.connection.close()

    def told(self):
        spent = sorted(self.seconds)
        return (f"{len(spent) / self.wall:.0f} transactions/s, {self.cpu / len(spent) * 1e6:.0f} us CPU each, wall median {statistics.median(spent) * 1e6:.0f} us, "
                f"p99 {spent[len(spent) * 99 // 100] * 1e3:.2f} ms, longest {spent[-1] * 1e3:.0f} ms")


def run(options, trimorph):
    questions = network.questions(options.cases)
    plain, live = load(trimorph, options, "plain"), load(trimorph, options, "live")
    of_plain, of_live = plain.connect(), live.connect()
    expect = known(of_plain, questions)
    wrong = []

    def rounds(pairs):
        """Each in turns."""
        spent = [[] for _ in pairs]
        for _ in range(options.samples):
            for place, (connection, wanted) in enumerate(pairs):
                seconds, found = ask(connection, questions, wanted)
                spent[place].append(seconds)
                wrong.extend(found)
        return spent

    both = [(of_plain, expect), (of_live, expect)]
    ask(of_live, questions)
    base, other = rounds(both)
    compare("nothing written (two loads: what the machine makes of it)", base, other)
    of_live.execute("UNWIND range(1, 1000) AS i CREATE (:Aside {i: i})-[:BESIDE]->(:Aside)")
    of_live.execute("MATCH (n:Aside) WHERE n.i % 2 = 0 SET n.i = -n.i")
    base, other = rounds(both)
    compare("(a) an idle delta", base, other)
    compare("    wall", base, other, at=1)
    with Writer(live) as writer:
        base, other = rounds(both)
    compare(f"(b) beside {RATE} transactions/s", base, other)
    compare("    wall, the other asks beside it too", base, other, at=1)
    print(f"    the writer: {writer.told()}")
    live.checkpoint()
    base, other = rounds(both)
    compare("    afterwards, merged", base, other)
    inserted = 0
    for label, kind in ANEW:
        text = f"MATCH (a:{label})-[r:{kind}]->(b) WITH a, r, b WHERE id(r) % 10 = 3 CREATE (a)-[x:{kind}]->(b) SET x = properties(r)"
        inserted += of_live.execute(text).stats.relationships_created
    unmerged = known(of_live, questions)
    base, other = rounds([(of_plain, expect), (of_live, unmerged)])
    compare(f"(c) {inserted} edges inserted, not merged", base, other)
    live.checkpoint()
    base, other = rounds([(of_plain, expect), (of_live, unmerged)])
    compare("    merged (there are a tenth more)", base, other)
    for line in wrong:
        print(f"WRONG {line}")
    plain.close()
    live.close()
    return not wrong
