"""SNB's updates row by row, each a serializable transaction that first asks short reads about what it is to touch, on 8 threads: how many conflict.

The updates are those of the first days, in the order of their files; threads take them in turns, so neighbours run beside each other. Nearly
all insert what nobody else names, so nearly every conflict is one that need not be; those of deletions are counted apart, for what they
delete others may have read. A transaction that conflicts is counted and run again.
"""

import collections
import itertools
import random
import sys
import threading
import time

import network
from snb import answers

READS = answers.HERE.parent / "interactive"
OF_PERSON, OF_MESSAGE = ("is-1", "is-2", "is-3"), ("is-4", "is-5", "is-6", "is-7")
THREADS = 8


def named(row):
    """What a row names: persons and messages, ids and the reads that ask about them."""
    for name, value in row.items():
        if value is None or not isinstance(value, int):
            continue
        if "Person" in name:
            yield "personId", value, OF_PERSON
        elif name.startswith(("Post", "Comment", "ParentPost", "ParentComment")):
            yield "messageId", value, OF_MESSAGE


def tasks(folder, days):
    for day in days:
        for number, (entity, text, rows) in enumerate(network.batch(folder, day)):
            kind = "insert" if number < len(network.INSERTS) else "delete"
            yield [(kind, entity, text, row) for row in rows]


def run(options, trimorph):
    folder = network.unpack(options.work)
    path = options.work / "conflicts.tm"
    options.clear(path)
    database = trimorph.Database(str(path), durability="relaxed", memory_limit="4GB")
    database.load(str(answers.SNAPSHOT), format="ldbc-snb")
    reads = {name: (READS / f"{name}.cypher").read_text() for name in OF_PERSON + OF_MESSAGE}
    # Across THREADS neighbours: what a day inserts of one kind is together, as the batches have it.
    todo = list(itertools.chain.from_iterable(tasks(folder, network.days(folder)[: options.days or 3])))
    place, lock = itertools.count(), threading.Lock()
    committed, conflicts, texts, lost = collections.Counter(), collections.Counter(), collections.Counter(), []

    def work(seed):
        connection, draw = database.connect(), random.Random(seed)
        while (at := next(place)) < len(todo):
            kind, entity, text, row = todo[at]
            known = list(named(row))
            for tries in range(100):
                try:
                    connection.begin(isolation="serializable")
                    for _ in range(2 if known else 0):
                        name, value, names = draw.choice(known)
                        connection.execute(reads[draw.choice(names)], {name: value}).fetchall()
                    connection.execute(text, {"rows": [row]})
                    connection.commit()
                    with lock:
                        committed[kind, entity] += 1
                    break
                except trimorph.TransactionConflict as error:
                    if connection.in_transaction:
                        connection.rollback()
                    with lock:
                        conflicts[kind, entity] += 1
                        texts[kind, str(error).split(";")[0][:110]] += 1
            else:
                lost.append(at)
        connection.close()

    sys.setswitchinterval(0.0005)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
    began = time.perf_counter()
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    wall = time.perf_counter() - began
    for kind in ("insert", "delete"):
        done = sum(count for (of, _), count in committed.items() if of == kind)
        met = sum(count for (of, _), count in conflicts.items() if of == kind)
        print(f"{kind}s: {done} committed, {met} conflicts, {100 * met / max(1, done + met):.2f} % of all tries")
    done, met = sum(committed.values()), sum(conflicts.values())
    print(f"together: {done} committed in {wall:.0f} s on {THREADS} threads, {met} conflicts, {100 * met / max(1, done + met):.2f} %")
    for (kind, entity), count in conflicts.most_common(8):
        print(f"  {kind} {entity}: {count} of {committed[kind, entity]}")
    for (kind, text), count in texts.most_common(8):
        print(f"  {count} x {kind}: {text}")
    database.close()
    return not lost
