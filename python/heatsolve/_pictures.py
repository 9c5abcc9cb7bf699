"""Temperatures drawn by Matplotlib."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._result import Result

OUTLINES_MOST = 100_000  # edges between materials; of more than that, as noise has, one would see no more than grey


def _matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError(
            "plot() needs the package Matplotlib; install it (`pip install matplotlib`, Debian: python3-matplotlib)"
        ) from None


def unit_of(result: "Result") -> str:
    """The unit as people write it."""
    return {"degC": "°C", "degF": "°F"}.get(result.unit, result.unit)


def extent_of(result: "Result") -> tuple[float, float, float, float]:
    """West, east, south and north end of the plate, m."""
    cells = result.field("material")
    return 0.0, cells.x[-1] + cells.x[0], 0.0, cells.y[-1] + cells.y[0]  # the outermost are half a cell from the ends


def _edges(result: "Result") -> NDArray[np.float64]:
    """The edges of cells at which two materials meet, [edge, end, x and y]."""
    cells, number = result.field("material"), result.material
    west, east, south, north = extent_of(result)
    x, y = np.linspace(west, east, len(cells.x) + 1), np.linspace(south, north, len(cells.y) + 1)
    j, i = np.nonzero(number[:, 1:] != number[:, :-1])
    upright = np.stack([np.stack([x[i + 1], y[j]], 1), np.stack([x[i + 1], y[j + 1]], 1)], 1)
    j, i = np.nonzero(number[1:] != number[:-1])
    flat = np.stack([np.stack([x[i], y[j + 1]], 1), np.stack([x[i + 1], y[j + 1]], 1)], 1)
    return np.concatenate([upright, flat])


def _draw_outlines(result: "Result", ax: "Axes") -> None:
    from matplotlib.collections import LineCollection

    edges = _edges(result)
    if 0 < len(edges) <= OUTLINES_MOST:
        ax.add_collection(LineCollection(list(edges), colors="white", linewidths=0.8, alpha=0.7), autolim=False)


def _shown(count: int) -> NDArray[np.int64]:
    """The numbers of the rows or columns that a picture shows: not many more than a thousand, the last one among them."""
    return np.linspace(0, count - 1, min(count, 1001)).round().astype(np.int64)


def _draw_isotherms(result: "Result", ax: "Axes", temperature: NDArray[np.float64], count: int) -> None:
    from matplotlib.ticker import MaxNLocator

    lowest, highest = temperature.min(), temperature.max()
    if count < 1 or not highest > lowest or min(temperature.shape) < 2:
        return
    levels = [level for level in MaxNLocator(count).tick_values(lowest, highest) if lowest < level < highest]
    if levels:
        rows, columns = map(_shown, temperature.shape)
        thinned = temperature[np.ix_(rows, columns)]
        lines = ax.contour(result.x[columns], result.y[rows], thinned, levels, colors="white", linewidths=0.6, linestyles="solid")
        ax.clabel(lines, fontsize="x-small", fmt="%g")


def _draw_probes(result: "Result", ax: "Axes") -> None:
    west, east, south, north = extent_of(result)
    for name, probe in result.probes.items():
        if probe.distance is not None:
            ax.plot(probe.x, probe.y, color="tab:cyan", linewidth=1.5, clip_on=False)
            continue
        ax.plot(probe.x, probe.y, "o", color="tab:cyan", markeredgecolor="black", markersize=5, clip_on=False)
        left, below = probe.x > (west + east) / 2, probe.y > (south + north) / 2  # towards the middle, off the walls
        ax.annotate(
            name.replace("$", r"\$"), (probe.x, probe.y), (-6 if left else 6, -6 if below else 6),
            textcoords="offset points", ha="right" if left else "left", va="top" if below else "bottom", fontsize="x-small",
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.7},
        ).set_in_layout(False)  # fmt: skip


def _title(result: "Result", snapshot: Optional[int]) -> str:
    parts = [str(result.report["title"]).replace("$", r"\$")]
    if snapshot is not None:
        parts.append(f"t = {result.time[snapshot]:g} s")
    elif not result.converged:
        parts.append(result.status)
    return ", ".join(part for part in parts if part)


def new_axes(result: "Result", figure: Any = None) -> "Axes":
    """Axes of a figure of the plate's proportions."""
    west, east, south, north = extent_of(result)
    tall = min(max((north - south) / (east - west), 0.2), 3.0)
    width = 5.0 / max(tall, 0.7) ** 0.7
    size = width + 1.5, width * tall + 0.8
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=size, constrained_layout=True)
    else:
        figure.set_size_inches(size)
    ax: Axes = figure.add_subplot()
    return ax


def draw(
    result: "Result",
    ax: Optional["Axes"] = None,
    *,
    snapshot: Optional[int] = None,
    isotherms: int = 10,
    outlines: bool = True,
    probes: bool = True,
    colorbar: bool = True,
    cmap: Any = "inferno",
    vmin: Optional[float] = None,
    vmax: Optional[float] = None,
) -> "Axes":
    """Draws the temperatures into axes, or into those of a new figure, and returns them.

    `snapshot` is the number of a snapshot to draw instead of the end; `isotherms` about how many lines of equal temperature
    are drawn; `outlines` are those of the materials. `cmap`, `vmin` and `vmax` are Matplotlib's.
    """
    _matplotlib()
    if snapshot is not None and not -len(result.snapshots) <= snapshot < len(result.snapshots):
        count = len(result.snapshots)
        kept = f"the run kept {count}" if result.report.get("transient") else "the run was steady"
        raise UsageError(f"there is no snapshot {snapshot}: {kept}")
    if ax is None:
        ax = new_axes(result)
    temperature = result.temperature if snapshot is None else result.snapshots[snapshot]
    (ny, nx), (west, east, south, north) = temperature.shape, extent_of(result)
    half_x, half_y = (result.x[-1] - result.x[0]) / (nx - 1) / 2, (result.y[-1] - result.y[0]) / (ny - 1) / 2
    around = (result.x[0] - half_x, result.x[-1] + half_x, result.y[0] - half_y, result.y[-1] + half_y)
    image = ax.imshow(
        temperature, origin="lower", extent=around, interpolation="bilinear", cmap=cmap, vmin=vmin, vmax=vmax
    )
    _draw_isotherms(result, ax, temperature, isotherms)
    if outlines:
        _draw_outlines(result, ax)
    if probes:
        _draw_probes(result, ax)
    ax.set(xlim=(west, east), ylim=(south, north), xlabel="x in m", ylabel="y in m", title=_title(result, snapshot))
    if colorbar:
        beside = ax.inset_axes((1.03, 0, 0.05 * max(1, (north - south) / (east - west)) ** 0.5, 1))
        ax.figure.colorbar(image, cax=beside, label=f"temperature in {unit_of(result)}")
    return ax


def png(result: "Result") -> bytes:
    """The picture that notebooks show."""
    _matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure, file = Figure(constrained_layout=True, dpi=100), io.BytesIO()
    FigureCanvasAgg(figure)
    draw(result, new_axes(result, figure))
    figure.savefig(file, format="png")
    return file.getvalue()
