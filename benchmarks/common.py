"""What the scripts share that time other programs beside heatsolve: the plate of `heatsolve bench`, runs of heatsolve,
rows that could not be measured, ratios, options."""

import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
WEST_K, EAST_K, SOUTH_K, NORTH_K = 10.0, 40.0, 20.0, 30.0
SOURCE_W_M3 = 1e4


class Plate:
    """n x n nodes on 1 m x 1 m and the heated square in the middle; row 0 lies in the south."""

    def __init__(self, n):
        half = 1 if n < 32 else n // 16
        self.n = n
        self.low, self.high = n // 2 - half, n // 2 + half  # nodes of the square's corners
        self.spacing_m = 1.0 / (n - 1)
        quarters = np.full(2 * half + 1, 2.0)  # heated quarters: 4 inside, 2 at an edge, 1 at a corner
        quarters[0] = quarters[-1] = 1.0
        self.heat_w_m = SOURCE_W_M3 * self.spacing_m**2 * np.outer(quarters, quarters) / 4.0
        self.square = slice(self.low, self.high + 1)

    def hold(self, field):
        """Gives the walls' nodes their temperatures."""
        field[0, :], field[-1, :] = SOUTH_K, NORTH_K
        field[:, 0], field[:, -1] = WEST_K, EAST_K
        return field


# --- heatsolve ---------------------------------------------------------------------------------------------------------


def find_heatsolve():
    built = os.path.join(HERE, "..", "build", "heatsolve")
    return built if os.access(built, os.X_OK) else shutil.which("heatsolve")


def run(command, codes=(0,), **options):
    """Runs a program to its end and gives what it printed; RuntimeError with its last words for other exit codes."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode not in codes:
        raise RuntimeError(done.stderr.strip() or f"{os.path.basename(command[0])} ended with code {done.returncode}")
    return done.stdout


def bench(program, sizes, repeats, options):
    """The report of heatsolve bench."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "bench.json")
        run([program, "bench", "-q", "-n", ",".join(map(str, sizes)), "-r", str(repeats), "--json", path, *options])
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def device_of(backend):
    return "gpu" if backend.startswith("cuda") else "cpu"


# --- rows --------------------------------------------------------------------------------------------------------------


class NotTimed(Exception):
    """A peer that runs, but is not timed; says why."""


def remark_failure(row, failure):
    """Says in a row why there is no time; "absent" where the peer cannot run on this machine at all."""
    text = " ".join(str(failure).split())[:120]
    row["remark"] = f"not timed: {text}" if isinstance(failure, NotTimed) else f"{type(failure).__name__}: {text}"
    if isinstance(failure, ImportError) or not row["device"]:
        row["remark"], row["absent"] = "not here: " + row["remark"], True


def add_peer_row(rows, row, peers):
    """A peer that is absent is named once."""
    rows.append(row)
    if row.pop("absent", False):
        peers.remove(row["program"])


def median_spread(times):
    median = statistics.median(times)
    return median, (max(times) - min(times)) / median


def ratios_add(rows, problem, time):
    """ratio: the time of a row over that of heatsolve's fastest backend for the same problem on the same kind of processor."""
    best = {}
    for row in rows:
        key = (row["device"], *(row[name] for name in problem))
        if row["program"].startswith("heatsolve ") and row[time]:
            best[key] = min(best.get(key, math.inf), row[time])
    for row in rows:
        base = best.get((row["device"], *(row[name] for name in problem)))
        row["ratio"] = row[time] / base if base and row[time] else None


# --- command line ------------------------------------------------------------------------------------------------------


def parser_of(text, sizes, peers):
    """A parser of the options that all of these scripts have."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", default=sizes, help="nodes of a side, with commas (default: %(default)s)")
    parser.add_argument("--peers", default=",".join(peers), help="with commas (default: all)")
    parser.add_argument("--repeats", type=int, default=5, help="the median of so many counts (default: %(default)s)")
    parser.add_argument("--heatsolve", default=find_heatsolve(), help="the program (default: build/heatsolve or PATH)")
    parser.add_argument("--csv", help="write the table to this file")
    return parser


def arguments_of(parser, peers):
    """The options, looked through as far as all of these scripts have them."""
    arguments = parser.parse_args()
    try:
        arguments.sizes = [int(n) for n in arguments.n.split(",")]
    except ValueError:
        parser.error(f"-n takes whole numbers with commas between them, not {arguments.n}")
    if min(arguments.sizes) < 16 or arguments.seconds <= 0 or arguments.repeats < 1:
        parser.error("-n takes sizes from 16, --seconds a positive number, --repeats 1 or more")
    arguments.peers = [name for name in arguments.peers.split(",") if name]
    unknown = [name for name in arguments.peers if name not in peers]
    if unknown:
        parser.error(f"unknown peer {unknown[0]}; known: {', '.join(peers)}")
    if not arguments.heatsolve:
        parser.error("heatsolve was not found; build it, or name it with --heatsolve")
    return arguments
