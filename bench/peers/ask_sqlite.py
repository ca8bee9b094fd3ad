"""SQLite of the Python standard library; holds persons and KNOWS in both directions, for `latency`."""

import sqlite3


class Adapter:
    def __init__(self, _name):
        pass

    def open(self, path, _threads):
        self.connection = sqlite3.connect(path)
        return sqlite3.sqlite_version

    def run(self, text):
        return self.connection.execute(text).fetchall()

    def load_snb(self, parquet, **_other):
        import pyarrow.parquet as pq

        persons = pq.read_table(f"{parquet}/Person.parquet", columns=["id", "firstName", "lastName"]).to_pylist()
        knows = pq.read_table(f"{parquet}/KNOWS_Person_Person.parquet", columns=["Person1Id", "Person2Id"]).to_pylist()
        self.run("CREATE TABLE person(id INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT)")
        self.run("CREATE TABLE knows(a INTEGER, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID")
        self.connection.executemany("INSERT INTO person VALUES (:id, :firstName, :lastName)", persons)
        self.connection.executemany("INSERT INTO knows VALUES (:Person1Id, :Person2Id)", knows)
        self.connection.executemany("INSERT INTO knows VALUES (:Person2Id, :Person1Id)", knows)
        self.connection.commit()

    def prepare(self, text, parameters):
        return lambda: self.connection.execute(text, parameters).fetchall()

    def prepare_with(self, text):
        return lambda parameters: self.connection.execute(text, parameters).fetchall()

    def close(self):
        self.connection.close()
