"""A session of the shell in, a picture of what the terminal shows out.

    pip install pyte
    python docs/book/pictures/shell.py target/release/trimorph docs/book/pictures/shell.svg

The command runs on a terminal of its own, which `pyte` emulates, over the films of `examples/movies`; what is typed is typed there.
"""

import fcntl
import os
import pathlib
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from xml.sax.saxutils import escape

import pyte

ROOT = pathlib.Path(__file__).resolve().parents[3]
COLUMNS, ROWS = 132, 60
TYPED = [
    "MATCH (p:Person)-[:ACTED_IN]->(m) RETURN p.name, count(m) AS films ORDER BY films DESC LIMIT 3;",
    "PROFILE MATCH (p:Person)-[:DIRECTED]->(m) WHERE m.released < 2000 RETURN p.name, m.title;",
    "MATCH (person:Person) RETURN persom.name;",
]
COLOURS = {"black": "#6b6b75", "red": "#e06c75", "green": "#8fc379", "brown": "#e5c07b", "blue": "#6cb6ff", "magenta": "#c792ea", "cyan": "#5fc9d6", "white": "#dddddd"}
PLAIN = "#e6e6e6"
QUIET = 0.6  # seconds without a byte: then it waits for us


class Terminal:
    def __init__(self, command, folder):
        self.child, self.master = pty.fork()
        if self.child == 0:
            time.sleep(0.1)  # until the terminal has its size
            os.chdir(folder)
            settings = {"TERM": "xterm-256color", "PAGER": "cat", "TRIMORPH_HISTORY": f"{folder}/history", "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
            os.execve(command, [command, "movies.tm"], {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | settings)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self.screen = pyte.Screen(COLUMNS, ROWS)
        # The shell asks where the cursor is.
        self.screen.write_process_input = lambda text: os.write(self.master, text.encode())
        self.stream = pyte.ByteStream(self.screen)

    def wait(self):
        while select.select([self.master], [], [], QUIET)[0]:
            try:
                self.stream.feed(os.read(self.master, 65536))
            except OSError:
                return

    def type(self, text):
        os.write(self.master, text.encode())
        self.wait()
        os.write(self.master, b"\r")
        self.wait()


def session(command):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([command, "load", f"{folder}/movies.tm", *sorted((ROOT / "examples/movies").glob("*.csv"))], check=True, stdout=subprocess.DEVNULL)
        terminal = Terminal(command, folder)
        terminal.wait()
        for text in TYPED:
            terminal.type(text)
        found = [spans(terminal.screen.buffer[y]) for y in range(ROWS)]
        os.write(terminal.master, b"\x04")
        terminal.wait()
        os.waitpid(terminal.child, 0)
    return found


def colour_of(cell):
    if cell.fg == "default":
        return PLAIN
    name = cell.fg.removeprefix("bright")
    return COLOURS.get(name) or (f"#{cell.fg}" if len(cell.fg) == 6 else PLAIN)


def spans(row):
    """[(place, text, colour, bold)] of a row of cells."""
    found = []
    for place in range(COLUMNS):
        cell = row[place]
        look = (colour_of(cell), cell.bold)
        if found and found[-1][2:] == look and found[-1][0] + len(found[-1][1]) == place:
            found[-1] = (found[-1][0], found[-1][1] + cell.data, *look)
        elif cell.data.strip():
            found.append((place, cell.data, *look))
    return [(place, words.rstrip(), *look) for place, words, *look in found]


def draw(rows):
    rows = list(rows)
    # What stands at the end is the prompt that waits, which says nothing.
    while rows and not rows[-1]:
        rows.pop()
    rows.pop()
    while rows and not rows[-1]:
        rows.pop()
    wide, high = 8.43, 18
    width, height = int(COLUMNS * wide + 40), high * len(rows) + 62
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        "<title>The shell of Trimorph: a query, a plan, an error</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#1e1e24"/>',
        *(f'<circle cx="{22 + 20 * i}" cy="20" r="6" fill="{c}"/>' for i, c in enumerate(("#e06c75", "#e5c07b", "#8fc379"))),
        '<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
    ]
    for number, row in enumerate(rows):
        for place, words, colour, bold in row:
            weight = ' font-weight="bold"' if bold else ""
            # As long as its cells are, so that columns stand beneath each other in any font.
            size = f'x="{20 + place * wide:.1f}" y="{54 + number * high}" textLength="{len(words) * wide:.1f}"'
            out.append(f'<text {size} fill="{colour}"{weight}>{escape(words)}</text>')
    return "\n".join([*out, "</g>", "</svg>", ""])


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_text(draw(session(str(pathlib.Path(sys.argv[1]).resolve()))), encoding="utf-8")
