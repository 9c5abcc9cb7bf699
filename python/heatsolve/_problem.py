"""Problems: a configuration, what is set beside it, and arrays in place of files."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import byref, c_int, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _library
from ._errors import Error, UsageError, call
from ._result import Result
from ._running import ProgressCallback, Run, finish
from ._values import Sections, as_text, encoded, merge, path_encoded

Configuration = Union[str, "os.PathLike[str]", Mapping[str, Any]]

ARRAYS = ("materials", "conductivity", "source", "initial")


@dataclass(frozen=True)
class Forecast:
    """What a run would do."""

    method: str  #: "" for explicit time steps
    backend: str
    sweeps: float  #: or cycles of multigrid; NaN where they cannot be told
    time_s: float
    host_bytes: float  #: memory at the peak
    device_bytes: float  #: of a GPU


class Problem:
    """What a configuration describes, to be checked and run, also several times and by several threads at once.

    `configuration` is a file, or a mapping of sections such as ``{"grid": {"nx": 101}, "material wood": {...}}``; `text`
    is the text of a file. `settings` are set beside it, see `set` for their form.

    The arrays stand in place of the files that [map] names; row 0 lies in the south, column 0 in the west:

    * `materials`, one a cell: names of materials, or their numbers (0 the background, k the k-th [material NAME]);
    * `conductivity` in W/(m K) and `source` in W/m3, one number a cell;
    * `initial`, temperatures at which the nodes start.

    There are nx - 1 by ny - 1 cells in the vertex layout, nx by ny in the cell layout.
    """

    def __init__(
        self,
        configuration: Optional[Configuration] = None,
        settings: Optional[Mapping[str, Any]] = None,
        *,
        text: Optional[str] = None,
        materials: Optional[ArrayLike] = None,
        conductivity: Optional[ArrayLike] = None,
        source: Optional[ArrayLike] = None,
        initial: Optional[ArrayLike] = None,
    ) -> None:
        self._path: Optional[str] = None
        self._text = text or ""
        self._is_mapping = isinstance(configuration, Mapping)
        self._settings: Sections = {}  # beside the text
        self._arrays: dict[str, NDArray[Any]] = {}
        self._runs: set[Run] = set()
        self._lock = threading.Lock()
        if configuration is not None and text is not None:
            raise UsageError("give a configuration or the text of one, not both")
        if isinstance(configuration, Mapping):
            sections: Sections = {}
            merge(sections, configuration)
            self._text, self._settings = as_text(sections)
        elif configuration == "-":
            raise UsageError('"-" is no file here; give text=sys.stdin.read()')
        elif configuration is not None:
            self._path = os.fsdecode(configuration)
            _library.library.heatsolve_close(self._open())
        self.update(settings or {})
        for name, values in zip(ARRAYS, (materials, conductivity, source, initial)):
            self.set_array(name, values)

    def __getstate__(self) -> dict[str, Any]:
        """For copies, which have settings of their own, also in other processes."""
        private = {"_settings": {section: dict(keys) for section, keys in self._settings.items()}}
        state = {**self.__dict__, **private, "_arrays": dict(self._arrays), "_runs": set()}
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    def set(self, key: str, value: Any) -> None:
        """Sets a key such as "grid.nx" or "source NAME.power", whatever the configuration says.

        Values are text as in a file, numbers, True and False, lists of numbers, and lists of points; None leaves the key
        as the configuration has it. What they mean is checked by `check` and `run`.
        """
        self.update({key: value})

    def update(self, settings: Mapping[str, Any]) -> None:
        """Sets many keys: ``{"grid.nx": 401}`` or ``{"grid": {"nx": 401}}``."""
        merge(self._settings, settings)

    def set_array(self, name: str, values: Optional[ArrayLike]) -> None:
        """Sets the array "materials", "conductivity", "source" or "initial"; None: what the configuration says."""
        if name not in ARRAYS:
            raise UsageError(f'there is no array "{name}"; there are {", ".join(ARRAYS)}')
        if values is None:
            self._arrays.pop(name, None)
            return
        if np.ma.is_masked(values):
            raise UsageError(f"the array {name} has masked numbers; fill them in first (values.filled(...))")
        try:
            array = np.array(values)
        except ValueError:
            raise UsageError(f"the array {name} needs rows of one length") from None
        if array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat):
            array = array.astype(str)
        if array.ndim != 2 or array.size == 0:
            raise UsageError(f"the array {name} has the shape {array.shape}, and needs rows and columns")
        kinds, wanted = ("buiU", "names or whole numbers") if name == "materials" else ("buif", "real numbers")
        if array.dtype.kind not in kinds:
            raise UsageError(f"the array {name} is of the type {array.dtype}, and needs {wanted}")
        self._arrays[name] = array

    def check(self) -> Forecast:
        """Reads all keys, builds the problem, and chooses method and backend; runs nothing."""
        forecast = _library.Forecast()
        handle = self._prepare()
        try:
            with self._told_plainly():
                call("check", handle, forecast)
        finally:
            _library.library.heatsolve_close(handle)
        names = forecast.method.decode(), forecast.backend.decode()
        return Forecast(*names, forecast.sweeps, forecast.time_s, forecast.host_bytes, forecast.device_bytes)

    def run(
        self,
        *,
        output: Union[str, "os.PathLike[str]", bool, None] = None,
        force: bool = False,
        progress: Union[ProgressCallback, bool, None] = None,
        snapshots: bool = True,
    ) -> Result:
        """Solves the problem.

        `output` is a folder for the files that [output] asks for, or True for the folder that it names; without it nothing
        is written. `force` removes an earlier run's files from there first. `progress` is called about ten times a
        second with a `Progress`, and ends the run when it returns True; ``progress=True`` writes a line to the standard
        error stream. Without `snapshots` those that [time] asks for are not kept in memory.

        A run that was ended or met a limit gives a result too; `status` and warnings say so. An exception during the run,
        Ctrl-C among them, ends it, and is raised with what there is as its attribute `result`.
        """
        flags = _library.SNAPSHOTS if snapshots else 0
        if output is not None and output is not False:
            flags |= _library.FILES | (_library.FORCE if force else 0)
        folder = None if output is None or isinstance(output, bool) else os.fsdecode(output)
        run = Run(lambda: self._prepare(folder), flags)
        with self._lock:
            self._runs.add(run)
        try:
            with self._told_plainly():
                return finish(run, progress)
        finally:
            with self._lock:
                self._runs.discard(run)

    def cancel(self) -> None:
        """Ends the runs of this problem that are under way, with the fields as they are then; any thread may call it."""
        with self._lock:
            for run in self._runs:
                run.cancel()

    @contextmanager
    def _told_plainly(self) -> Iterator[None]:
        """Failures without lines of a text that nobody has seen."""
        try:
            yield
        except Error as failure:
            if self._is_mapping:
                failure.args = (re.sub(r"^configuration text(:\d+)?: ", "", str(failure)),)
            raise

    # --- as the library has it ---

    def _open(self) -> c_void_p:
        """The library's problem without settings, which the caller closes."""
        handle = c_void_p()
        if self._path is None:
            call("open_text", encoded(self._text), byref(handle))
        else:
            call("open", path_encoded(self._path), byref(handle))
        return handle

    def _prepare(self, folder: Optional[str] = None) -> c_void_p:
        """The library's problem with all that was set, which the caller closes."""
        handle = self._open()
        try:
            for section, keys in self._settings.items():
                for key, text in keys.items():
                    call("set", handle, encoded(f"{section}.{key}"), encoded(text))
            if folder is not None:
                call("set", handle, b"output.directory", encoded(folder))
            for name, array in self._arrays.items():
                _hand_over(handle, name, array)
        except BaseException:
            _library.library.heatsolve_close(handle)
            raise
        return handle


def _numbers(handle: c_void_p, names: NDArray[Any]) -> NDArray[Any]:
    """The numbers of materials that are given by name."""
    found, places = np.unique(names, return_inverse=True)
    numbers = np.empty(len(found))
    index = c_int()
    for k, name in enumerate(found):
        call("material_index", handle, encoded(str(name)), byref(index))
        numbers[k] = index.value
    return numbers[places].reshape(names.shape)


def _hand_over(handle: c_void_p, name: str, array: NDArray[Any]) -> None:
    if array.dtype.kind == "U":
        array = _numbers(handle, array)
    array = np.ascontiguousarray(array, dtype=np.float64)
    rows, columns = array.shape
    call("set_array", handle, encoded("map." + name), array.ctypes.data, rows, columns)


def run(
    configuration: Optional[Configuration] = None,
    settings: Optional[Mapping[str, Any]] = None,
    *,
    output: Union[str, "os.PathLike[str]", bool, None] = None,
    force: bool = False,
    progress: Union[ProgressCallback, bool, None] = None,
    snapshots: bool = True,
    threads: Optional[int] = None,
    **problem: Any,
) -> Result:
    """Solves a problem: ``run("wall.ini", {"grid.nx": 401})``.

    `configuration`, `settings` and further keywords (text, materials, conductivity, source, initial) make a `Problem`,
    `threads` is its key solver.threads, and the other keywords are those of `Problem.run`.
    """
    made = Problem(configuration, settings, **problem)
    made.set("solver.threads", threads)
    return made.run(output=output, force=force, progress=progress, snapshots=snapshots)


def check(
    configuration: Optional[Configuration] = None, settings: Optional[Mapping[str, Any]] = None, **problem: Any
) -> Forecast:
    """What `run` would do with the same problem."""
    return Problem(configuration, settings, **problem).check()
