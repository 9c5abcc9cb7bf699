"""Runs: from files, from mappings, from text; values; errors."""

import copy
import ctypes.util
import gc
import os
import pickle
import subprocess
import sys
import warnings
from fractions import Fraction

import heatsolve
import numpy as np
import pytest
from conftest import COURSE, PLATE


def test_a_file_with_another_grid(configs):
    result = heatsolve.run(configs / "wall.ini", {"grid.nx": 101, "grid.ny": 251})
    assert result.converged and result.status == "converged"
    assert result.temperature.shape == (251, 101) and result.unit == "degC"
    assert result.x[-1] == pytest.approx(0.4) and result.y[-1] == pytest.approx(1.0)
    assert result.temperature[0, 0] > 10 > -5 > result.temperature[0, -1]  # row 0 south, column 0 west
    assert result.warnings == []
    assert str(result).startswith("heatsolve ") and "converged after" in result.text
    assert repr(result).startswith("<heatsolve.Result converged, 101 x 251 nodes, -9.8")


def test_a_mapping_gives_the_plane_field():
    result = heatsolve.run(PLATE)
    np.testing.assert_allclose(result.temperature, np.broadcast_to(result.x, (5, 11)), atol=1e-4)
    assert result.quantities["side.west"] == pytest.approx(-1)


def test_text():
    text = "\n".join(
        f"[{name}]\n" + "\n".join(f"{key} = {value}" for key, value in keys.items()) for name, keys in PLATE.items()
    )
    result = heatsolve.run(text=text)
    assert result.temperature.tobytes() == heatsolve.run(PLATE).temperature.tobytes()
    with pytest.raises(heatsolve.UsageError, match="not both"):
        heatsolve.Problem(PLATE, text=text)


def test_both_forms_of_settings_and_their_order():
    problem = heatsolve.Problem(PLATE, {"grid.nx": 21, "boundary": {"east": 2}})
    assert problem.run().temperature[0, -1] == 2
    problem.set("grid.dx", 0.5)  # in place of lx
    assert problem.run().x[-1] == pytest.approx(10)
    with pytest.raises(heatsolve.ConfigError, match="both lx"):
        heatsolve.Problem(PLATE, {"grid.dx": 0.5, "grid.lx": 2.0}).check()
    problem.update({"grid.lx": 2.0, "grid.dx": None})
    assert problem.run().x.shape == (21,) and problem.run().x[-1] == pytest.approx(2)


def test_later_shapes_lie_over_earlier_ones_also_when_set_again():
    whole = {"shape": "everywhere", "material": "a"}
    half = {"shape": "rectangle", "x0": 0, "x1": 0.5, "y0": 0, "y1": 1, "material": "b"}
    problem = heatsolve.Problem(
        PLATE,
        {"material a": {"conductivity": 1}, "material b": {"conductivity": 1}, "shape a": whole, "shape b": half},
    )
    problem.update({"shape a": whole})
    assert problem.run().material[0].tolist() == [2] * 5 + [1] * 5


@pytest.mark.parametrize(
    "value, text",
    [
        (True, "yes"),
        (np.False_, "no"),
        (3, "3"),
        (np.int16(-3), "-3"),
        (0.1, "0.1"),
        (np.float64(1e-300), "1e-300"),
        (np.float32(0.5), "0.5"),
        (np.array(2.5), "2.5"),
        (Fraction(1, 4), "0.25"),
        ("0.1", "0.1"),
        ([1, 2.5], "1, 2.5"),
        (np.arange(3), "0, 1, 2"),
        ([(0, 0.5), (1, 2)], "0 0.5, 1 2"),
        (np.eye(2), "1.0 0.0, 0.0 1.0"),
    ],
)
def test_values(value, text):
    from heatsolve._values import text_of

    assert text_of("grid.nx", value) == text


def test_texts_that_a_file_cannot_carry():
    title = {"title": " one ; two # three"}
    assert heatsolve.run({**PLATE, "output": title}).report["title"] == "one ; two # three"


def test_a_polygon_by_points():
    corners = [(0, 0), (1, 0), (1, 1)]
    result = heatsolve.run(
        PLATE,
        {"material m.conductivity": 1, "shape m": {"shape": "polygon", "points": corners, "material": "m"}},
    )
    assert result.materials["m"].area == pytest.approx(0.5, abs=0.1)


@pytest.mark.parametrize(
    "settings, kind, sentence",
    [
        ({"grid.nx": "abc"}, heatsolve.ConfigError, r'^grid.nx=abc: \[grid\] nx: "abc" is not an integer. Allowed'),
        ({"grid.nxx": 5}, heatsolve.ConfigError, 'did you mean "nx"'),
        ({"grid": {"nx": float("nan")}}, heatsolve.ConfigError, "is not an integer"),
        ({"grid.nx": object()}, heatsolve.ConfigError, "type object; give text, a number"),
        ({"grid": 5}, heatsolve.ConfigError, '"grid" is no key; write "section.key"'),
        ({"output.title": "a\nb"}, heatsolve.ConfigError, "one line"),
        ({"output.title": "a\0b"}, heatsolve.ConfigError, "NUL"),
        ({"material a=b.conductivity": 1}, heatsolve.ConfigError, 'a=b.conductivity" is no key; write SECTION.KEY'),
        ({"map.source": "nowhere.h5:/s"}, heatsolve.InputOutputError, "nowhere.h5"),
    ],
)
def test_what_is_refused(settings, kind, sentence):
    with pytest.raises(kind, match=sentence) as caught:
        heatsolve.run(PLATE, settings)
    assert isinstance(caught.value, heatsolve.Error)
    assert isinstance(caught.value, OSError if kind is heatsolve.InputOutputError else ValueError)


def test_a_name_is_not_cut_at_a_nul(tmp_path):
    (tmp_path / "plate.ini").write_text("[grid]\nnx = 5\n")
    with pytest.raises(heatsolve.UsageError, match="NUL"):
        heatsolve.check(f"{tmp_path}/plate.ini\0.old")
    with pytest.raises(heatsolve.UsageError, match="NUL"):
        heatsolve.run(PLATE).write(f"{tmp_path}/a\0b")
    assert not (tmp_path / "a").exists()


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(heatsolve.UsageError, match="sys.stdin.read"):
        heatsolve.Problem("-")
    with pytest.raises(OSError, match="absent.ini") as caught:
        heatsolve.Problem(tmp_path / "absent.ini")
    assert isinstance(caught.value, heatsolve.InputOutputError) and caught.value.result is None


def test_check_forecasts(configs):
    forecast = heatsolve.check(configs / "wall.ini", {"solver.backend": "cpu"})
    assert forecast.method == "multigrid" and forecast.backend == "cpu"
    assert forecast.sweeps > 0 and forecast.time_s > 0 and forecast.host_bytes > 0 and forecast.device_bytes == 0
    with pytest.raises(heatsolve.ConfigError):
        heatsolve.check({})


def test_threads():
    assert heatsolve.run(PLATE, threads=1).report["threads"] == 1
    with pytest.raises(heatsolve.ConfigError, match="solver.threads"):
        heatsolve.run(PLATE, threads=-1)


def test_warnings_of_the_library_are_pythons():
    few = {"solver.method": "jacobi", "solver.max_iterations": 1, "material spare.conductivity": 1}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = heatsolve.run(PLATE, few)
    assert result.status == "iteration-limit" and not result.converged
    assert [str(one.message) for one in caught] == result.warnings  # each once, also those told before the end
    assert "spare" in result.warnings[0] and "raise solver.max_iterations" in result.warnings[1]
    assert all(one.category is heatsolve.Warning and one.filename == __file__ for one in caught)


def test_fields_are_read_only_and_outlive_their_result():
    result = heatsolve.run(PLATE)
    temperature, x = result.temperature, result.x
    kept = temperature.copy()
    with pytest.raises(ValueError, match="read-only"):
        temperature[0, 0] = 1
    del result
    gc.collect()
    others = [heatsolve.run(PLATE, {"boundary.east": 1000 + k}) for k in range(5)]
    assert np.array_equal(temperature, kept) and x[-1] == 1 and len(others) == 5


def test_what_the_library_makes_is_freed_once(monkeypatch):
    from heatsolve._library import library

    freed, closed, free, close = [], [], library.heatsolve_free, library.heatsolve_close
    monkeypatch.setattr(library, "heatsolve_free", lambda pointer: freed.append(pointer.value) or free(pointer))
    monkeypatch.setattr(library, "heatsolve_close", lambda handle: closed.append(handle.value) or close(handle))
    problem = heatsolve.Problem(PLATE)
    result = problem.run()
    problem.check()
    with pytest.raises(heatsolve.ConfigError):
        problem.set("grid.nx", 0)
        problem.run()
    assert len(closed) == 3 and all(closed) and not freed
    row = result.temperature[0]
    del result
    gc.collect()
    assert not freed and row[-1] == 1
    del row
    gc.collect()
    assert len(freed) == 1 and freed[0]


def test_problems_are_copied():
    problem = heatsolve.Problem(PLATE, source=np.ones((4, 10)))
    for other in (copy.copy(problem), copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        other.set("boundary.east", 7)
        other.set_array("source", None)
        assert other.run().temperature.max() == 7
    assert problem.run().temperature[0, -1] == 1 and problem.run().quantities["source"] == pytest.approx(1)


def test_results_are_not_copied_to_other_processes():
    with pytest.raises(TypeError, match="run in threads"):
        pickle.dumps(heatsolve.run(PLATE))


def test_over_time():
    result = heatsolve.run(COURSE)
    assert result.status == "completed" and result.converged
    assert result.time.tolist() == [0, 1, 2, 10]
    assert result.snapshots.shape == (4, 5, 11)
    assert np.array_equal(result.snapshots[-1], result.temperature)
    middle = result.probes["middle"]
    assert np.array_equal(middle.course, result.snapshots[:, 2, 5]) and middle.temperature == middle.course[-1]
    assert result.heat_flows["west"].course[-1] == pytest.approx(-1, abs=1e-3)
    without = heatsolve.run(COURSE, snapshots=False)
    assert without.snapshots.shape == (0, 5, 11) and without.time.tolist() == [0, 1, 2, 10]
    steady = heatsolve.run(PLATE)
    assert steady.time.shape == (0,) and steady.snapshots.shape == (0, 5, 11)


def test_answers(configs):
    result = heatsolve.run(configs / "wall.ini")
    assert result.probes["edge of the ceiling"].temperature == pytest.approx(12.15, abs=0.01)
    line = result.probes["outer face"]
    assert line.temperature.shape == line.x.shape == line.distance.shape == (101,) and line.distance[-1] == 1
    assert repr(line) == "Probe(a line of 101 points, temperature -9.82409 to -5.32315)"
    flow = result.heat_flows["outdoors"]
    assert (flow.side, flow.kind, flow.start, flow.end) == ("east", "convection", 0, 1) and flow.course is None
    assert flow.heat == pytest.approx(-27.66, abs=0.01) == flow.mean
    assert sum(flow.heat for flow in result.heat_flows.values()) + 10 == pytest.approx(0, abs=1e-3)
    assert result.material_names == ("background", "insulation", "concrete")
    assert result.material.shape == (500, 200)
    concrete = result.materials["concrete"]
    assert concrete.area == pytest.approx(0.08) and concrete.lowest < concrete.mean < concrete.highest
    assert result.report["status"] == "converged"


def test_parts_of_one_name():
    from heatsolve._result import _named

    parts = [{"name": "west"}, {"name": "x"}, {"name": "west"}]
    assert [name for name, _ in _named(parts)] == ["west", "x", "west 2"]


def test_names_that_are_not_there():
    result = heatsolve.run(PLATE, {"probe free end": {"x": 1, "y": 0.5}})
    for parts, name, told in (
        (result.probes, "freeend", 'no probe "freeend"; did you mean "free end"?'),
        (result.probes, "tip", 'no probe "tip"; there are "free end"'),
        (result.heat_flows, "eats", 'no heat flow "eats"; did you mean "east"?'),
        (result.materials, "glass", 'no material "glass"; there are "background"'),
        (result.quantities, "probe.free", 'no quantity "probe.free"; did you mean "probe.free end"?'),
        (heatsolve.run(PLATE).probes, "tip", 'no probe "tip"; it has none'),
    ):
        with pytest.raises(KeyError) as raised:
            parts[name]
        assert str(raised.value) == f"the result has {told}"
        assert name not in parts and parts.get(name) is None
    with pytest.raises(KeyError, match=r'"update_l2" and \d+ more$'):
        result.quantities["?"]


def test_a_field_that_is_not_there():
    with pytest.raises(heatsolve.UsageError, match='no field "pressure"'):
        heatsolve.run(PLATE).field("pressure")


def test_the_library_that_is_missing_or_another(tmp_path):
    def imported(**environment):
        done = subprocess.run(
            [sys.executable, "-c", "import heatsolve"], env=environment, capture_output=True, text=True, cwd=tmp_path
        )
        return done.stderr

    path = {"PYTHONPATH": str(heatsolve.__path__[0] + "/..")}
    told = imported(HEATSOLVE_LIBRARY="/nowhere/libheatsolve.so.1", **path)
    assert "/nowhere/libheatsolve.so.1 (HEATSOLVE_LIBRARY): " in told and "make install" in told
    libc = ctypes.util.find_library("c")
    assert f"{libc} is not the library that this Python package was made for" in imported(HEATSOLVE_LIBRARY=libc, **path)


def test_the_file_of_a_library_that_the_loader_found():
    folder, name = os.path.split(heatsolve.library_path)
    environment = {"PYTHONPATH": str(heatsolve.__path__[0] + "/.."), "LD_LIBRARY_PATH": folder}
    code = "import heatsolve; print(heatsolve.library_path)"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert os.path.isabs(folder) and found.stdout == f"{folder}/{name}\n"


def test_versions():
    assert heatsolve.library_version.startswith(heatsolve.__version__)
