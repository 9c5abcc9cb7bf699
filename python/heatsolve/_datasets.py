"""Results for xarray, with the names and attributes that field.h5 has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _library

if TYPE_CHECKING:
    import xarray

    from ._result import Result


def _xarray() -> Any:
    try:
        import xarray
    except ImportError:
        raise ImportError(
            "to_xarray() needs the package xarray; install it (`pip install xarray`, Debian: python3-xarray)"
        ) from None
    return xarray


def _axis(name: str, places: NDArray[np.float64], letter: str, long_name: str) -> Any:
    return name, places.copy(), {"units": "m", "long_name": long_name, "axis": letter}


def _word(name: str) -> str:
    """A name as one word, as flag_meanings needs it."""
    return re.sub(r"[^A-Za-z0-9_.+@-]", "_", name)


def _of_cells(result: "Result") -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates of what lies in the cells; a heat flux where there is one field alone."""
    cells = result.field("material")
    y, x = ("y", "x") if cells.values.shape == result.temperature.shape else ("y_cell", "x_cell")
    names = result.material_names
    attributes = {
        "units": "1",
        "long_name": "material",
        "flag_values": np.arange(len(names), dtype=result.material.dtype),
        "flag_meanings": " ".join(map(_word, names)),
        "names": list(names),
    }
    variables: dict[str, Any] = {"material": ((y, x), result.material, attributes)}
    if not len(result.snapshots):
        for axis, towards, flux in zip("xy", ("east", "north"), result.heat_flux):
            described = {"units": "W m-2", "long_name": f"heat flux to the {towards}"}
            variables[f"heat_flux_{axis}"] = ((y, x), flux.copy(), described)
    if y == "y":
        return variables, {}
    return variables, {
        x: _axis(x, cells.x, "X", "distance from the west end"),
        y: _axis(y, cells.y, "Y", "distance from the south end"),
    }


def dataset(result: "Result") -> "xarray.Dataset":
    """Result.to_xarray"""
    package = _xarray()
    coordinates = {
        "x": _axis("x", result.x, "X", "distance from the west end"),
        "y": _axis("y", result.y, "Y", "distance from the south end"),
    }
    described = {"units": result.unit, "long_name": "temperature"}
    temperature: Any
    if len(result.snapshots):
        coordinates["time"] = ("time", result.time, {"units": "s", "long_name": "time", "axis": "T"})
        temperature = (("time", "y", "x"), result.snapshots, described)
    else:
        temperature = (("y", "x"), result.temperature.copy(), described)
    variables, of_cells = _of_cells(result)
    library = _library.library.heatsolve_version().decode()
    attributes = {
        "Conventions": "CF-1.11",
        "title": result.report["title"],
        "source": f"heatsolve {library}, numerical solution of the heat equation",
        "status": result.status,
    }
    made: xarray.Dataset = package.Dataset(
        {"temperature": temperature, **variables}, coords={**coordinates, **of_cells}, attrs=attributes
    )
    return made
