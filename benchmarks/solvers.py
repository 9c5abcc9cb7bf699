#!/usr/bin/env python3
"""How heatsolve's multigrid compares with other solvers: whole solutions of the same equations.

Every solver gets the plate of `heatsolve bench -f multigrid` in double precision: n x n nodes, four walls held at different
temperatures, a heated square in the middle, of one material (uniform) or of eight in squares of 50 x 50 cells (blocks). It
solves until no node is further than 1e-6 K from the answer, which is 1e-8 of 100 K, about the range of the temperatures, as
`heatsolve bench` has it. Set-up (matrices' hierarchies, factors, plans) and solution are timed apart; assembling the equations
counts for none. Peers that are not installed are named and passed over.

  scipy-dst    sine transforms by scipy.fft, all threads; uniform plates alone
  fftw         sine transforms by FFTW's RODFT00, planned by FFTW_MEASURE, all threads; uniform plates alone
  pyamg-rs     conjugate gradients with PyAMG's ruge_stuben_solver, which has one thread
  pyamg-sa     conjugate gradients with PyAMG's smoothed_aggregation_solver, likewise
  hypre-pfmg   HYPRE's PFMG, alone or as preconditioner (see hypre_pfmg.c); a rank a thread where there is mpirun
  splu         SuperLU by scipy.sparse, direct
  cholmod      CHOLMOD by scikit-sparse (below version 0.5), direct
  scipy-cg     conjugate gradients with Jacobi's preconditioner, by scipy.sparse
  cupy-dst     sine transforms by cuFFT through CuPy, on the device all along; uniform plates alone
  cupy-cg      conjugate gradients with Jacobi's preconditioner, by cupyx.scipy.sparse
  amgx         AmgX through pyamgx: conjugate gradients with classical multigrid

fftw and hypre-pfmg are programs that `make benchmarks` builds beside heatsolve.

Before a peer is timed, its answer on a small plate is compared with a direct one of NumPy's, and at the size itself with
heatsolve's, which for this is solved 1,000 times further (and was compared with NumPy's, too). Peers that stop by a residual
get the loosest tolerance, within an iteration or 2 %, that keeps the error below 1e-6 K, which they could not know by
themselves: heatsolve is timed with its own estimate of its error. Both true errors are printed.

Times are wall-clock times, the wait for a device included; medians of repeats after a warm-up. A ratio says how many times
longer a solution takes than by heatsolve's fastest backend on the same kind of processor (cpu or gpu), set-up left out.
"""

import csv
import inspect
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import common

MATERIALS_W_MK = np.array([1.0, 400.0, 0.2, 50.0, 0.04, 200.0, 1.5, 15.0])
BLOCK_CELLS = 50
PATTERNS = ("uniform", "blocks")
RANGE_K = 100.0  # of the temperatures, about
GOAL_K = 1e-8 * RANGE_K
REFERENCE_K = 1e-3 * GOAL_K
SMALL_NODES, SMALL_K = 57, 0.1 * GOAL_K  # of a side, for the direct answer; what a peer may differ from it
LEAST_REPEAT_S = 0.1
TIGHT = 1e-13  # residual over right-hand side: as far as double precision goes, nearly


class Plate(common.Plate):
    """The equations of the inner nodes: conductances to the east and the north in W/(m K), what is given in W/m."""

    def __init__(self, n, pattern):
        super().__init__(n)
        self.pattern = pattern
        block = np.arange(n - 1) // BLOCK_CELLS
        cells = (block[None, :] + 3 * block[:, None]) % len(MATERIALS_W_MK)
        self.cells = cells.astype(np.int8) if pattern == "blocks" else np.zeros((n - 1, n - 1), dtype=np.int8)
        k = MATERIALS_W_MK[self.cells]
        self.along_x = 0.5 * (k[:-1, :] + k[1:, :])  # [n - 2, n - 1], from each inner node and the west wall to the east
        self.along_y = 0.5 * (k[:, :-1] + k[:, 1:])  # [n - 1, n - 2], from each inner node and the south wall to the north

    def given(self):
        heat = np.zeros((self.n, self.n))
        heat[self.square, self.square] = self.heat_w_m
        given = heat[1:-1, 1:-1].copy()
        given[:, 0] += self.along_x[:, 0] * common.WEST_K
        given[:, -1] += self.along_x[:, -1] * common.EAST_K
        given[0, :] += self.along_y[0, :] * common.SOUTH_K
        given[-1, :] += self.along_y[-1, :] * common.NORTH_K
        return given

    def start(self):
        """What iterations start from, walls included."""
        bump = np.sin(np.pi * np.arange(self.n) / (self.n - 1))
        return self.hold(20.0 + 100.0 * np.outer(bump, bump))

    def diagonal(self):
        return (self.along_x[:, :-1] + self.along_x[:, 1:]) + (self.along_y[:-1] + self.along_y[1:])

    def rows(self):
        """data, indices, indptr: the matrix as compressed rows."""
        inside = self.n - 2
        node = np.arange(inside**2, dtype=np.int32).reshape(inside, inside)
        values = np.zeros((inside, inside, 5))
        values[1:, :, 0] = -self.along_y[1:-1]
        values[:, 1:, 1] = -self.along_x[:, 1:-1]
        values[:, :, 2] = self.diagonal()
        values[:, :-1, 3] = -self.along_x[:, 1:-1]
        values[:-1, :, 4] = -self.along_y[1:-1]
        present = values != 0.0
        columns = (node[:, :, None] + np.array([-inside, -1, 0, 1, inside], dtype=np.int32))[present]
        starts = np.zeros(inside**2 + 1, dtype=np.int32)
        np.cumsum(present.sum(axis=2).ravel(), out=starts[1:])
        return values[present], columns, starts

    def eigenvalues(self):
        """Of the uniform plate's equations in one direction; those of both are sums of two."""
        return 4.0 * np.sin(0.5 * np.pi * np.arange(1, self.n - 1) / (self.n - 1)) ** 2


# --- peers: setup(), solve(tolerance), which gives the number of iterations if there are any, wait() and fetch() -------


class Solver:
    device = "cpu"
    version = ""
    patterns = PATTERNS
    iterative = False
    most_nodes = math.inf  # of a side; beyond, memory or time is out of proportion

    def __init__(self, plate, arguments):
        self.p, self.threads = plate, arguments.threads
        self.deadline = time.perf_counter() + arguments.seconds

    def setup(self):
        raise NotImplementedError

    def solve(self, tolerance):
        raise NotImplementedError

    def wait(self):
        pass

    def fetch(self):
        return np.asarray(self.answer).reshape(self.p.n - 2, self.p.n - 2)

    def measure(self, tolerance, repeats):
        """Seconds of set-ups and of solutions: as many as there are repeats, fewer where the deadline comes before."""
        deadline, self.deadline = self.deadline, math.inf
        setups, solves = [], []
        while not solves or (len(solves) < repeats and time.perf_counter() < deadline):
            began = time.perf_counter()
            self.setup()
            self.wait()
            setups.append(time.perf_counter() - began)
            began, count, elapsed = time.perf_counter(), 0, 0.0
            while elapsed < LEAST_REPEAT_S:
                self.solve(tolerance)
                self.wait()
                count, elapsed = count + 1, time.perf_counter() - began
            solves.append(elapsed / count)
        return setups, solves


class ScipyDst(Solver):
    patterns = ("uniform",)

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        import scipy
        import scipy.fft

        self.version, self.fft, self.given = scipy.__version__, scipy.fft, plate.given()

    def setup(self):
        there_and_back = (2.0 * (self.p.n - 1)) ** 2
        eigenvalues = self.p.eigenvalues()
        self.factor = 1.0 / (there_and_back * (eigenvalues[:, None] + eigenvalues))

    def solve(self, tolerance):
        waves = self.fft.dstn(self.given, type=1, workers=self.threads)
        waves *= self.factor
        self.answer = self.fft.dstn(waves, type=1, overwrite_x=True, workers=self.threads)


class Program(Solver):
    """A program of this folder, in C; it prints what it took, and writes its answer to a file."""

    name = ""

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        self.program = os.path.join(os.path.dirname(os.path.abspath(arguments.heatsolve)), "benchmarks", self.name)
        if not os.access(self.program, os.X_OK):
            raise ImportError(f"no benchmarks/{self.name} beside heatsolve; make -C build benchmarks")
        self.seconds = arguments.seconds
        self.environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def command(self, tolerance):
        raise NotImplementedError

    def call(self, tolerance, repeats, seconds, *path):
        """What it printed, by the first word of each line."""
        words = [str(word) for word in (*self.command(tolerance), repeats, seconds, *path)]
        printed = {"setup": [], "solve": []}
        try:
            lines = common.run(words, env=self.environment, timeout=self.seconds).splitlines()
        except subprocess.TimeoutExpired as failure:
            raise common.NotTimed(f"it takes more than {self.seconds:g} s") from failure
        for line in lines:
            kind, *values = line.split()
            printed.setdefault(kind, []).append(values)
        self.version = printed["version"][0][0].removeprefix("fftw-").split("-")[0]
        return printed

    def setup(self):
        pass  # in every call

    def solve(self, tolerance):
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "answer")
            printed = self.call(tolerance, 1, 0, path)
            self.answer = np.fromfile(path)
        self.once_s = time.perf_counter() - began
        return int(printed["solve"][0][1])

    def measure(self, tolerance, repeats):
        fit = int((self.deadline - time.perf_counter()) / (self.once_s + LEAST_REPEAT_S))
        printed = self.call(tolerance, max(1, min(repeats, fit)), LEAST_REPEAT_S)
        return ([float(values[0]) for values in printed[kind]] for kind in ("setup", "solve"))


class Fftw(Program):
    name, patterns = "fftw_sine", ("uniform",)

    def command(self, tolerance):
        return self.program, self.p.n, self.threads

    def solve(self, tolerance):
        super().solve(tolerance)


class HyprePfmg(Program):
    name, iterative = "hypre_pfmg", True

    def command(self, tolerance):
        ranks = ("mpirun", "-n", self.threads) if self.threads > 1 and shutil.which("mpirun") else ()
        return *ranks, self.program, self.p.n, self.p.pattern, repr(tolerance)


class Sparse(Solver):
    """What has the matrix as one of scipy.sparse."""

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        import scipy.sparse

        inside = (plate.n - 2) ** 2
        self.matrix = scipy.sparse.csr_matrix(plate.rows(), shape=(inside, inside))
        self.given, self.start = plate.given().ravel(), plate.start()[1:-1, 1:-1].ravel()


class PyamgRugeStuben(Sparse):
    """Forwards before, backwards after is as symmetric as both in each place, PyAMG's default, and a little faster."""

    iterative = True
    maker = "ruge_stuben_solver"

    def __init__(self, plate, arguments):
        import pyamg

        super().__init__(plate, arguments)
        self.version, self.make = pyamg.__version__, getattr(pyamg, self.maker)

    def setup(self):
        self.levels = self.make(self.matrix, presmoother=("gauss_seidel", {"sweep": "forward"}),
                                postsmoother=("gauss_seidel", {"sweep": "backward"}))

    def solve(self, tolerance):
        residuals = []
        self.answer = self.levels.solve(self.given, x0=self.start, tol=tolerance, maxiter=200, accel="cg", residuals=residuals)
        return len(residuals) - 1


class PyamgAggregation(PyamgRugeStuben):
    maker = "smoothed_aggregation_solver"


class SuperLu(Sparse):
    most_nodes = 1100

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        import scipy
        import scipy.sparse.linalg

        self.version, self.factorise = scipy.__version__, scipy.sparse.linalg.splu
        self.matrix = self.matrix.tocsc()

    def setup(self):
        self.factors = self.factorise(self.matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
                                      options={"SymmetricMode": True})

    def solve(self, tolerance):
        self.answer = self.factors.solve(self.given)


class Cholmod(Sparse):
    most_nodes = 2100

    def __init__(self, plate, arguments):
        import sksparse
        from sksparse.cholmod import cholesky

        super().__init__(plate, arguments)
        self.version, self.factorise = sksparse.__version__, cholesky
        self.matrix = self.matrix.tocsc()

    def setup(self):
        self.factors = self.factorise(self.matrix)

    def solve(self, tolerance):
        self.answer = self.factors(self.given)


class ScipyCg(Solver):
    iterative = True
    most_nodes = 1100

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        self.modules()
        inside = (plate.n - 2) ** 2
        rows = tuple(self.arrays.asarray(part) for part in plate.rows())
        self.matrix = self.sparse.csr_matrix(rows, shape=(inside, inside))
        self.given = self.arrays.asarray(plate.given().ravel())
        self.start = self.arrays.asarray(plate.start()[1:-1, 1:-1].ravel())
        self.diagonal = self.arrays.asarray(plate.diagonal().ravel())
        names = inspect.signature(self.linalg.cg).parameters
        self.tolerance_name = "rtol" if "rtol" in names else "tol"  # its older name

    def modules(self):
        import scipy
        import scipy.sparse.linalg

        self.version, self.arrays, self.sparse, self.linalg = scipy.__version__, np, scipy.sparse, scipy.sparse.linalg

    def setup(self):
        inverse = 1.0 / self.diagonal
        self.jacobi = self.linalg.LinearOperator(self.matrix.shape, matvec=lambda residual: inverse * residual,
                                                 dtype=inverse.dtype)

    def solve(self, tolerance):
        self.count = 0
        self.answer, _ = self.linalg.cg(self.matrix, self.given, x0=self.start.copy(), M=self.jacobi, atol=0.0,
                                        maxiter=10**6, callback=self.look, **{self.tolerance_name: tolerance})
        return self.count

    def look(self, _):
        self.count += 1
        if time.perf_counter() > self.deadline:
            raise common.NotTimed(f"time is up after {self.count} iterations")


class CupyCg(ScipyCg):
    device = "gpu"
    most_nodes = 4100

    def modules(self):
        import cupy
        import cupyx.scipy.sparse
        import cupyx.scipy.sparse.linalg

        cupy.cuda.runtime.getDeviceCount()
        self.version, self.arrays, self.sparse = cupy.__version__, cupy, cupyx.scipy.sparse
        self.linalg = cupyx.scipy.sparse.linalg

    def wait(self):
        self.arrays.cuda.get_current_stream().synchronize()

    def fetch(self):
        return self.arrays.asnumpy(self.answer).reshape(self.p.n - 2, self.p.n - 2)


class CupyDst(Solver):
    """CuPy has no sine transform of the first type: that of a row is the Fourier transform of the row and, behind it, of the
    row backwards with the other sign."""

    device = "gpu"
    patterns = ("uniform",)

    def __init__(self, plate, arguments):
        super().__init__(plate, arguments)
        import cupy

        cupy.cuda.runtime.getDeviceCount()
        self.version, self.cupy, self.given = cupy.__version__, cupy, cupy.asarray(plate.given())
        self.eigenvalues = cupy.asarray(plate.eigenvalues())

    def setup(self):
        n = self.p.n - 1
        self.cupy.fft.config.get_plan_cache().clear()
        self.odd = self.cupy.zeros((n - 1, 2 * n))
        self.factor = 1.0 / ((2.0 * n) ** 2 * (self.eigenvalues[:, None] + self.eigenvalues))
        self.sines(self.given)  # makes the plan

    def sines(self, rows):
        """Minus the sine transform of every row."""
        n = self.p.n - 1
        self.odd[:, 1:n] = rows
        self.cupy.negative(rows[:, ::-1], out=self.odd[:, n + 1:])
        return self.cupy.fft.rfft(self.odd, axis=1).imag[:, 1:n]

    def solve(self, tolerance):
        waves = self.sines(self.sines(self.given).T)
        waves = self.sines(waves * self.factor)  # the factor of (p, q) is that of (q, p)
        self.answer = self.sines(waves.T)

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def fetch(self):
        return self.cupy.asnumpy(self.answer)


class AmgX(Sparse):
    device = "gpu"
    iterative = True
    CONFIGURATION = {
        "config_version": 2,
        "solver": {
            "solver": "PCG", "max_iters": 200, "monitor_residual": 1, "convergence": "RELATIVE_INI", "norm": "L2",
            "preconditioner": {
                "solver": "AMG", "algorithm": "CLASSICAL", "selector": "PMIS", "interpolator": "D2", "cycle": "V",
                "smoother": "JACOBI_L1", "presweeps": 1, "postsweeps": 1, "max_iters": 1,
            },
        },
    }

    def __init__(self, plate, arguments):
        import pyamgx

        super().__init__(plate, arguments)
        pyamgx.initialize()
        self.amgx, self.host = pyamgx, np.zeros(self.given.size)
        self.resources = pyamgx.Resources().create_simple(self.configuration(GOAL_K))
        self.a = pyamgx.Matrix().create(self.resources)
        self.b, self.x = (pyamgx.Vector().create(self.resources) for _ in range(2))
        self.a.upload_CSR(self.matrix)
        self.b.upload(self.given)
        self.x.upload(self.host)
        self.tolerance, self.solver = None, None

    def configuration(self, tolerance):
        text = {**self.CONFIGURATION, "solver": {**self.CONFIGURATION["solver"], "tolerance": tolerance}}
        return self.amgx.Config().create_from_dict(text)

    def setup(self):
        if self.solver:
            self.solver.destroy()
        self.solver = self.amgx.Solver().create(self.resources, self.configuration(self.tolerance or GOAL_K))
        self.solver.setup(self.a)

    def solve(self, tolerance):
        if tolerance != self.tolerance:  # is part of the set-up here; the search for it is not timed
            self.tolerance = tolerance
            self.setup()
        self.solver.solve(self.b, self.x, zero_initial_guess=True)
        return self.solver.iterations_number

    def fetch(self):
        self.x.download(self.host)
        return self.host.reshape(self.p.n - 2, self.p.n - 2)


PEERS = {
    "scipy-dst": ScipyDst,
    "fftw": Fftw,
    "pyamg-rs": PyamgRugeStuben,
    "pyamg-sa": PyamgAggregation,
    "hypre-pfmg": HyprePfmg,
    "splu": SuperLu,
    "cholmod": Cholmod,
    "scipy-cg": ScipyCg,
    "cupy-dst": CupyDst,
    "cupy-cg": CupyCg,
    "amgx": AmgX,
}


# --- answers to compare with -------------------------------------------------------------------------------------------


def difference_k(answer, reference):
    """The largest difference; infinite where one is not a number."""
    largest = float(np.abs(answer - reference).max())
    return largest if math.isfinite(largest) else math.inf


def direct_answer(plate):
    """NumPy's, from the full matrix."""
    inside = (plate.n - 2) ** 2
    data, columns, starts = plate.rows()
    matrix = np.zeros((inside, inside))
    matrix[np.repeat(np.arange(inside), np.diff(starts)), columns] = data
    return np.linalg.solve(matrix, plate.given().ravel()).reshape(plate.n - 2, plate.n - 2)


def heatsolve_package(program):
    """The package of this source, with the library beside the program."""
    library = os.path.join(os.path.dirname(os.path.abspath(program)), "libheatsolve.so.1")
    if os.path.exists(library):
        os.environ.setdefault("HEATSOLVE_LIBRARY", library)
    sys.path.insert(0, os.path.join(common.HERE, "..", "python"))
    import heatsolve

    return heatsolve


def heatsolve_answer(heatsolve, plate, tolerance_k, threads, backend="cpu", cycles=1000):
    """heatsolve's inner nodes, from the same start, after so many cycles at most."""
    low_m, high_m = plate.low * plate.spacing_m, plate.high * plate.spacing_m
    problem = {
        "grid": {"nx": plate.n, "ny": plate.n, "lx": 1, "ly": 1},
        "material": {"conductivity": MATERIALS_W_MK[0]},
        "boundary": {"west": common.WEST_K, "east": common.EAST_K, "south": common.SOUTH_K, "north": common.NORTH_K},
        "source square": {"shape": "rectangle", "x0": low_m, "x1": high_m, "y0": low_m, "y1": high_m,
                          "density": common.SOURCE_W_M3},
        "solver": {"method": "multigrid", "criterion": "error", "tolerance": tolerance_k, "balance_tolerance": 1,
                   "max_iterations": cycles, "threads": threads, "backend": backend},
    }
    arrays = {"initial": plate.start()}
    if plate.pattern != "uniform":
        arrays["materials"] = plate.cells
        problem |= {f"material m{k}": {"conductivity": MATERIALS_W_MK[k]} for k in range(1, len(MATERIALS_W_MK))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", heatsolve.Warning)  # of a run that is to end before it knows its error
        result = heatsolve.run(problem, **arrays)
    if not result.converged and result.report["cycles"] < cycles:
        raise RuntimeError(f"heatsolve's run is {result.status}")
    return result.temperature[1:-1, 1:-1].copy()


def small_answer(heatsolve, pattern):
    """The small plate and NumPy's answer, with which heatsolve's must agree; and the peers that do, none yet."""
    plate = Plate(SMALL_NODES, pattern)
    direct = direct_answer(plate)
    wrong = difference_k(heatsolve_answer(heatsolve, plate, REFERENCE_K, 1), direct)
    if wrong > SMALL_K:
        sys.exit(f"solvers.py: heatsolve and NumPy differ by {wrong:.3g} K on {plate.n} x {plate.n} nodes, {pattern}, allowed "
                 f"{SMALL_K:.3g} K; nothing is compared")
    return plate, direct, set()


# --- timing ------------------------------------------------------------------------------------------------------------


def row_of(plate, program):
    return {"nodes_per_side": plate.n, "material": plate.pattern, "program": program, "version": "", "device": "",
            "setup_s": None, "solve_s": None, "spread": None, "iterations": None, "tolerance": None, "error": None,
            "repeats": None, "remark": ""}


def heatsolve_rows(heatsolve, plate, reference, arguments):
    """The rows of heatsolve bench; their errors are those of runs with as many cycles."""
    report = common.bench(arguments.heatsolve, [plate.n], arguments.repeats, [
        "-f", "multigrid", "-p", "double", "-m", plate.pattern, "-s", str(LEAST_REPEAT_S), "-t", str(arguments.threads),
        "-b", ",".join(arguments.backends)])
    rows = []
    for measured in report["rows"]:
        backend = measured["backend"]
        row = row_of(plate, "heatsolve " + backend)
        row |= {"version": report["version"], "device": common.device_of(backend),
                "remark": measured["not_measured_because"] or ""}
        if measured["measured"]:
            answer = heatsolve_answer(heatsolve, plate, GOAL_K, arguments.threads, backend, measured["cycles"])
            row |= {"setup_s": measured["setup_time_s"], "solve_s": measured["solve_time_s"],
                    "spread": measured["spread_relative"], "iterations": measured["cycles"], "repeats": arguments.repeats,
                    "error": difference_k(answer, reference) / RANGE_K}
        else:  # said once
            arguments.backends.remove(backend)
        rows.append(row)
    return rows


def tolerance_find(peer, reference):
    """The loosest tolerance, within an iteration or 2 %, of an answer as near as wanted; its iterations and its error."""
    tolerance, tight, loose = 1e-8, None, None
    while TIGHT <= tolerance < 1.0:
        iterations = peer.solve(tolerance)
        found = (tolerance, iterations, difference_k(peer.fetch(), reference))
        if found[2] <= GOAL_K:
            tight = found
        else:
            loose = found
        if tight and loose and tight[1] - loose[1] <= max(1.0, 0.02 * tight[1]):
            break
        if tight and loose:
            tolerance = math.sqrt(tight[0] * loose[0])
        else:  # the error follows the tolerance, about
            tolerance *= max(3.0, 1.5 * GOAL_K / found[2]) if tight else min(0.3, 0.7 * GOAL_K / found[2])
        if time.perf_counter() > peer.deadline:
            raise common.NotTimed("time is up before a tolerance is found")
    if not tight:
        raise common.NotTimed(f"an error of {loose[2]:.3g} K is left after {loose[1]} iterations")
    return tight


def small_check(name, arguments, small):
    """Does the peer compute the small plate's answer?"""
    plate, direct, passed = small
    if name in passed:
        return
    peer = PEERS[name](plate, arguments)
    peer.setup()
    peer.solve(TIGHT)
    wrong = difference_k(peer.fetch(), direct)
    if wrong > SMALL_K:
        raise common.NotTimed(f"it differs from NumPy by {wrong:.3g} K on {plate.n} x {plate.n} nodes")
    passed.add(name)


def peer_row(name, plate, reference, small, arguments):
    """One peer on one plate: compared, then timed."""
    row, kind = row_of(plate, name), PEERS[name]
    try:
        small_check(name, arguments, small)
        row["device"] = kind.device
        if plate.n > kind.most_nodes:
            raise common.NotTimed(f"on at most {kind.most_nodes} x {kind.most_nodes} nodes")
        peer = kind(plate, arguments)
        peer.setup()
        if peer.iterative:
            row["tolerance"], row["iterations"], wrong = tolerance_find(peer, reference)
        else:
            peer.solve(None)
            wrong = difference_k(peer.fetch(), reference)
        row["version"], row["error"] = peer.version, wrong / RANGE_K
        if wrong > GOAL_K:
            raise common.NotTimed(f"its answer is wrong by {wrong:.3g} K")
        setups, solves = peer.measure(row["tolerance"], arguments.repeats)
        row["setup_s"], _ = common.median_spread(setups)
        row["solve_s"], row["spread"] = common.median_spread(solves)
        row["repeats"] = len(solves)
    except Exception as failure:  # a peer may fail in any way of its own; the others go on
        row["device"] = row["device"] or (kind.device if isinstance(failure, common.NotTimed) else "")
        common.remark_failure(row, failure)
    return row


# --- output ------------------------------------------------------------------------------------------------------------


def print_head():
    print(f"{'nodes':>11} {'material':8} {'':3} {'program':21} {'version':>12} {'set-up ms':>10} {'solve ms':>10} "
          f"{'spread':>7} {'iterations':>10} {'tolerance':>9} {'error/range':>11} {'times heatsolve':>15}", flush=True)


def print_row(row):
    n = row["nodes_per_side"]
    head = f"{f'{n}x{n}':>11} {row['material']:8} {row['device']:3} {row['program']:21} {row['version']:>12.12}"
    if row["solve_s"] is None:
        print(f"{head} {row['remark']}", flush=True)
        return
    iterations, tolerance, ratio = ("-" if row[name] is None else form.format(row[name]) for name, form in (
        ("iterations", "{}"), ("tolerance", "{:.1e}"), ("ratio", "{:.2f}")))
    print(f"{head} {1e3 * row['setup_s']:10.4g} {1e3 * row['solve_s']:10.4g} {100 * row['spread']:5.1f} % "
          f"{iterations:>10} {tolerance:>9} {row['error']:11.1e} {ratio:>15}", flush=True)


def print_foot():
    print(f"\nerror/range: largest true error over {RANGE_K:g} K; tolerance: of the residual's 2-norm over that of the "
          "right-hand side\ntimes heatsolve: time of a solution over that of heatsolve's fastest backend on the same kind of "
          "processor")


def write_csv(path, rows):
    names = ["nodes_per_side", "material", "device", "program", "version", "setup_s", "solve_s", "spread", "repeats",
             "iterations", "tolerance", "error", "ratio", "remark"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["error_over_range" if name == "error" else "time_over_heatsolve" if name == "ratio" else name
                         for name in names])
        writer.writerows(["" if row[name] is None else row[name] for name in names] for row in rows)


# --- command line ------------------------------------------------------------------------------------------------------


def arguments_read():
    parser = common.parser_of(__doc__, "257,1025", PEERS)
    parser.add_argument("-m", default=",".join(PATTERNS), help="uniform, blocks, with commas (default: both)")
    parser.add_argument("-b", "--backends", default="cpu,cuda-global", help="heatsolve's (default: %(default)s)")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="CPU threads of what takes a number of them (default: all)")
    parser.add_argument("--seconds", type=float, default=120.0,
                        help="that a peer may take at one size, about (default: %(default)s)")
    arguments = common.arguments_of(parser, PEERS)
    arguments.patterns, arguments.backends = arguments.m.split(","), arguments.backends.split(",")
    if not set(arguments.patterns) <= set(PATTERNS) or arguments.threads < 1:
        parser.error("-m takes uniform, blocks or both, --threads 1 or more")
    return arguments


def plate_rows(heatsolve, plate, small, arguments):
    """The rows of one plate, heatsolve's first, each as soon as it is there."""
    reference = heatsolve_answer(heatsolve, plate, REFERENCE_K, arguments.threads)
    rows = heatsolve_rows(heatsolve, plate, reference, arguments)
    common.ratios_add(rows, [], "solve_s")
    yield from rows
    for name in list(arguments.peers):
        if plate.pattern in PEERS[name].patterns:
            common.add_peer_row(rows, peer_row(name, plate, reference, small, arguments), arguments.peers)
            common.ratios_add(rows, [], "solve_s")
            yield rows[-1]


def main():
    arguments = arguments_read()
    heatsolve = heatsolve_package(arguments.heatsolve)
    small = {pattern: small_answer(heatsolve, pattern) for pattern in arguments.patterns}
    rows = []
    print_head()
    for n in arguments.sizes:
        for pattern in arguments.patterns:
            for row in plate_rows(heatsolve, Plate(n, pattern), small[pattern], arguments):
                rows.append(row)
                print_row(row)
    print_foot()
    if arguments.csv:
        write_csv(arguments.csv, rows)


if __name__ == "__main__":
    main()
