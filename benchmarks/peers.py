#!/usr/bin/env python3
"""How heatsolve's sweeps compare with the same sweeps written with other tools.

Every peer sweeps the problem of `heatsolve bench`: n x n nodes, four walls held at different temperatures, a heated
square in the middle. Peers that are not installed are named and passed over. Before a peer is timed, its field after some
sweeps is compared with NumPy's, and NumPy's with heatsolve's own: a peer that computes something else is not timed.

  plain-c      benchmarks/plain.c with cc -O3 -march=native -fopenmp
  numpy        array expressions with temporaries avoided (out=)
  numba        compiled loops, all CPU threads
  devito       a stencil compiler: C with OpenMP from the equation, its default optimisations
  numba-cuda   one thread a node
  cupy         array expressions on the GPU
  cupy-raw     a CUDA C kernel, one thread a node
  jax          jit of array expressions, on the GPU where JAX has one
  torch        array expressions, on the GPU where PyTorch has one
  torch-conv   conv2d with a 3 x 3 kernel
  torch-compile  torch.compile of the array expressions

Times are wall-clock times of many sweeps, the wait at the end included; medians of repeats after a warm-up. A ratio says how
many times faster heatsolve's fastest backend is that runs on the same kind of processor (cpu or gpu).
"""

import csv
import ctypes
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import common

START_K = 20.0
DTYPES = {"double": np.float64, "single": np.float32}


class Problem(common.Plate):
    """The grid, its first field and what the source adds to a node in a sweep."""

    def __init__(self, n, precision):
        super().__init__(n)
        self.precision, self.dtype = precision, DTYPES[precision]
        self.rise = (0.25 * self.heat_w_m).astype(self.dtype)

    def field(self):
        return self.hold(np.full((self.n, self.n), START_K, dtype=self.dtype))


# --- peers: each has start(field), sweeps(count) with the wait at the end, and fetch() ---------------------------------


class Peer:
    device = "cpu"
    version = ""

    def __init__(self, problem):
        self.p = problem

    def start(self, field):
        self.now, self.next = field.copy(), field.copy()

    def fetch(self):
        return np.asarray(self.now)

    def wait(self):
        pass

    def step(self):
        raise NotImplementedError

    def sweeps(self, count):
        for _ in range(count):
            self.step()
            self.now, self.next = self.next, self.now
        self.wait()


class NumpyPeer(Peer):
    version = np.__version__

    def start(self, field):
        super().start(field)
        self.work = np.empty((self.p.n - 2, self.p.n - 2), dtype=field.dtype)

    def step(self):
        a, inner = self.now, self.next[1:-1, 1:-1]
        np.add(a[1:-1, 2:], a[2:, 1:-1], out=inner)
        np.add(a[:-2, 1:-1], a[1:-1, :-2], out=self.work)
        np.add(inner, self.work, out=inner)
        np.multiply(inner, self.p.dtype(0.25), out=inner)
        self.next[self.p.square, self.p.square] += self.p.rise


class PlainC(Peer):
    library = None

    def __init__(self, problem):
        super().__init__(problem)
        compiler = os.environ.get("CC", "cc")
        self.version = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
        if not PlainC.library:
            PlainC.folder = tempfile.TemporaryDirectory()
            path = os.path.join(PlainC.folder.name, "plain.so")
            flags = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-o", path]
            subprocess.run([compiler, *flags, os.path.join(common.HERE, "plain.c")], check=True, capture_output=True)
            PlainC.library = ctypes.CDLL(path)
        self.call = getattr(PlainC.library, "sweeps_" + problem.precision)
        self.call.argtypes = [ctypes.c_int] * 3 + [ctypes.c_void_p] * 3 + [ctypes.c_long]
        self.call.restype = None

    def sweeps(self, count):
        self.call(self.p.n, self.p.low, self.p.rise.shape[0], self.p.rise.ctypes.data, self.now.ctypes.data,
                  self.next.ctypes.data, count)
        if count % 2:
            self.now, self.next = self.next, self.now


class NumbaPeer(Peer):
    def __init__(self, problem):
        super().__init__(problem)
        import numba

        self.version = numba.__version__

        @numba.njit(parallel=True)
        def step(a, b, rise, low, quarter):
            n = a.shape[0]
            for j in numba.prange(1, n - 1):
                for i in range(1, n - 1):
                    b[j, i] = quarter * ((a[j, i + 1] + a[j + 1, i]) + (a[j - 1, i] + a[j, i - 1]))
                if low <= j < low + rise.shape[0]:
                    for i in range(rise.shape[1]):
                        b[j, low + i] += rise[j - low, i]

        self.compiled = step

    def step(self):
        self.compiled(self.now, self.next, self.p.rise, self.p.low, self.p.dtype(0.25))


class DevitoPeer(Peer):
    def __init__(self, problem):
        super().__init__(problem)
        import devito

        class Inside(devito.SubDomain):
            name = "inside"

            def define(self, dimensions):
                return {d: ("middle", 1, 1) for d in dimensions}

        devito.configuration["language"] = "openmp"
        devito.configuration["log-level"] = "WARNING"
        self.version = devito.__version__
        inside = Inside()
        grid = devito.Grid(shape=(problem.n, problem.n), subdomains=inside, dtype=problem.dtype)
        y, x = grid.dimensions
        self.field = devito.TimeFunction(name="t", grid=grid, space_order=2, time_order=1)
        source = devito.Function(name="source", grid=grid, space_order=0)
        source.data[problem.square, problem.square] = problem.rise
        t = self.field
        east, west = t.subs(x, x + x.spacing), t.subs(x, x - x.spacing)
        north, south = t.subs(y, y + y.spacing), t.subs(y, y - y.spacing)
        mean = 0.25 * ((east + north) + (south + west))
        self.operator = devito.Operator(devito.Eq(t.forward, mean + source, subdomain=grid.subdomains["inside"]))

    def start(self, field):
        self.field.data[0], self.field.data[1] = field, field
        self.done = 0

    def sweeps(self, count):
        self.operator.apply(time_m=self.done, time_M=self.done + count - 1)
        self.done += count

    def fetch(self):
        return np.array(self.field.data[self.done % 2])


class NumbaCudaPeer(Peer):
    device = "gpu"

    def __init__(self, problem):
        super().__init__(problem)
        import numba
        from numba import cuda

        if not cuda.is_available():
            raise RuntimeError("numba finds no GPU")
        self.version, self.cuda = numba.__version__, cuda

        @cuda.jit
        def step(a, b, rise, low, quarter):
            i, j = cuda.grid(2)
            n = a.shape[0]
            if 0 < i < n - 1 and 0 < j < n - 1:
                t = quarter * ((a[j, i + 1] + a[j + 1, i]) + (a[j - 1, i] + a[j, i - 1]))
                if low <= i < low + rise.shape[0] and low <= j < low + rise.shape[0]:
                    t += rise[j - low, i - low]
                b[j, i] = t

        threads = (32, 8)
        blocks = tuple((problem.n + t - 1) // t for t in threads)
        self.rise = cuda.to_device(problem.rise)
        self.kernel = step[blocks, threads]

    def start(self, field):
        self.now, self.next = self.cuda.to_device(field), self.cuda.to_device(field)

    def step(self):
        self.kernel(self.now, self.next, self.rise, self.p.low, self.p.dtype(0.25))

    def wait(self):
        self.cuda.synchronize()

    def fetch(self):
        return self.now.copy_to_host()


class CupyPeer(Peer):
    device = "gpu"

    def __init__(self, problem):
        super().__init__(problem)
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        self.version, self.cupy = cupy.__version__, cupy
        self.rise = cupy.asarray(problem.rise)

    def start(self, field):
        self.now, self.next = self.cupy.asarray(field), self.cupy.array(field)

    def step(self):
        a = self.now
        self.next[1:-1, 1:-1] = self.p.dtype(0.25) * ((a[1:-1, 2:] + a[2:, 1:-1]) + (a[:-2, 1:-1] + a[1:-1, :-2]))
        self.next[self.p.square, self.p.square] += self.rise

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def fetch(self):
        return self.cupy.asnumpy(self.now)


class CupyRawPeer(CupyPeer):
    SOURCE = r"""
    extern "C" __global__ void step(const REAL *a, REAL *b, const REAL *rise, int n, int low, int size)
    {
      const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
      if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
      const size_t k = (size_t)j * n + i;
      REAL t = (REAL)0.25 * ((a[k + 1] + a[k + n]) + (a[k - n] + a[k - 1]));
      if (i >= low && j >= low && i < low + size && j < low + size) t += rise[(j - low) * size + i - low];
      b[k] = t;
    }
    """

    def __init__(self, problem):
        super().__init__(problem)
        real = "double" if problem.precision == "double" else "float"
        self.kernel = self.cupy.RawKernel(self.SOURCE.replace("REAL", real), "step")
        self.threads = (32, 8)
        self.blocks = tuple((problem.n + t - 1) // t for t in self.threads)

    def step(self):
        arguments = (self.now, self.next, self.rise, np.int32(self.p.n), np.int32(self.p.low),
                     np.int32(self.p.rise.shape[0]))
        self.kernel(self.blocks, self.threads, arguments)


class JaxPeer(Peer):
    def __init__(self, problem):
        super().__init__(problem)
        import jax

        jax.config.update("jax_enable_x64", True)
        self.version, self.jax = jax.__version__, jax
        self.device = "gpu" if jax.default_backend() == "gpu" else "cpu"
        rise, square = jax.numpy.asarray(problem.rise), problem.square

        def step(_, a):
            t = 0.25 * ((a[1:-1, 2:] + a[2:, 1:-1]) + (a[:-2, 1:-1] + a[1:-1, :-2]))
            return a.at[1:-1, 1:-1].set(t.astype(a.dtype)).at[square, square].add(rise)

        self.compiled = jax.jit(lambda a, count: jax.lax.fori_loop(0, count, step, a))

    def start(self, field):
        self.now = self.jax.numpy.asarray(field)

    def sweeps(self, count):
        self.now = self.compiled(self.now, count).block_until_ready()


class TorchPeer(Peer):
    def __init__(self, problem):
        super().__init__(problem)
        import torch

        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        self.version, self.torch = torch.__version__, torch
        self.device = "gpu" if torch.cuda.is_available() else "cpu"
        self.place = "cuda" if self.device == "gpu" else "cpu"
        self.rise = torch.from_numpy(problem.rise).to(self.place)
        self.update = self.expression

    def start(self, field):
        self.now = self.torch.from_numpy(field.copy()).to(self.place)
        self.next = self.now.clone()

    @staticmethod
    def expression(a, b, rise, low, high):
        b[1:-1, 1:-1] = ((a[1:-1, 2:] + a[2:, 1:-1]) + (a[:-2, 1:-1] + a[1:-1, :-2])) * 0.25
        b[low:high, low:high] += rise

    def step(self):
        self.update(self.now, self.next, self.rise, self.p.low, self.p.high + 1)

    def wait(self):
        if self.device == "gpu":
            self.torch.cuda.synchronize()

    def fetch(self):
        return self.now.cpu().numpy()


class TorchConvPeer(TorchPeer):
    def __init__(self, problem):
        super().__init__(problem)
        kernel = np.array([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]], dtype=problem.dtype)
        self.kernel = self.torch.from_numpy(kernel)[None, None].to(self.place)
        self.update = self.convolution

    def convolution(self, a, b, rise, low, high):
        b[1:-1, 1:-1] = self.torch.nn.functional.conv2d(a[None, None], self.kernel)[0, 0]
        b[low:high, low:high] += rise


class TorchCompilePeer(TorchPeer):
    def __init__(self, problem):
        super().__init__(problem)
        self.update = self.torch.compile(self.expression)


PEERS = {
    "plain-c": PlainC,
    "numpy": NumpyPeer,
    "numba": NumbaPeer,
    "devito": DevitoPeer,
    "numba-cuda": NumbaCudaPeer,
    "cupy": CupyPeer,
    "cupy-raw": CupyRawPeer,
    "jax": JaxPeer,
    "torch": TorchPeer,
    "torch-conv": TorchConvPeer,
    "torch-compile": TorchCompilePeer,
}


# --- checks ------------------------------------------------------------------------------------------------------------


def check_sweeps(n):
    return 20 if n <= 2048 else 4


def reference_field(problem):
    """NumPy's field after a few sweeps."""
    peer = NumpyPeer(problem)
    peer.start(problem.field())
    peer.sweeps(check_sweeps(problem.n))
    return peer.fetch()


def allowed_k(problem):
    """What rounding may do to temperatures of some 50 K: a few units in the last place for each sweep."""
    return 4.0 * check_sweeps(problem.n) * float(np.finfo(problem.dtype).eps) * 50.0


def difference_k(field, reference):
    """The largest difference of nodes inside the walls; infinite where one is not a number."""
    inside = np.abs(field[1:-1, 1:-1].astype(np.float64) - reference[1:-1, 1:-1]).max()
    return float(inside) if math.isfinite(inside) else math.inf


CONFIGURATION = """
[grid]
nx = {n}
ny = {n}
lx = 1
ly = 1
[material]
conductivity = 1
[boundary]
west = {west}
east = {east}
south = {south}
north = {north}
[initial]
temperature = {start}
[source square]
shape = rectangle
x0 = {low!r}
x1 = {high!r}
y0 = {low!r}
y1 = {high!r}
density = {density}
{probes}
[solver]
method = jacobi
criterion = update_l2
tolerance = 1e-300
max_iterations = {sweeps}
precision = {precision}
[output]
directory = {folder}
field = no
"""

PROBE = """[probe row{k}]
x = 0
x1 = 1
y = {y!r}
y1 = {y!r}
points = {n}
"""


def heatsolve_difference_k(program, problem, reference):
    """heatsolve's field after as many sweeps, on three rows, beside NumPy's."""
    n, rows = problem.n, sorted({1, problem.low, problem.n // 2})
    probes = "".join(PROBE.format(k=k, y=k * problem.spacing_m, n=n) for k in rows)
    with tempfile.TemporaryDirectory() as folder:
        text = CONFIGURATION.format(
            n=n, west=common.WEST_K, east=common.EAST_K, south=common.SOUTH_K, north=common.NORTH_K, start=START_K,
            low=problem.low * problem.spacing_m, high=problem.high * problem.spacing_m, density=common.SOURCE_W_M3,
            probes=probes, sweeps=check_sweeps(n), precision=problem.precision, folder=folder)
        path = os.path.join(folder, "problem.ini")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        common.run([program, "-q", path], codes=(0, 3))
        worst = 0.0
        for k in rows:
            with open(os.path.join(folder, f"line-row{k}.csv"), encoding="ascii") as file:
                line = np.array([float(row["temperature"]) for row in csv.DictReader(file)])
            worst = max(worst, float(np.abs(line[1:-1] - reference[k, 1:-1]).max()))
        return worst


# --- timing ------------------------------------------------------------------------------------------------------------


def run_s(peer, count):
    start = time.perf_counter()
    peer.sweeps(count)
    return time.perf_counter() - start


def time_peer(peer, problem, seconds, repeats):
    """Median seconds of a sweep, and the spread beside it; each repeat takes `seconds` at least."""
    peer.start(problem.field())
    run_s(peer, 1)
    count, elapsed = 1, run_s(peer, 1)
    while elapsed < seconds:
        count = math.ceil(count * min(16.0, max(1.25, 1.2 * seconds / max(elapsed, 1e-7))))
        elapsed = run_s(peer, count)
    times = [run_s(peer, count) / count for _ in range(repeats)]
    return common.median_spread(times)


def heatsolve_rows(program, sizes, precision, seconds, repeats, backends):
    """The rows of heatsolve bench."""
    options = ["-p", precision, "-s", str(seconds)] + (["-b", backends] if backends else [])
    report = common.bench(program, sizes, repeats, options)
    rows = []
    for row in report["rows"]:
        rows.append({
            "nodes_per_side": row["nx"], "precision": row["precision"], "program": "heatsolve " + row["backend"],
            "version": report["version"], "device": common.device_of(row["backend"]),
            "sweep_s": row["sweep_time_s"], "spread": row["spread_relative"],
            "remark": row["not_measured_because"] or ""})
    return rows


def peer_row(name, problem, reference, arguments):
    """One peer at one size: checked, then timed."""
    row = {"nodes_per_side": problem.n, "precision": problem.precision, "program": name, "version": "", "device": "",
           "sweep_s": None, "spread": None, "remark": ""}
    try:
        peer = PEERS[name](problem)
        row["version"], row["device"] = peer.version, peer.device
        peer.start(problem.field())
        peer.sweeps(check_sweeps(problem.n))
        wrong = difference_k(peer.fetch(), reference)
        if wrong > allowed_k(problem):
            raise common.NotTimed(f"its field differs by {wrong:.3g} K, allowed {allowed_k(problem):.3g} K")
        row["sweep_s"], row["spread"] = time_peer(peer, problem, arguments.seconds, arguments.repeats)
    except Exception as failure:  # a peer may fail in any way of its own; the others go on
        common.remark_failure(row, failure)
    return row


def rates_add(rows):
    common.ratios_add(rows, ["nodes_per_side", "precision"], "sweep_s")
    for row in rows:
        row["updates_g"] = 1e-9 * row["nodes_per_side"] ** 2 / row["sweep_s"] if row["sweep_s"] else None


# --- output ------------------------------------------------------------------------------------------------------------


def print_table(rows):
    print(f"{'nodes':>11} {'prec.':6} {'':3} {'program':24} {'version':>12} {'G updates/s':>11} {'us/sweep':>11} "
          f"{'spread':>7} {'times heatsolve':>15}")
    for row in rows:
        n = row["nodes_per_side"]
        head = f"{f'{n}x{n}':>11} {row['precision']:6} {row['device']:3} {row['program']:24} {row['version']:>12.12}"
        if row["sweep_s"] is None:
            print(f"{head} {row['remark']}")
            continue
        ratio = "-" if row["ratio"] is None else f"{row['ratio']:.2f}"
        print(f"{head} {row['updates_g']:11.4g} {1e6 * row['sweep_s']:11.4g} {100 * row['spread']:5.1f} % {ratio:>15}")
    print("\ntimes heatsolve: time of a sweep over that of heatsolve's fastest backend on the same kind of processor")


def write_csv(path, rows):
    names = ["nodes_per_side", "precision", "device", "program", "version", "sweep_time_us", "spread_percent",
             "updates_g_per_s", "time_over_heatsolve", "remark"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        for row in rows:
            measured = row["sweep_s"] is not None
            writer.writerow([
                row["nodes_per_side"], row["precision"], row["device"], row["program"], row["version"],
                1e6 * row["sweep_s"] if measured else "", 100 * row["spread"] if measured else "",
                row["updates_g"] or "", row["ratio"] or "", row["remark"]])


def draw_chart(path, rows):
    """G updates/s against size, a panel for each precision; heatsolve's lines are thick, peers end in their ratio."""
    try:
        import matplotlib
    except ImportError:
        print("no chart: matplotlib is not installed", file=sys.stderr)
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    measured = [row for row in rows if row["sweep_s"] is not None]
    precisions = [p for p in DTYPES if any(row["precision"] == p for row in measured)]
    if not precisions:
        print("no chart: nothing was measured", file=sys.stderr)
        return
    names = list(dict.fromkeys(row["program"] for row in measured))
    figure, panels = plt.subplots(1, len(precisions), figsize=(1.5 + 5.2 * len(precisions), 5.6), sharey=True, squeeze=False,
                                  layout="constrained")
    colours = plt.get_cmap("tab20").colors
    for panel, precision in zip(panels[0], precisions):
        sizes = sorted({row["nodes_per_side"] for row in measured if row["precision"] == precision})
        for k, name in enumerate(names):
            points = sorted((row["nodes_per_side"], row["updates_g"]) for row in measured
                            if row["program"] == name and row["precision"] == precision)
            own = name.startswith("heatsolve ")
            panel.plot(*zip(*points), label=name, color=colours[k % len(colours)], marker="o" if own else "s",
                       markersize=6 if own else 4, linewidth=2.6 if own else 1.2, linestyle="-" if own else "--")
            last = [row for row in measured if row["program"] == name and row["precision"] == precision]
            if last and not own and last[-1]["ratio"]:  # how many times longer than heatsolve
                panel.annotate(f"{last[-1]['ratio']:.3g} x", (last[-1]["nodes_per_side"], last[-1]["updates_g"]),
                               xytext=(7, 0), textcoords="offset points", fontsize=8, va="center", color="0.25")
        panel.set(xscale="log", yscale="log", title=f"{precision} precision", xlabel="nodes on a side")
        panel.set_xticks(sizes, [str(n) for n in sizes])
        panel.minorticks_off()
        panel.yaxis.set_major_formatter("{x:g}")
        panel.margins(x=0.14)
        panel.grid(True, which="major", color="0.9")
    panels[0][0].set_ylabel("G node updates per second")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False)
    figure.savefig(path, dpi=130)


# --- command line ------------------------------------------------------------------------------------------------------


def arguments_read():
    parser = common.parser_of(__doc__, "1024,4096", PEERS)
    parser.add_argument("-p", default="double", choices=["double", "single", "both"], help="precision (default: double)")
    parser.add_argument("-b", "--backends", help="heatsolve's backends, with commas (default: all that can run)")
    parser.add_argument("--seconds", type=float, default=0.3, help="least time of a repeat (default: %(default)s)")
    parser.add_argument("--chart", help="draw a PNG file (needs matplotlib)")
    return common.arguments_of(parser, PEERS)


def main():
    arguments = arguments_read()
    precisions = list(DTYPES) if arguments.p == "both" else [arguments.p]
    rows = heatsolve_rows(arguments.heatsolve, arguments.sizes, arguments.p, arguments.seconds, arguments.repeats,
                          arguments.backends)
    for n in arguments.sizes:
        for precision in precisions:
            problem = Problem(n, precision)
            reference = reference_field(problem)
            wrong = heatsolve_difference_k(arguments.heatsolve, problem, reference)
            if wrong > allowed_k(problem):
                sys.exit(f"peers.py: heatsolve and NumPy differ by {wrong:.3g} K after {check_sweeps(n)} sweeps of {n} x {n} "
                         f"nodes in {precision} precision, allowed {allowed_k(problem):.3g} K; nothing is compared")
            for name in list(arguments.peers):
                common.add_peer_row(rows, peer_row(name, problem, reference, arguments), arguments.peers)
    order = {n: k for k, n in enumerate(arguments.sizes)}
    rows.sort(key=lambda row: (order[row["nodes_per_side"]], row["precision"]))
    rates_add(rows)
    print_table(rows)
    if arguments.csv:
        write_csv(arguments.csv, rows)
    if arguments.chart:
        draw_chart(arguments.chart, rows)


if __name__ == "__main__":
    main()
