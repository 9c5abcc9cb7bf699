"""Temperatures drawn by Matplotlib."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._result import Result

OUTLINES_MOST = 100_000  # edges between materials; of more than that, as noise has, one would see no more than grey
LONGEST = 10  # times as long as wide are pictures at most
FLAT = 0.4  # height over width below which the colour bar lies below the plate


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
    from matplotlib.patheffects import Normal, Stroke

    edges = _edges(result)
    if 0 < len(edges) <= OUTLINES_MOST:
        dark = LineCollection(list(edges), colors=(0, 0, 0, 0.6), linewidths=0.8)
        dark.set_path_effects([Stroke(linewidth=2, foreground=(1, 1, 1, 0.4)), Normal()])  # for dark and bright colours
        ax.add_collection(dark, autolim=False)


def _shown(count: int) -> NDArray[np.int64]:
    """The numbers of the rows or columns that a picture shows: not many more than a thousand, the last one among them."""
    return np.linspace(0, count - 1, min(count, 1001)).round().astype(np.int64)


def _constant(result: "Result", temperature: NDArray[np.float64]) -> Optional[float]:
    """The one temperature of a field whose temperatures cannot be told apart, with the digits that can; None of others."""
    lowest, highest, resolution = float(temperature.min()), float(temperature.max()), result.report["resolution_k"]
    if highest == lowest:
        return lowest
    if not resolution or not highest - lowest <= resolution:
        return None
    return round((lowest + highest) / 2, -math.ceil(math.log10(resolution)))


def _on_top(image: Any, levels: list[float]) -> list[str]:
    """Black or white, whichever stands out from the image's colour of each level; 0.179 is equally far from both."""
    colours = image.to_rgba(np.array(levels))[:, :3]
    luminance = ((colours + 0.055) / 1.055) ** 2.4 @ (0.2126, 0.7152, 0.0722)
    return ["black" if bright else "white" for bright in luminance > 0.179]


def _draw_isotherms(result: "Result", ax: "Axes", image: Any, temperature: NDArray[np.float64], count: int) -> None:
    from matplotlib.ticker import MaxNLocator

    lowest, highest = temperature.min(), temperature.max()
    if count < 1 or min(temperature.shape) < 2 or not np.isfinite(highest - lowest):
        return
    levels = [level for level in MaxNLocator(count).tick_values(lowest, highest) if lowest < level < highest]
    if levels:
        rows, columns = map(_shown, temperature.shape)
        thinned = temperature[np.ix_(rows, columns)]
        lines = ax.contour(result.x[columns], result.y[rows], thinned, levels, colors=_on_top(image, levels), linewidths=0.6, linestyles="solid")
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


def _shape(result: "Result") -> tuple[float, float]:
    """The height of the plate and that of its picture, for a width of 1: thin plates are drawn thicker than they are."""
    west, east, south, north = extent_of(result)
    tall = (north - south) / (east - west)
    return tall, min(max(tall, 1 / LONGEST), LONGEST)


def new_axes(result: "Result", figure: Any = None) -> "Axes":
    """Axes of a figure of the plate's proportions."""
    _, tall = _shape(result)
    width = 5.0 / max(tall, 0.7) ** 0.7
    size = (width + 1.8, width * tall + 0.8) if tall >= FLAT else (6.4, 5.4 * tall + 1.9)
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure(figsize=size, constrained_layout=True)
    else:
        figure.set_size_inches(size)
    ax: Axes = figure.add_subplot()
    return ax


def _label_axes(result: "Result", ax: "Axes") -> None:
    west, east, south, north = extent_of(result)
    tall, drawn = _shape(result)
    ax.set(xlim=(west, east), ylim=(south, north), xlabel="x in m", ylabel="y in m", aspect=drawn / tall)
    if drawn > tall:
        ax.set_ylabel(f"y in m,\nstretched {drawn / tall:.3g} times")
    elif drawn < tall:
        ax.set_xlabel(f"x in m,\nstretched {tall / drawn:.3g} times")


def _draw_bar(result: "Result", ax: "Axes", image: Any, constant: Optional[float]) -> None:
    """Beside the plate and as long, 0.2 inches wide; below a flat plate."""
    label = f"temperature in {unit_of(result)}"
    if _shape(result)[1] < FLAT:
        bar = ax.figure.colorbar(image, ax=ax, location="bottom", aspect=30, label=label)
    else:
        ax.apply_aspect()
        width = ax.get_window_extent().width / ax.figure.dpi
        bar = ax.figure.colorbar(image, cax=ax.inset_axes((1 + 0.15 / width, 0, 0.2 / width, 1)), label=label)
    if constant is not None:
        bar.set_ticks([constant], labels=[f"{constant:.12g}"])


def _one_colour(cmap: Any) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap

    return ListedColormap([ScalarMappable(cmap=cmap).get_cmap()(0.5)])


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
    are drawn; `outlines` are those of the materials. A field whose temperatures cannot be told apart has one colour. `cmap`, `vmin` and `vmax` are Matplotlib's.
    """
    _matplotlib()
    if snapshot is not None and not -len(result.snapshots) <= snapshot < len(result.snapshots):
        count = len(result.snapshots)
        kept = f"the run kept {count}" if result.report.get("transient") else "the run was steady"
        raise UsageError(f"there is no snapshot {snapshot}: {kept}")
    if ax is None:
        ax = new_axes(result)
    temperature = result.temperature if snapshot is None else result.snapshots[snapshot]
    constant = _constant(result, temperature) if vmin is None and vmax is None else None
    if constant is not None:
        cmap, vmin, vmax, isotherms = _one_colour(cmap), constant, constant, 0
    ny, nx = temperature.shape
    half_x, half_y = (result.x[-1] - result.x[0]) / (nx - 1) / 2, (result.y[-1] - result.y[0]) / (ny - 1) / 2
    around = (result.x[0] - half_x, result.x[-1] + half_x, result.y[0] - half_y, result.y[-1] + half_y)
    image = ax.imshow(
        temperature, origin="lower", extent=around, interpolation="bilinear", cmap=cmap, vmin=vmin, vmax=vmax
    )
    _draw_isotherms(result, ax, image, temperature, isotherms)
    if outlines:
        _draw_outlines(result, ax)
    if probes:
        _draw_probes(result, ax)
    _label_axes(result, ax)
    ax.set_title(_title(result, snapshot))
    if colorbar:
        _draw_bar(result, ax, image, constant)
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
