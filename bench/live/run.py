"""What live data cost: `python bench/live/run.py tag | htap | batches | churn | conflicts | small [options]`. Each suite says in its header what it does."""

import argparse
import importlib
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
SUITES = ["tag", "htap", "batches", "churn", "conflicts", "small"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=SUITES)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/trimorph-bench"), help="where databases and unpacked files go")
    parser.add_argument("-n", "--samples", type=int, default=5)
    parser.add_argument("--scale", type=int, default=18, help="tag: 2^SCALE vertices")
    parser.add_argument("--cases", type=int, default=2, help="htap, batches: parameter rows of each variant")
    parser.add_argument("--days", type=int, help="batches, conflicts: only the first (conflicts: 3)")
    parser.add_argument("--readers", type=int, default=1, help="batches: threads that ask")
    parser.add_argument("--nodes", type=int, default=100_000, help="churn: how many there are at a time")
    parser.add_argument("--times", type=int, default=100, help="churn: how often all is replaced")
    parser.add_argument("--reader", action="store_true", help="churn: one transaction stays open")
    parser.add_argument("--sparql", action="store_true", help="churn: by SPARQL Update")
    parser.add_argument("--memory", default="1GB", help="churn: the memory limit")
    options = parser.parse_args()
    options.clear = lambda path: shutil.rmtree(path, ignore_errors=True)
    options.work.mkdir(parents=True, exist_ok=True)
    # The folder itself is on the path: its modules, and those of `bench`.
    sys.path.insert(0, str(HERE.parent))
    import trimorph

    sys.exit(importlib.import_module(options.suite).run(options, trimorph) is False)


if __name__ == "__main__":
    main()
