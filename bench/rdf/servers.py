"""Servers to compare with, each with a file loaded: `python bench/rdf/servers.py FILE.nt FOLDER [--virtuoso] [--jena LIBRARIES]`.

Virtuoso is Debian's (`apt-get install virtuoso-opensource-7-bin`); Jena is a folder of jars, Fuseki and TDB2, as Maven copies them:
`mvn dependency:copy-dependencies` of `org.apache.jena:jena-fuseki-main` and `jena-cmds` and `org.apache.logging.log4j:log4j-slf4j2-impl`. What a server has loaded stays in FOLDER, and is
not loaded again. One thread a query each. Prints CPU time and size of each load, and then how `run.py` asks them; the servers stay until
this program ends (Ctrl-C).
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time
import urllib.request

GRAPH = "http://g/file"

# 1.4 GB of pages of 8 KB; no limit of rows, and none of time that a question here reaches.
VIRTUOSO = """[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
LockFile = {folder}/virtuoso.lck
MaxCheckpointRemap = 2000
[TempDatabase]
DatabaseFile = {folder}/temporary.db
TransactionFile = {folder}/temporary.trx
[Parameters]
ServerPort = 1111
ServerThreads = 10
CheckpointInterval = 0
DirsAllowed = ., {data}
NumberOfBuffers = 170000
MaxDirtyBuffers = 130000
MaxQueryMem = 2G
ThreadsPerQuery = 1
[HTTPServer]
ServerPort = 8890
ServerRoot = {folder}
ServerThreads = 4
[SPARQL]
ResultSetMaxRows = 100000000
MaxQueryCostEstimationTime = 100000
MaxQueryExecutionTime = 1000
"""


def seconds_of(process):
    """CPU seconds of a process so far."""
    with open(f"/proc/{process}/stat") as file:
        own = file.read().rpartition(")")[2].split()
    return (int(own[11]) + int(own[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(url, server):
    for _ in range(600):
        if server.poll() is not None:
            sys.exit(f"the server has ended: {server.args[0]}")
        try:
            return urllib.request.urlopen(url, timeout=5).close()
        except OSError:
            time.sleep(0.5)
    sys.exit(f"nobody answers at {url}")


def size_of(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def started(command, folder, output, servers):
    with open(output, "ab") as out:
        servers.append(subprocess.Popen(command, cwd=folder, stdout=out, stderr=out))
    return servers[-1]


def virtuoso(file, folder, servers):
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "virtuoso.ini"
    settings.write_text(VIRTUOSO.format(folder=folder, data=file.parent))
    server = started(["virtuoso-t", "+foreground", "+configfile", settings], folder, folder / "output.txt", servers)
    wait_for("http://localhost:8890/sparql", server)
    done = folder / "loaded"
    if not done.exists():
        before = seconds_of(server.pid)
        text = f"DB.DBA.TTLP_MT(file_open('{file}'), '', '{GRAPH}', 512, 0, 1); checkpoint;"
        subprocess.run(["isql-vt", "1111", "dba", "dba", f"exec={text}"], check=True, stdout=subprocess.DEVNULL)
        done.touch()
        print(f"virtuoso: loaded in {seconds_of(server.pid) - before:.1f} CPU s, {size_of(folder):,} bytes", flush=True)
    return f"virtuoso=http://localhost:8890/sparql?default-graph-uri={GRAPH}@{server.pid}"


def jena(file, folder, libraries, servers):
    java, done = ["java", "-Xmx3g", "-cp", f"{libraries}/*"], folder / "loaded"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        load = [*java, "tdb2.tdbloader", "--loader=basic", "--loc", folder, file]
        subprocess.run(load, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        done.touch()
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"jena: loaded in {spent:.1f} CPU s, {size_of(folder):,} bytes", flush=True)
    start = [*java, "org.apache.jena.fuseki.main.cmds.FusekiMainCmd", "--tdb2", "--loc", folder, "--port", "3030", "/file"]
    server = started(start, folder, folder.with_suffix(".txt"), servers)
    wait_for("http://localhost:3030/file/sparql?query=ASK%7B%7D", server)
    return f"jena=http://localhost:3030/file/sparql@{server.pid}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path, help="N-Triples")
    parser.add_argument("folder", type=pathlib.Path, help="where the servers keep what they have loaded")
    parser.add_argument("--virtuoso", action="store_true")
    parser.add_argument("--jena", metavar="LIBRARIES", help="a folder of jars")
    arguments = parser.parse_args()
    file, folder = arguments.file.resolve(), arguments.folder.resolve()
    servers, places = [], []
    try:
        if arguments.virtuoso:
            places.append(virtuoso(file, folder / "virtuoso", servers))
        if arguments.jena:
            places.append(jena(file, folder / "jena", pathlib.Path(arguments.jena).resolve(), servers))
        if not servers:
            parser.error("name a server")
        print(f"python bench/rdf/run.py thirteen {file} " + " ".join(f"--server '{text}'" for text in places), flush=True)
        servers[0].wait()
    except KeyboardInterrupt:
        pass
    finally:
        for server in servers:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
