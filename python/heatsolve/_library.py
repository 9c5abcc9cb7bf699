"""The library libheatsolve.so.1: where it is, and its functions as heatsolve.h declares them."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_void_p
from pathlib import Path
from typing import Any

NAME = "libheatsolve.so.1"

FILES, FORCE, SNAPSHOTS = 1, 2, 4  # HEATSOLVE_FILES, ...


class Error(ctypes.Structure):
    """heatsolve_error"""

    _fields_ = [("code", c_int), ("text", c_char * 2048)]


class Sized(ctypes.Structure):
    """A struct whose first member says how much of it the caller knows."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)


class Forecast(Sized):
    """heatsolve_forecast"""

    _fields_ = [
        ("size", c_size_t),
        ("method", c_char * 32),
        ("backend", c_char * 32),
        ("sweeps", c_double),
        ("time_s", c_double),
        ("host_bytes", c_double),
        ("device_bytes", c_double),
    ]


class Progress(Sized):
    """heatsolve_progress"""

    _fields_ = [
        ("size", c_size_t),
        ("sweeps", c_int64),
        ("value", c_double),
        ("tolerance", c_double),
        ("time_s", c_double),
        ("end_s", c_double),
        ("elapsed_s", c_double),
        ("text", c_char_p),
    ]


ProgressFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
WarningFunction = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class RunOptions(Sized):
    """heatsolve_run_options"""

    _fields_ = [
        ("size", c_size_t),
        ("flags", c_uint),
        ("progress", ProgressFunction),
        ("warning", WarningFunction),
        ("context", c_void_p),
    ]


class Field(Sized):
    """heatsolve_field"""

    _fields_ = [
        ("size", c_size_t),
        ("nx", c_int),
        ("ny", c_int),
        ("values", c_void_p),
        ("x_m", c_void_p),
        ("y_m", c_void_p),
        ("unit", c_char_p),
    ]


# Functions that return a code and take a heatsolve_error at the end.
_CALLS: dict[str, list[Any]] = {
    "open": [c_char_p, POINTER(c_void_p)],
    "open_text": [c_char_p, POINTER(c_void_p)],
    "set": [c_void_p, c_char_p, c_char_p],
    "set_array": [c_void_p, c_char_p, c_void_p, c_int, c_int],
    "material_index": [c_void_p, c_char_p, POINTER(c_int)],
    "check": [c_void_p, POINTER(Forecast)],
    "run": [c_void_p, POINTER(RunOptions), POINTER(c_void_p)],
    "get_field": [c_void_p, c_char_p, POINTER(Field)],
    "get_snapshot": [c_void_p, c_int, POINTER(c_double), POINTER(Field)],
    "write": [c_void_p, c_char_p],
}

# The others: what they return and take.
_OTHERS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_char_p, []),
    "close": (None, [c_void_p]),
    "cancel": (None, [c_void_p]),
    "free": (None, [c_void_p]),
    "status": (c_char_p, [c_void_p]),
    "snapshot_count": (c_int, [c_void_p]),
    "material_name": (c_char_p, [c_void_p, c_int]),
    "report_json": (c_char_p, [c_void_p]),
    "report_text": (c_char_p, [c_void_p]),
    "warning": (c_char_p, [c_void_p, c_int]),
}


def _candidates() -> list[str]:
    named = os.environ.get("HEATSOLVE_LIBRARY")
    if named:
        return [named]
    return [str(Path(__file__).parent / NAME), NAME]


def _place(candidate: str) -> str:
    if os.environ.get("HEATSOLVE_LIBRARY"):
        return f"{candidate} (HEATSOLVE_LIBRARY)"
    return candidate if os.sep in candidate else "the loader's folders (ldconfig, LD_LIBRARY_PATH)"


def _open() -> tuple[ctypes.CDLL, str]:
    tried = []
    for candidate in _candidates():
        try:
            return ctypes.CDLL(candidate), candidate
        except OSError as reason:
            tried.append(f"  {_place(candidate)}: {reason}")
    raise ImportError(
        f"{NAME}, which solves for the Python package heatsolve, cannot be loaded. Tried:\n"
        + "\n".join(tried)
        + "\nInstall heatsolve (`make install`, then `ldconfig` as root), or let HEATSOLVE_LIBRARY name the file, "
        f"such as build/{NAME} where heatsolve was built."
    )


class _Found(ctypes.Structure):
    """Dl_info of dlfcn.h"""

    _fields_ = [("path", c_char_p), ("base", c_void_p), ("symbol", c_char_p), ("address", c_void_p)]


def _path_of(loaded: ctypes.CDLL, candidate: str) -> str:
    """The file of a library that may have been found by its name alone."""
    found = _Found()
    try:
        known = ctypes.CDLL(None).dladdr(ctypes.cast(loaded.heatsolve_version, c_void_p), ctypes.byref(found))
    except (AttributeError, OSError):
        known = 0
    return os.path.abspath(os.fsdecode(found.path)) if known and found.path else candidate


def _declare(loaded: ctypes.CDLL, path: str) -> None:
    try:
        for name, taken in _CALLS.items():
            function = getattr(loaded, "heatsolve_" + name)
            function.restype, function.argtypes = c_int, taken + [POINTER(Error)]
        for name, (returned, taken) in _OTHERS.items():
            function = getattr(loaded, "heatsolve_" + name)
            function.restype, function.argtypes = returned, taken
    except AttributeError as lacking:
        raise ImportError(
            f"{path} is not the library that this Python package was made for ({lacking}). "
            "Install heatsolve and its Python package from one source."
        ) from None


library, path = _open()
_declare(library, path)
path = _path_of(library, path)
