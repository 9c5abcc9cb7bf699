"""What a run gave."""

from __future__ import annotations

import dataclasses
import difflib
import json
import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from ctypes import byref, c_double, c_void_p
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _library
from ._errors import call, spoken, warn
from ._values import path_encoded

if TYPE_CHECKING:
    import matplotlib.axes
    import xarray


Floats = NDArray[np.float64]

NAMES_MOST = 20  # told when one is not there


@dataclass(frozen=True)
class Probe:
    """A point, or a line of points with arrays in place of numbers."""

    x: Any  #: m
    y: Any  #: m
    temperature: Any
    distance: Optional[Floats] = None  #: m along the line; None for a point
    course: Optional[Floats] = None  #: temperatures at `Result.time`; None in a steady run and for lines

    def __repr__(self) -> str:
        if self.distance is None:
            return f"Probe(x={self.x!r}, y={self.y!r}, temperature={self.temperature!r})"
        lowest, highest = self.temperature.min(), self.temperature.max()
        return f"Probe(a line of {len(self.x)} points, temperature {lowest:.6g} to {highest:.6g})"


@dataclass(frozen=True)
class HeatFlow:
    """Heat that enters through a part of a wall; negative where it leaves."""

    side: str
    kind: str
    start: float  #: m along the wall, from its west or south end
    end: float  #: m
    heat: float  #: W per metre of depth
    mean: float  #: W/m2
    #: W per metre of depth at `Result.time`; None in a steady run
    course: Optional[Floats] = dataclasses.field(default=None, repr=False)


@dataclass(frozen=True)
class Material:
    """How much of a material there is, and how warm it is."""

    area: float  #: m2
    mean: float
    lowest: float
    highest: float


class Named(dict[str, Any]):
    """Parts of a result by their names; a name that is not there is told with what is."""

    def __init__(self, kind: str, parts: Mapping[str, Any]) -> None:
        super().__init__(parts)
        self._kind = kind

    def __missing__(self, name: object) -> Any:
        near = difflib.get_close_matches(str(name), self, n=1)
        names = [f'"{other}"' for other in self]
        listed = ", ".join(names[:NAMES_MOST]) + (f" and {len(names) - NAMES_MOST} more" if len(names) > NAMES_MOST else "")
        hint = f'did you mean "{near[0]}"?' if near else f"there are {listed}" if names else "it has none"
        raise NoSuchName(f'the result has no {self._kind} "{name}"; {hint}')


class NoSuchName(KeyError):
    """A KeyError that shows its sentence as it is."""

    def __str__(self) -> str:
        return str(self.args[0])


class _Handle:
    """The library's result, freed when no array needs it any more."""

    def __init__(self, pointer: c_void_p) -> None:
        self.pointer = pointer
        self.lock = threading.RLock()  # the library takes one thread at a time for each result
        weakref.finalize(self, _library.library.heatsolve_free, pointer).atexit = False


class _Memory:
    """Numbers that lie in a result, for NumPy, whose arrays keep it alive."""

    def __init__(self, handle: _Handle, address: int, shape: tuple[int, ...]) -> None:
        self.handle = handle
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "shape": shape,
            "typestr": np.dtype(np.float64).str,
        }


@dataclass(frozen=True)
class Field:
    """Numbers at places, [len(y), len(x)]."""

    values: Floats
    x: Floats
    y: Floats
    unit: str


def _field_of(handle: _Handle, field: _library.Field) -> Field:
    nx, ny = field.nx, field.ny
    values = np.asarray(_Memory(handle, field.values, (ny, nx)))
    x, y = np.asarray(_Memory(handle, field.x_m, (nx,))), np.asarray(_Memory(handle, field.y_m, (ny,)))
    return Field(values, x, y, field.unit.decode())


def _read_only(values: Any, dtype: Any = np.float64) -> NDArray[Any]:
    array: NDArray[Any] = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def _named(parts: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parts by their names; of those with the same name the second one is "NAME 2"."""
    seen: dict[str, int] = {}
    for part in parts:
        name = part["name"]
        seen[name] = seen.get(name, 0) + 1
        yield (name if seen[name] == 1 else f"{name} {seen[name]}"), part


class Result:
    """What a run gave.

    Fields are NumPy arrays of rows from south to north: ``temperature[j, i]`` lies at ``x[i]``, ``y[j]``. They are views of
    the library's memory, not to be written to, and stay valid when the result is gone. Temperatures are in `unit`.
    ``str(result)`` is the report for people.
    """

    def __init__(self, handle: _Handle) -> None:
        self._handle = handle
        self._field = self.field("temperature")

    # --- how the run ended ---

    @cached_property
    def status(self) -> str:
        """One of "converged" or "completed"; "iteration-limit", "stagnated", "diverged", "interrupted"."""
        return str(_library.library.heatsolve_status(self._handle.pointer).decode())

    @property
    def converged(self) -> bool:
        """Is the run done: a steady state that has converged, a run over time that has reached its end?"""
        return self.status in ("converged", "completed")

    @property
    def warnings(self) -> list[str]:
        """What a user should know before using the result, in sentences."""
        found: list[str] = []
        with self._handle.lock:
            while (text := _library.library.heatsolve_warning(self._handle.pointer, len(found))) is not None:
                found.append(spoken(text))
        return found

    # --- fields ---

    def field(self, name: str) -> Field:
        """A field by its name in heatsolve.h: temperature, material, heat_flux_x, heat_flux_y."""
        field = _library.Field()
        with self._handle.lock:
            call("get_field", self._handle.pointer, name.encode(), field)
        return _field_of(self._handle, field)

    @property
    def temperature(self) -> Floats:
        """Temperatures at the nodes, (ny, nx)."""
        return self._field.values

    @property
    def x(self) -> Floats:
        """Distances of the columns of nodes from the west end, m."""
        return self._field.x

    @property
    def y(self) -> Floats:
        """Distances of the rows of nodes from the south end, m."""
        return self._field.y

    @property
    def unit(self) -> str:
        """The unit of temperatures that the configuration names, such as "K" or "degC"."""
        return self._field.unit

    @cached_property
    def material(self) -> NDArray[Any]:
        """The number of each cell's material, a place in `material_names`; (ny - 1, nx - 1), in the cell layout (ny, nx)."""
        kind = np.uint8 if len(self.material_names) <= 256 else np.uint16
        return _read_only(self.field("material").values, kind)

    @property
    def heat_flux(self) -> tuple[Floats, Floats]:
        """Components along x and y of the heat flux in the middle of the cells, W/m2; of the shape of `material`."""
        return self.field("heat_flux_x").values, self.field("heat_flux_y").values

    @cached_property
    def material_names(self) -> tuple[str, ...]:
        """Names of the materials, "background" first."""
        names: list[str] = []
        while (name := _library.library.heatsolve_material_name(self._handle.pointer, len(names))) is not None:
            names.append(name.decode())
        return tuple(names)

    # --- over time ---

    @cached_property
    def snapshots(self) -> Floats:
        """The fields at the times `time`, (time, ny, nx); none where the run was told to keep none."""
        time, field = c_double(), _library.Field()
        fields: list[Floats] = []
        with self._handle.lock:
            for k in range(_library.library.heatsolve_snapshot_count(self._handle.pointer)):
                call("get_snapshot", self._handle.pointer, k, byref(time), field)
                fields.append(_field_of(self._handle, field).values)
        return _read_only(np.stack(fields) if fields else np.empty((0, *self.temperature.shape)))

    @cached_property
    def time(self) -> Floats:
        """Times of the snapshots, s, at which probes and heat flows have a course, too; of no length in a steady run."""
        return _read_only(self._series.get("time_s", []))

    # --- answers ---

    @cached_property
    def report(self) -> dict[str, Any]:
        """All that report.json has."""
        with self._handle.lock:
            text = _library.library.heatsolve_report_json(self._handle.pointer)
        if text is None:
            raise MemoryError("no memory is left for the report")
        return dict(json.loads(text))

    @property
    def text(self) -> str:
        """The report for people, as the command prints it."""
        with self._handle.lock:
            text = _library.library.heatsolve_report_text(self._handle.pointer)
        if text is None:
            raise MemoryError("no memory is left for the report")
        return str(text.decode(errors="replace"))

    @property
    def _series(self) -> dict[str, Any]:
        return (self.report.get("transient") or {}).get("series") or {}

    def _courses(self, kind: str, key: str) -> dict[str, Floats]:
        return {name: _read_only(part[key]) for name, part in _named(self._series.get(kind, []))}

    @cached_property
    def probes(self) -> dict[str, Probe]:
        """The probes by their names."""
        courses = self._courses("probes", "temperature_k")
        found = {}
        for name, part in _named(self.report["probes"]):
            x, y, temperature = part["x_m"], part["y_m"], part["temperature_k"]
            if "distance_m" in part:
                distance = _read_only(part["distance_m"])
                found[name] = Probe(_read_only(x), _read_only(y), _read_only(temperature), distance)
            else:
                found[name] = Probe(x, y, temperature, course=courses.get(name))
        return Named("probe", found)

    @cached_property
    def heat_flows(self) -> dict[str, HeatFlow]:
        """Heat through the parts of the walls by their names; of parts with one name the second is "NAME 2"."""
        courses = self._courses("surfaces", "heat_w_m")
        found = {}
        for name, part in _named(self.report["surfaces"]):
            place = part["side"], part["kind"], part["from_m"], part["to_m"]
            found[name] = HeatFlow(*place, part["heat_w_m"], part["heat_mean_w_m2"], courses.get(name))
        return Named("heat flow", found)

    @cached_property
    def materials(self) -> dict[str, Material]:
        """Areas and temperatures of the materials by their names."""
        keys = ("area_m2", "mean_k", "min_k", "max_k")
        parts = _named(self.report["materials"])
        return Named("material", {name: Material(*(part[key] for key in keys)) for name, part in parts})

    @property
    def quantities(self) -> dict[str, Optional[float]]:
        """Numbers by the names that `quantity` has in heatsolve.ini(5), such as "probe.A"; None where one is not known."""
        return Named("quantity", self.report["quantities"])

    # --- for others ---

    def write(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the files that [output] asks for into a folder, which is made where it is missing.

        snapshots.h5 and what is drawn from it come from a run with `output` alone.
        """
        before = len(self.warnings)
        with self._handle.lock:
            call("write", self._handle.pointer, path_encoded(folder))
            self.__dict__.pop("report", None)
        for sentence in self.warnings[before:]:
            warn(sentence)

    def to_xarray(self) -> "xarray.Dataset":
        """The fields as a dataset with coordinates, units and CF's attributes; temperature(time, y, x) with snapshots."""
        from ._datasets import dataset

        return dataset(self)

    def plot(self, ax: Optional["matplotlib.axes.Axes"] = None, **options: Any) -> "matplotlib.axes.Axes":
        """Draws the temperatures by Matplotlib, into axes or a new figure; see `heatsolve._pictures.draw` for options."""
        from ._pictures import draw

        return draw(self, ax, **options)

    def _repr_html_(self) -> str:
        from ._page import page

        return page(self)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        ny, nx = self.temperature.shape
        lowest, highest = self.temperature.min(), self.temperature.max()
        return f"<heatsolve.Result {self.status}, {nx} x {ny} nodes, {lowest:.6g} to {highest:.6g} {self.unit}>"

    def __reduce__(self) -> Any:
        raise TypeError(
            "a heatsolve.Result lies in the library's memory and cannot be copied to another process; "
            "send temperature.copy(), report or to_xarray(), or run in threads"
        )


def result_of(pointer: c_void_p) -> Result:
    """Takes the library's result over."""
    return Result(_Handle(pointer))
