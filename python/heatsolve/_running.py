"""A run in progress.

The library works in a thread of its own, while the caller's thread waits: so an exception there (Ctrl-C, a progress function
that fails) can end the run and keep its field, other Python threads go on, and a process may fork afterwards.
"""

from __future__ import annotations

import sys
import threading
from ctypes import c_void_p
from queue import Empty, SimpleQueue
from typing import Callable, NamedTuple, Optional, Union

from . import _library
from ._errors import Error, InternalError, Warning, error_of, spoken, warn
from ._result import Result, result_of


class Progress(NamedTuple):
    """A look at a run in progress."""

    sweeps: int  #: made so far; with multigrid, cycles
    value: float  #: of what the stop test looks at; NaN before it was first evaluated
    tolerance: float  #: below which the run ends
    time_s: float  #: reached, in a run over time
    end_s: float  #: last time of a run over time; 0 otherwise
    elapsed_s: float  #: since the run began
    text: str  #: all of that in a line, with the time that is left


ProgressCallback = Callable[[Progress], object]


class _Line:
    """Progress as a line of the standard error stream, written over again and again."""

    width = 0

    def __call__(self, now: Progress) -> None:
        print("\r" + now.text.ljust(self.width), end="", file=sys.stderr, flush=True)
        self.width = len(now.text)

    def clear(self) -> None:
        if self.width:
            print("\r" + " " * self.width + "\r", end="", file=sys.stderr, flush=True)


class Run:
    """One run of a problem, which `prepare` opens."""

    def __init__(self, prepare: Callable[[], c_void_p], flags: int) -> None:
        self._prepare, self._flags = prepare, flags
        self._lock = threading.Lock()
        self._problem: Optional[c_void_p] = None  # while the library may use it
        self._cancelled = False
        self._events: SimpleQueue[Union[Progress, str, None]] = SimpleQueue()  # None: the run is over
        self._result: Optional[Result] = None
        self._failure: Optional[BaseException] = None
        self._said: set[str] = set()

    def cancel(self) -> None:
        """Ends the run at its next look at the clock; any thread may."""
        with self._lock:
            self._cancelled = True
            if self._problem:
                _library.library.heatsolve_cancel(self._problem)

    def finish(self, progress: Optional[ProgressCallback]) -> Result:
        """Makes the run. What is raised meanwhile in this thread ends it, and then has its result."""
        thread = threading.Thread(target=self._work, args=(progress is not None,), name="heatsolve")
        ended_by = None
        while True:
            try:
                if thread.ident is None:
                    thread.start()
                self._watch(progress)
                break
            except BaseException as reason:
                if ended_by is not None:
                    raise  # asked twice: do not wait
                ended_by = reason
                self.cancel()
        thread.join()
        if ended_by is not None:
            raise self._explained(ended_by)
        return self._answer()

    def _watch(self, progress: Optional[ProgressCallback]) -> None:
        """Hands on what the run tells, until it is over."""
        while True:
            try:
                event = self._events.get(timeout=0.5)  # tools that interrupt without a signal are heard then
            except Empty:
                continue
            if event is None:
                return
            if isinstance(event, str):
                self._said.add(event)
                warn(event)
            elif self._events.empty() and not self._cancelled and progress and progress(event):
                self.cancel()

    def _explained(self, reason: BaseException) -> BaseException:
        reason.result = self._result  # type: ignore[attr-defined]
        if self._result is not None and hasattr(reason, "add_note"):
            reason.add_note(f"This exception's .result has the field of the run ({self._result.status}).")
        return reason

    def _answer(self) -> Result:
        if self._failure is not None:
            if isinstance(self._failure, Error):
                self._failure.result = self._result
            raise self._failure
        if self._result is None:
            raise InternalError("the library returned no result")
        try:
            for sentence in self._result.warnings:
                if sentence not in self._said:
                    warn(sentence)
        except Warning as warning:  # where warnings are errors
            raise self._explained(warning)
        return self._result

    # --- in the library's thread ---

    def _work(self, with_progress: bool) -> None:
        problem = None
        try:
            problem = self._prepare()
            with self._lock:
                self._problem = problem
                if self._cancelled:
                    _library.library.heatsolve_cancel(problem)
            self._run(problem, with_progress)
        except BaseException as reason:
            self._failure = reason
        finally:
            with self._lock:
                self._problem = None
            _library.library.heatsolve_close(problem)
            self._events.put(None)

    def _run(self, problem: c_void_p, with_progress: bool) -> None:
        pointer, failure = c_void_p(), _library.Error()
        options = _library.RunOptions(flags=self._flags, warning=_library.WarningFunction(self._hear_warning))
        if with_progress:
            options.progress = _library.ProgressFunction(self._hear_progress)
        code = _library.library.heatsolve_run(problem, options, pointer, failure)
        if pointer:
            self._result = result_of(pointer)
        if code:
            self._failure = error_of(failure)

    def _hear_warning(self, _context: object, sentence: bytes) -> None:
        self._events.put(spoken(sentence))

    def _hear_progress(self, _context: object, now: object) -> int:
        told = now.contents  # type: ignore[attr-defined]
        numbers = (told.sweeps, told.value, told.tolerance, told.time_s, told.end_s, told.elapsed_s)
        self._events.put(Progress(*numbers, told.text.decode(errors="replace")))
        return 0


def finish(run: Run, progress: Union[ProgressCallback, bool, None]) -> Result:
    """Makes a run, with progress as Problem.run takes it."""
    if not progress:
        return run.finish(None)
    if progress is not True:
        return run.finish(progress)
    line = _Line()
    try:
        return run.finish(line)
    finally:
        line.clear()
