"""Failures as exceptions, one class for each code of heatsolve.h."""

from __future__ import annotations

import builtins
import sys
import warnings
from typing import TYPE_CHECKING, Any

from . import _library

if TYPE_CHECKING:
    from ._result import Result


class Error(Exception):
    """A failure, told by a sentence: where, what is wrong, and what to do.

    `result` is what a run gave before it failed, where it gave anything (a file that could not be written), else None.
    """

    result: "Result | None" = None


class UsageError(Error, ValueError):
    """A function was called with what it does not take."""


class ConfigError(Error, ValueError):
    """The configuration is wrong, or asks for something impossible."""


class InputOutputError(Error, OSError):
    """A file or folder cannot be read or written."""


class DeviceError(Error, RuntimeError):
    """A GPU is missing, busy, lost or out of memory."""


class MemoryError(Error, builtins.MemoryError):
    """The machine's memory is exhausted."""


class UnsupportedError(Error, RuntimeError):
    """This build or this machine cannot do it."""


class InternalError(Error, RuntimeError):
    """A bug in heatsolve."""


class Warning(UserWarning):
    """What a user should know although the run went on, such as that it has not converged."""


_CLASSES = {
    1: UsageError,
    2: ConfigError,
    3: InputOutputError,
    4: DeviceError,
    5: MemoryError,
    6: UnsupportedError,
    7: InternalError,
}


#: What users of the command and of C are told to give, and what it is here.
_SPOKEN = {
    "run.restart = yes or --restart": '{"run.restart": "yes"}',
    "output.directory or --output": "output.directory or output=",
    "--force (HEATSOLVE_FORCE)": "force=True",
}


def spoken(text: bytes) -> str:
    """A sentence of the library for Python's users."""
    sentence = text.decode(errors="replace")
    for command, here in _SPOKEN.items():
        sentence = sentence.replace(command, here)
    return sentence


def error_of(failure: _library.Error) -> Error:
    """The exception for a failure of the library."""
    return _CLASSES.get(failure.code, InternalError)(spoken(failure.text))


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the library that takes a heatsolve_error last; raises what it tells."""
    failure = _library.Error()
    if getattr(_library.library, "heatsolve_" + function)(*arguments, failure):
        raise error_of(failure)


def warn(sentence: str) -> None:
    """A Python warning at the line that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "heatsolve":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, Warning, stacklevel=level)
