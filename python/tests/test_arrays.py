"""Problems from arrays."""

import heatsolve
import numpy as np
import pytest
from conftest import PLATE

#: The eastern half conducts a ninth: nine tenths of the difference lie there.
HALVES = np.zeros((4, 10), dtype=int)
HALVES[:, 5:] = 1
NAMES = np.array(["background", "cork"])[HALVES]
CORK = {"material cork.conductivity": 1 / 9}


@pytest.mark.parametrize(
    "materials",
    [HALVES, HALVES.tolist(), HALVES == 1, HALVES.astype(np.uint8), NAMES, NAMES.tolist(), NAMES.astype(object)],
)
def test_materials_by_numbers_and_names(materials):
    result = heatsolve.run(PLATE, CORK, materials=materials)
    assert result.temperature[:, 5] == pytest.approx(0.1)
    assert np.array_equal(result.material, HALVES) and result.material_names == ("background", "cork")


def test_rows_begin_in_the_south():
    source = np.zeros((4, 10))
    source[0, 2] = 1  # W/m3 in a cell of 0.1 m by 0.25 m
    result = heatsolve.run(PLATE, source=source)
    assert result.quantities["source"] == pytest.approx(0.025)
    assert np.unravel_index((result.temperature - result.x).argmax(), (5, 11))[0] == 0


def test_conductivities():
    result = heatsolve.run(PLATE, conductivity=np.where(HALVES, 1 / 9, 1.0)[:, ::-1])
    assert result.temperature[:, 5] == pytest.approx(0.9)


def test_initial_temperatures_and_arrays_that_are_no_rows_in_memory():
    initial = np.asfortranarray(np.tile(np.linspace(0, 1, 22)[::2], (5, 1)))
    over_time = {"time": {"scheme": "explicit", "end": 0.001, "steps": 10}, "material": {"density": 1, "heat_capacity": 1}}
    result = heatsolve.run(PLATE, over_time, initial=initial)
    assert np.array_equal(result.snapshots[0][:, :-1], initial[:, :-1])


def test_cell_layout():
    result = heatsolve.run(PLATE, {"grid.layout": "cell"}, source=np.ones((5, 11)))
    assert result.quantities["source"] == pytest.approx(1) and result.material.shape == (5, 11)
    assert result.x[0] == pytest.approx(1 / 22)


def test_arrays_are_kept_as_they_were_given_and_can_be_taken_back():
    source = np.zeros((4, 10))
    problem = heatsolve.Problem(PLATE, source=source)
    source[:] = np.nan
    assert problem.run().quantities["source"] == 0
    problem.set_array("source", np.ones((4, 10)))
    assert problem.run().quantities["source"] == pytest.approx(1)
    problem.set_array("source", None)
    assert problem.run().quantities["source"] == 0


@pytest.mark.parametrize(
    "arrays, sentence",
    [
        ({"source": np.ones((10, 4))}, r"map.source has 10 rows of 4 numbers, and the grid of 11 x 5 nodes needs 4 rows"),
        ({"source": np.ones(40)}, r"source has the shape \(40,\), and needs rows and columns"),
        ({"source": np.ma.masked_greater(np.arange(40.0).reshape(4, 10), 30)}, "source has masked numbers"),
        ({"source": np.ones((4, 10)) * 1j}, "source is of the type complex128, and needs real numbers"),
        ({"source": NAMES}, "needs real numbers"),
        ({"source": np.full((4, 10), np.nan)}, "map.source has nan in row 0"),
        ({"conductivity": np.zeros((4, 10))}, "finite and above 0"),
        ({"initial": np.zeros((4, 10))}, "one a node"),
        ({"materials": HALVES * 2}, "map.materials has 2 in row 3 .*number of a material"),
        ({"materials": HALVES * 0.5}, "is of the type float64, and needs names or whole numbers"),
        ({"materials": np.where(HALVES, "korc", "background")}, r'no material "korc".*did you mean "cork"'),
        ({"materials": [["a"], ["b", "c"]]}, "rows of one length"),
    ],
)
def test_what_is_refused(arrays, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        heatsolve.run(PLATE, CORK, **{"materials": HALVES, **arrays})
    assert isinstance(caught.value, heatsolve.Error)


def test_an_array_of_another_name():
    with pytest.raises(heatsolve.UsageError, match='no array "material"; there are materials, conductivity'):
        heatsolve.Problem(PLATE).set_array("material", HALVES)
