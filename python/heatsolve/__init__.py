"""Heat conduction in plates and cross-sections, steady or over time, on CPUs and GPUs.

>>> import heatsolve
>>> result = heatsolve.run("wall.ini", {"grid.nx": 401})
>>> result.temperature.max()

The configuration is that of the command heatsolve; its keys are described by ``heatsolve --help-config`` and
heatsolve.ini(5).
"""

from . import _library
from ._errors import (
    ConfigError,
    DeviceError,
    Error,
    InputOutputError,
    InternalError,
    MemoryError,
    UnsupportedError,
    UsageError,
    Warning,
)
from ._problem import Forecast, Problem, check, run
from ._result import Field, HeatFlow, Material, Probe, Result
from ._running import Progress

__version__ = "0.1.0"

#: Version of the library that solves, and where it was found.
library_version: str = _library.library.heatsolve_version().decode()
library_path: str = _library.path

__all__ = [
    "ConfigError",
    "DeviceError",
    "Error",
    "Field",
    "Forecast",
    "HeatFlow",
    "InputOutputError",
    "InternalError",
    "Material",
    "MemoryError",
    "Probe",
    "Problem",
    "Progress",
    "Result",
    "UnsupportedError",
    "UsageError",
    "Warning",
    "check",
    "library_path",
    "library_version",
    "run",
]
