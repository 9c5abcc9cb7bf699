"""Results for xarray, Matplotlib and notebooks."""

import sys
import warnings

import heatsolve
import numpy as np
import pytest
from conftest import COURSE, PLATE

HOSTILE = {"title": "</script><script>alert(1)</script>", "unit": "degC"}
NAMED = {**PLATE, "probe <b>&": {"x": 0.25, "y": 0.5}, "output": HOSTILE}


def test_a_steady_dataset():
    pytest.importorskip("xarray")
    result = heatsolve.run(NAMED, {"material oak beam.conductivity": 2}, materials=np.ones((4, 10), int))
    data = result.to_xarray()
    assert data.temperature.dims == ("y", "x") and np.array_equal(data.temperature, result.temperature)
    assert data.temperature.attrs == {"units": "degC", "long_name": "temperature"}
    assert data.x.attrs == {"units": "m", "long_name": "distance from the west end", "axis": "X"}
    assert data.material.dims == ("y_cell", "x_cell") and data.x_cell[0] == 0.05
    assert data.material.attrs["flag_meanings"] == "background oak_beam"
    assert data.attrs["Conventions"] == "CF-1.11" and data.attrs["title"] == NAMED["output"]["title"]
    assert float(data.temperature.sel(x=0.5, y=0.5, method="nearest")) == pytest.approx(0.5)
    data.temperature[0, 0] = 7  # a copy
    assert result.temperature[0, 0] == 0
    assert heatsolve.run(PLATE, {"grid.layout": "cell"}).to_xarray().material.dims == ("y", "x")


def test_a_dataset_over_time_is_that_of_the_file(tmp_path):
    xarray = pytest.importorskip("xarray")
    result = heatsolve.run(COURSE, output=tmp_path)
    data = result.to_xarray()
    assert data.temperature.dims == ("time", "y", "x") and data.temperature.shape == (4, 5, 11)
    assert data.time.values.tolist() == [0, 1, 2, 10] and data.time.attrs["units"] == "s"
    assert "heat_flux_x" not in data
    pytest.importorskip("h5netcdf")
    with xarray.open_dataset(tmp_path / "snapshots.h5", engine="h5netcdf", decode_times=False) as file:
        assert np.array_equal(file.temperature, data.temperature)
        for name in ("time", "y", "x"):
            assert np.array_equal(file[name], data[name])
            assert {key: data[name].attrs[key] for key in ("units", "axis", "long_name")}.items() <= file[name].attrs.items()
        assert file.temperature.attrs["units"] == data.temperature.attrs["units"]
        assert file.attrs["source"].split(",")[1] == data.attrs["source"].split(",")[1]


@pytest.mark.parametrize("name, call", [("xarray", "to_xarray"), ("matplotlib", "plot")])
def test_a_package_that_is_missing_is_named(monkeypatch, name, call):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        getattr(heatsolve.run(PLATE), call)()


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("layout", ["vertex", "cell"])
def test_a_picture_lies_as_the_plate(pyplot, layout):
    ax = heatsolve.run(NAMED, {"grid.layout": layout}).plot()
    (image,) = ax.get_images()
    assert ax.get_xlim() == pytest.approx((0, 1)) and ax.get_ylim() == pytest.approx((0, 1))
    west, east, south, north = image.get_extent()
    half = 0.05 if layout == "vertex" else 0
    assert (west, east) == pytest.approx((-half, 1 + half)) and south < north
    assert image.origin == "lower" and image.get_array()[0, 0] < image.get_array()[0, -1]
    assert [text.get_text() for text in ax.texts if "<b>" in text.get_text()] == ["<b>&"]
    assert ax.get_xlabel() == "x in m" and ax.child_axes[0].get_ylabel() == "temperature in °C"
    ax.figure.canvas.draw()


def test_names_of_probes_lie_inside_the_plate(pyplot):
    ends = {f"probe {y} of the {x} end": {"x": x, "y": y} for x in (0, 0.97, 1) for y in (0, 0.96, 1)}
    ax = heatsolve.run(PLATE, ends).plot(isotherms=0)
    ax.figure.canvas.draw()
    plate = ax.get_window_extent()
    for text in ax.texts:
        name = text.get_window_extent()
        assert plate.x0 < name.x0 and name.x1 < plate.x1 and plate.y0 < name.y0 and name.y1 < plate.y1, text
    assert len(ax.texts) == 9


def test_options_of_pictures(pyplot):
    result = heatsolve.run(COURSE, {"material b": COURSE["material"]}, materials=np.eye(4, 10, dtype=int))
    _, ax = pyplot.subplots()
    options = {"isotherms": 0, "outlines": False, "probes": False, "colorbar": False, "cmap": "gray", "vmin": -1, "vmax": 2}
    assert result.plot(ax, snapshot=1, **options) is ax and ax.get_title() == "t = 1 s"
    assert np.array_equal(ax.get_images()[0].get_array(), result.snapshots[1]) and not ax.texts and not ax.collections
    assert ax.get_images()[0].get_clim() == (-1, 2)
    (outlines,) = result.plot(isotherms=0, probes=False).collections
    assert len(outlines.get_segments()) == 4 + 3 + 4 + 3 - 1  # around the diagonal's cells, less the walls
    with pytest.raises(heatsolve.UsageError, match="no snapshot 4: the run kept 4"):
        result.plot(snapshot=4)
    with pytest.raises(heatsolve.UsageError, match="no snapshot 0: the run was steady"):
        heatsolve.run(PLATE).plot(snapshot=0)


def test_pictures_of_odd_plates(pyplot):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for grid in ({"nx": 2, "ny": 2}, {"nx": 3, "ny": 300, "lx": 1e-9}, {"nx": 300, "ny": 2, "lx": 100}):
            heatsolve.run(PLATE, {"grid": grid}).plot().figure.canvas.draw()
        heatsolve.run(PLATE, {"boundary.east": 0, "output.title": r"$\nonsense$"}).plot().figure.canvas.draw()


def test_isotherms_stand_out_from_their_colour(pyplot):
    ax = heatsolve.run(PLATE).plot(outlines=False, probes=False, cmap="viridis")
    colours = {tuple(colour) for line in ax.collections for colour in line.get_edgecolor()[:, :3]}
    assert colours == {(0, 0, 0), (1, 1, 1)}


def test_a_field_that_is_constant_but_for_its_error(pyplot):
    walls = {"boundary": {side: 20 for side in ("west", "east", "south", "north")}, "initial": {"temperature": 3}}
    result = heatsolve.run({**PLATE, **walls}, {"solver.method": "multigrid"})
    assert 0 < np.ptp(result.temperature) <= result.report["resolution_k"] < 0.01
    ax = result.plot()
    (image,) = ax.get_images()
    assert sum(image.get_clim()) == 40 and not ax.collections
    assert len(np.unique(image.to_rgba(result.temperature).reshape(-1, 4), axis=0)) == 1
    assert [text.get_text() for text in ax.child_axes[0].get_yticklabels()] == ["20"]
    assert result.plot(vmin=0, vmax=40).get_images()[0].get_clim() == (0, 40)


@pytest.mark.parametrize("length", [0.05, 20])
def test_a_thin_plate_can_be_read(pyplot, length):
    ax = heatsolve.run(PLATE, {"grid.ly": length}).plot()
    ax.figure.canvas.draw()
    box, label = ax.get_window_extent(), ax.get_ylabel() if length < 1 else ax.get_xlabel()
    assert label.endswith("stretched 2 times") and max(box.height / box.width, box.width / box.height) == pytest.approx(10)
    (bar,) = ax.child_axes if length > 1 else [other for other in ax.figure.axes if other is not ax]
    long, short = sorted((bar.get_window_extent().width, bar.get_window_extent().height), reverse=True)
    assert long > 300 and short > 8
    texts = [text for part in (ax, bar) for text in (part.xaxis.label, part.yaxis.label, part.title) if text.get_text()]
    whole = ax.figure.bbox
    for text in texts:
        place = text.get_window_extent()
        assert whole.x0 <= place.x0 and place.x1 <= whole.x1 and whole.y0 <= place.y0 and place.y1 <= whole.y1, text


def test_isotherms_of_a_thin_plate_reach_its_ends(pyplot):
    ax = heatsolve.run(PLATE, {"grid.nx": 3, "grid.ny": 3002, "boundary.west": "y", "boundary.east": "y"}).plot()
    lines = [path.vertices for line in ax.collections for path in line.get_paths() if len(path.vertices)]
    assert max(places[:, 0].max() for places in lines) == pytest.approx(1)


def test_html_is_escaped_and_has_a_picture():
    pytest.importorskip("matplotlib")
    page = heatsolve.run(NAMED)._repr_html_()
    assert "<script" not in page and "&lt;/script&gt;&lt;script&gt;" in page and "&lt;b&gt;&amp;" in page
    assert 'src="data:image/png;base64,iVBORw0KGgo' in page and "converged</span>" in page and "−1" in page


def test_html_without_matplotlib_has_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    many = {f"probe p{k}": {"x": 0.5, "y": 0.5} for k in range(40)}
    page = heatsolve.run({**NAMED, **many})._repr_html_()
    assert "<img" not in page and "<td" in page and "p28" in page and "p29" not in page and "and 11 more" in page


def test_html_tells_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = heatsolve.run(PLATE, {"solver.method": "jacobi", "solver.max_iterations": 1})
    assert "iteration-limit</span>" in result._repr_html_() and "<li>the limit of 1 sweeps" in result._repr_html_()


def test_a_steady_dataset_is_that_of_the_file(tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("h5netcdf")
    oak = {"material oak.conductivity": 2}
    data = heatsolve.run(NAMED, oak, materials=np.eye(4, 10, dtype=int), output=tmp_path).to_xarray()
    assert float(data.heat_flux_x.mean()) < -1
    with xarray.open_dataset(tmp_path / "field.h5", engine="h5netcdf") as file:
        for name in data.variables:
            assert np.array_equal(file[name], data[name]), name
            ours, theirs = data[name].attrs, file[name].attrs
            assert ours.keys() <= theirs.keys() and ours.get("units") == theirs.get("units"), name
            assert ours["long_name"] == theirs["long_name"], name
        assert file.material.attrs["flag_meanings"] == data.material.attrs["flag_meanings"] == "background oak"
