"""Builds and runs the C programs that show what the machine allows."""

import json
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent


def khop(work, csr, threshold, runs=9):
    """Compiles `khop.c` when it is newer than its binary; query -> {"count", "cpu", "cpu_min"}; {} without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return {}
    source, program = HERE / "khop.c", work / "limit-khop"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run([compiler, "-O3", "-march=native", "-o", str(program), str(source)], check=True)
    output = subprocess.run([str(program), str(csr), str(threshold), str(runs)], check=True, capture_output=True, text=True).stdout
    lines = [json.loads(line) for line in output.splitlines()]
    return {line["query"]: line for line in lines}
