#!/usr/bin/env python3
"""Runs beside other programs: times of one and two threads in turn, while loops keep the processors busy.

    benchmarks/busy.py PROGRAM CONFIGURATION [-l LOOPS] [-r RUNS] [-o KEY=VALUE]...

Prints medians of the time of the sweeps and of the whole program, and what two threads took over what one took.
Give it a machine of its own: it makes others wait."""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time


def run(program, config, threads, options, folder):
    out = pathlib.Path(folder) / "out"
    command = [program, config, "-q", "-b", "cpu", "-t", str(threads), "-o", str(out)]
    for option in options:
        command += ["--set", option]
    begin_s = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall_s = time.perf_counter() - begin_s
    if done.returncode not in (0, 3):  # 3: max_iterations was reached
        raise SystemExit(done.stderr)
    report = json.loads((out / "report.json").read_text())
    return report["time_solve_s"], wall_s, report.get("threads_mean", threads)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("configuration")
    parser.add_argument("-l", "--loops", type=int, default=2, help="programs that keep a processor busy each")
    parser.add_argument("-r", "--runs", type=int, default=9, help="of each number of threads")
    parser.add_argument("-o", "--set", action="append", default=[], help="of the configuration")
    arguments = parser.parse_args()
    loops = []
    results = {1: [], 2: []}
    try:
        loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(arguments.loops)]
        time.sleep(0.3)
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(arguments.runs):
                for threads, times in results.items():
                    times.append(run(arguments.program, arguments.configuration, threads, arguments.set, folder))
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    medians = {threads: [statistics.median(column) for column in zip(*times)] for threads, times in results.items()}
    for threads, (solve_s, wall_s, mean) in medians.items():
        print(f"{arguments.loops} loops, {threads} threads: sweeps {solve_s:.3f} s, in all {wall_s:.3f} s, "
              f"{mean:.2f} threads on average")
    print(f"two over one: sweeps {medians[2][0] / medians[1][0]:.2f}, in all {medians[2][1] / medians[1][1]:.2f}")


if __name__ == "__main__":
    main()
