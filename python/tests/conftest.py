"""What the tests share, and TAP for `make check` (see tests/python.sh)."""

import os
from pathlib import Path

import pytest

TOP = Path(os.environ.get("HS_TOP_SRCDIR", Path(__file__).parents[2]))

#: A plate of 1 m from 0 on the west to 1 on the east wall: T = x.
PLATE = {
    "grid": {"nx": 11, "ny": 5, "lx": 1, "ly": 1},
    "material": {"conductivity": 1},
    "boundary": {"west": 0, "east": 1, "south": "insulated", "north": "insulated"},
    "solver": {"tolerance": 1e-9},
}

#: The same plate over 10 s, from 0.
COURSE = {
    **PLATE,
    "material": {"conductivity": 1, "density": 1, "heat_capacity": 1},
    "time": {"scheme": "backward_euler", "end": 10, "steps": 20, "snapshots": [1, 2]},
    "probe middle": {"x": 0.5, "y": 0.5},
}

#: A plate that takes more sweeps than anyone waits for.
ENDLESS = {
    "grid": {"nx": 301, "ny": 301, "lx": 1, "ly": 1},
    "material": {"conductivity": 1},
    "boundary": {"west": 0, "east": 1, "south": "insulated", "north": "insulated"},
    "solver": {"method": "jacobi", "tolerance": 1e-12, "max_iterations": 10**12},
}


@pytest.fixture
def configs():
    return TOP / "configs"


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error::heatsolve.Warning")


class Tap:
    """Results as TAP lines in the file that HS_TAP names."""

    def __init__(self, path):
        self.file, self.count = open(path, "w"), 0

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.count += 1
            name = report.nodeid.split("tests/")[-1].replace("#", " ")
            skipped = f" # SKIP {report.longrepr[2]}" if report.skipped else ""
            print(f"{'not ' * report.failed}ok {self.count} - {name}{skipped}", file=self.file)

    def pytest_sessionfinish(self):
        print(f"1..{self.count}", file=self.file)
        self.file.close()


if "HS_TAP" in os.environ:
    pytest_plugins = ()

    def pytest_sessionstart(session):
        session.config.pluginmanager.register(Tap(os.environ["HS_TAP"]))
