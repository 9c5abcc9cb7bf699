"""What may happen during a run: progress, Ctrl-C, threads, forks; and files."""

import _thread
import io
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import heatsolve
import numpy as np
import pytest
from conftest import COURSE, ENDLESS, PLATE

PACKAGE = os.path.dirname(heatsolve.__path__[0])


@pytest.fixture
def hurried():
    """Fails where a run does not end soon after it was told to."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < 20


@pytest.fixture
def unwarned():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", heatsolve.Warning)
        yield


def test_progress_is_told_in_the_callers_thread(unwarned, hurried):
    seen = []

    def watch(now):
        seen.append((now, threading.get_ident()))
        return len(seen) == 3

    result = heatsolve.run(ENDLESS, progress=watch)
    assert result.status == "interrupted" and not result.converged
    assert len(seen) == 3 and {thread for _, thread in seen} == {threading.get_ident()}
    first, last = seen[0][0], seen[2][0]
    assert isinstance(last, heatsolve.Progress) and last.sweeps > first.sweeps and last.elapsed_s > first.elapsed_s
    assert last.tolerance == 1e-12 and "sweep" in last.text


def test_progress_over_time(unwarned, hurried):
    seen = []
    long = {"time.end": 1e9, "time.steps": 10**9, "time.snapshots": [0.5, 1e9]}
    result = heatsolve.run(COURSE, long, progress=lambda now: seen.append(now) or len(seen) == 2)
    assert result.status == "interrupted" and 0 < seen[1].time_s < seen[1].end_s == 1e9
    assert len(result.time) == len(result.snapshots) == len(result.probes["middle"].course) >= 2


def test_progress_as_a_line(unwarned, hurried, monkeypatch):
    class Terminal(io.StringIO):
        def write(self, text):
            problem.cancel()
            return super().write(text)

    problem, terminal = heatsolve.Problem(ENDLESS), Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert problem.run(progress=True).status == "interrupted"
    assert re.fullmatch(r"\r[^\r]*sweep[^\r]*\r +\r", terminal.getvalue())


def test_an_exception_in_progress_ends_the_run_and_keeps_the_field(hurried):
    def fail(now):
        raise LookupError(now.text)

    with pytest.raises(LookupError) as caught:
        heatsolve.run(ENDLESS, progress=fail)
    assert caught.value.result.status == "interrupted"
    assert np.isfinite(caught.value.result.temperature).all()


@pytest.mark.parametrize("watched", [None, lambda now: None])
def test_ctrl_c_ends_the_run_and_keeps_the_field(hurried, watched):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt) as caught:
        heatsolve.run(ENDLESS, progress=watched)
    result = caught.value.result
    assert result.status == "interrupted"
    assert np.isfinite(result.temperature).all() and result.temperature[:, -1].min() == 1


def test_signal_handlers_may_end_a_run_with_exceptions_of_their_own(hurried):
    def too_late(number, frame):
        raise TimeoutError("too late")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(TimeoutError, match="too late") as caught:
            heatsolve.run(ENDLESS)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert caught.value.result.status == "interrupted"


def test_ctrl_c_twice_does_not_wait(hurried, monkeypatch):
    from heatsolve._running import Run

    deaf, cancel = [], Run.cancel
    monkeypatch.setattr(Run, "cancel", lambda run: deaf.append(run))
    twice = (threading.Timer(delay, _thread.interrupt_main) for delay in (0, 1))

    def watch(now):
        for timer in twice:
            timer.start()

    with pytest.raises(KeyboardInterrupt):
        heatsolve.run(ENDLESS, progress=watch)
    assert len(deaf) == 1  # the first one; the second one left the run alone
    cancel(deaf[0])


def test_ctrl_c_at_a_script_ends_it_as_scripts_end(hurried, tmp_path):
    script = tmp_path / "script.py"
    watch = "lambda now: print('runs', flush=True)"
    script.write_text(f"import heatsolve\nheatsolve.run({ENDLESS!r}, progress={watch})\nprint('goes on')\n")
    run = subprocess.Popen(
        [sys.executable, script], env={**os.environ, "PYTHONPATH": PACKAGE}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert run.stdout.readline() == "runs\n"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=20)
    assert run.returncode == -signal.SIGINT and "goes on" not in out and "KeyboardInterrupt" in err
    if sys.version_info >= (3, 11):
        assert ".result has the field of the run (interrupted)" in err


def test_cancel_from_another_thread_concerns_one_run_alone(unwarned, hurried):
    problem = heatsolve.Problem(ENDLESS)
    problem.cancel()  # none is under way
    other = threading.Thread(target=problem.cancel)
    assert problem.run(progress=lambda now: None if other.ident else other.start()).status == "interrupted"
    problem.update({"solver": {"method": "multigrid", "tolerance": 1e-3}})
    assert problem.run().converged


def test_other_threads_go_on_during_a_run(unwarned, hurried):
    problem, runs, found = heatsolve.Problem(ENDLESS), threading.Event(), []
    runner = threading.Thread(target=lambda: found.append(problem.run(progress=lambda now: runs.set())))
    runner.start()
    assert runs.wait(10)
    counted = sum(range(100_000))  # in Python, which takes the interpreter's lock
    assert runner.is_alive() and counted == 4_999_950_000
    problem.cancel()
    runner.join(20)
    assert found[0].status == "interrupted"


def test_several_threads_run_at_once_and_get_their_own_bits():
    east = range(1, 9)
    alone = [heatsolve.run(PLATE, {"boundary.east": k, "grid.nx": 41}).temperature.tobytes() for k in east]
    problem = heatsolve.Problem(PLATE, {"grid.nx": 41})
    found, same = [None] * len(east), [None] * len(east)

    def work(k):
        found[k] = heatsolve.run(PLATE, {"boundary.east": k + 1, "grid.nx": 41}).temperature.tobytes()
        same[k] = problem.run().temperature.tobytes()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(east))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone and set(same) == {alone[0]}


def test_two_endless_runs_are_under_way_at_once(unwarned, hurried):
    problems, reached = [heatsolve.Problem(ENDLESS) for _ in range(2)], threading.Barrier(2, timeout=10)

    def meet(now):
        reached.wait()
        return True

    threads = [threading.Thread(target=problem.run, kwargs={"progress": meet}) for problem in problems]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not reached.broken


def _solve(east):
    return float(heatsolve.run(PLATE, {"boundary.east": east}).temperature.max())


def test_processes_that_fork_after_a_run_can_run():
    heatsolve.run(PLATE, {"grid": {"nx": 301, "ny": 301}})
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_solve, [1, 2, 3]).get(30) == [1, 2, 3]


def test_warnings_that_are_errors_have_the_result():
    with pytest.raises(heatsolve.Warning, match="raise solver.max_iterations") as caught:
        heatsolve.run(PLATE, {"solver.method": "jacobi", "solver.max_iterations": 1})
    assert caught.value.result.status == "iteration-limit"


# --- files ---


def test_output_writes_what_the_command_writes(tmp_path):
    heatsolve.run(PLATE)
    assert list(tmp_path.iterdir()) == []
    few = {"output": {"picture": False, "convergence": False, "directory": str(tmp_path / "own")}}
    heatsolve.run(PLATE, few, output=tmp_path / "there")
    heatsolve.run(PLATE, few, output=True)
    assert {"field.h5", "report.json"} <= {file.name for file in (tmp_path / "there").iterdir()}
    assert (tmp_path / "own" / "field.h5").exists() and not (tmp_path / "own" / "temperature.png").exists()


def test_a_result_can_be_written_later(tmp_path):
    result = heatsolve.run(PLATE, {"output.picture": False, "output.convergence": False})
    assert result.report["files"] == []
    result.write(tmp_path / "later")
    assert (tmp_path / "later" / "field.h5").exists() and "field.h5" in result.report["files"]
    (tmp_path / "file").write_text("")
    with pytest.raises(heatsolve.InputOutputError, match="file"):
        result.write(tmp_path / "file")
    with pytest.raises(heatsolve.UsageError, match="no name"):
        result.write("")
    assert result.temperature[0, -1] == 1


def test_a_result_over_time_can_be_written_later(tmp_path):
    heatsolve.run(COURSE, output=tmp_path)  # has snapshots, which are not the other's
    result = heatsolve.run(COURSE, {"boundary.east": 7, "output.animation": "apng"})
    result.write(tmp_path)
    assert "snapshots.h5" not in result.report["files"] and "report.html" in result.report["files"]


def test_a_page_tells_what_is_in_no_file(tmp_path):
    heatsolve.Problem(PLATE, source=np.ones((4, 10))).run(output=tmp_path)
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', (tmp_path / "report.html").read_text(), re.S)[1])
    assert data["command"].startswith("heatsolve saved.ini --set output.directory=") and "array" not in data["command"]
    assert "as saved.ini" in data["command_needs"] and "in place of map.source are in no file" in data["command_needs"]


def test_an_output_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file") as caught:
        heatsolve.run(PLATE, output=tmp_path / "file")
    assert caught.value.result is None


def test_force_removes_an_earlier_runs_files(tmp_path):
    heatsolve.run(COURSE, output=tmp_path)
    assert (tmp_path / "snapshots.h5").exists()
    with pytest.warns(heatsolve.Warning, match="snapshots.h5.*; force=True removes them"):
        heatsolve.run(PLATE, output=tmp_path)
    heatsolve.run(PLATE, output=tmp_path, force=True)
    assert not (tmp_path / "snapshots.h5").exists()


def test_advice_is_pythons(tmp_path, unwarned):
    folder, slow = tmp_path / "long", {"solver": {"method": "jacobi", "tolerance": 1e-12}, "grid": {"nx": 301, "ny": 301}}
    begun = heatsolve.run(PLATE, slow, output=folder, progress=lambda now: now.sweeps > 0)
    advice = 'run the same problem with {"run.restart": "yes"}'
    assert begun.warnings[0] == f"the run can go on from {folder}/checkpoint.h5: {advice}"
    slow = {**slow, "run.restart": "yes"}
    further = heatsolve.run(PLATE, slow, output=folder, progress=lambda now: True)
    assert further.quantities["sweeps"] >= begun.quantities["sweeps"] > 0
    slow["run.restart"] = "no"
    again = heatsolve.run(PLATE, slow, output=folder, progress=lambda now: True)
    assert any(text.endswith('Go on from it with {"run.restart": "yes"}') for text in again.warnings)
    assert not any("--" in text for text in begun.warnings + again.warnings)
    with pytest.raises(heatsolve.InputOutputError, match="choose another output folder with output.directory or output=$"):
        heatsolve.run(PLATE, output="/dev/null/folder")
