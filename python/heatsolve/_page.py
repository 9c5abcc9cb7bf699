"""A result as HTML, for notebooks: the picture, where Matplotlib is there, and tables."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Optional

from ._pictures import png, unit_of

if TYPE_CHECKING:
    from ._result import Result

ROWS_MOST = 30


def _number(value: Optional[float], digits: int = 6) -> str:
    return "" if value is None else f"{value:.{digits}g}".replace("-", "−")


def _row(cells: Sequence[str], tag: str = "td") -> str:
    """A row whose first cell is a name, the others numbers."""
    aligned = ["left"] + ["right"] * (len(cells) - 1)
    inner = "".join(
        f'<{tag} style="text-align:{side};padding:0 0.5em">{html.escape(cell)}</{tag}>'
        for side, cell in zip(aligned, cells)
    )
    return f"<tr>{inner}</tr>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    every = list(rows)
    if not every:
        return ""
    shown = [_row(cells) for cells in every[:ROWS_MOST]]
    if len(every) > ROWS_MOST:
        shown.append(_row([f"and {len(every) - ROWS_MOST} more"] + [""] * (len(head) - 1)))
    return f"<table><thead>{_row(head, 'th')}</thead><tbody>{''.join(shown)}</tbody></table>"


def _summary(result: "Result") -> str:
    report, unit = result.report, unit_of(result)
    rows = [
        (f"lowest, {unit}", _number(report["temperature_min_k"])),
        (f"highest, {unit}", _number(report["temperature_max_k"])),
        (f"mean, {unit}", _number(report["temperature_mean_k"])),
        ("remaining error, K", _number(report["error_estimate_k"], 2)),
        ("heat in, W/m", _number(report["heat_in_w_m"])),
        ("heat out, W/m", _number(report["heat_out_w_m"])),
    ]
    ny, nx = result.temperature.shape
    return _table((f"{nx} × {ny} nodes", ""), [row for row in rows if row[1]])


def _tables(result: "Result") -> str:
    unit = unit_of(result)
    points = [
        (name, *map(_number, (probe.x, probe.y, probe.temperature)))
        for name, probe in result.probes.items()
        if probe.distance is None
    ]
    flows = [(name, *map(_number, (flow.heat, flow.mean))) for name, flow in result.heat_flows.items()]
    materials = [
        (name, *map(_number, (one.area, one.mean, one.lowest, one.highest))) for name, one in result.materials.items()
    ]
    return (
        _table(("probe", "x, m", "y, m", f"T, {unit}"), points)
        + _table(("wall", "heat in, W/m", "mean, W/m²"), flows)
        + _table(("material", "area, m²", f"mean, {unit}", f"lowest, {unit}", f"highest, {unit}"), materials)
    )


def _picture(result: "Result") -> str:
    try:
        data = base64.b64encode(png(result)).decode()
    except ImportError:
        return ""
    return f'<img alt="temperature of the plate" style="max-width:100%" src="data:image/png;base64,{data}">'


def page(result: "Result") -> str:
    """Result._repr_html_"""
    title = html.escape(str(result.report["title"]) or "heatsolve")
    colour = "#2e7d32" if result.converged else "#c62828"
    status = f'<span style="color:{colour};font-weight:bold">{html.escape(result.status)}</span>'
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in result.warnings)
    return (
        f'<div class="heatsolve"><p><b>{title}</b>: {status}</p>'
        + (f"<ul>{warnings}</ul>" if warnings else "")
        + f'<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"><div>{_picture(result)}</div>'
        + f"<div>{_summary(result)}{_tables(result)}</div></div></div>"
    )
