"""report.html in a real browser: prints a TAP line for each thing that holds or does not.

usage: check_page.py FOLDER   with the runs wall, course, constant, jump, cells, large and hostile in it, see page.sh
"""

import json
import os
import random
import re
import sys

import h5py
import numpy as np

from browser import Browser

folder = sys.argv[1]
SCREEN = 1100, 1600  # so high that the picture is on it
count = 0


def check(holds, name, told=""):
    global count
    count += 1
    print(f"{'ok' if holds else 'not ok'} {count} - {name}")
    if not holds and told:
        print(f"# {str(told)[:1500]}")


def page_of(run):
    return f"{folder}/{run}/report.html"


def rectangle(browser, name):
    return json.loads(browser.run(f"JSON.stringify(document.getElementById('{name}').getBoundingClientRect())"))


def text_of(browser, name):
    return browser.run(f"document.getElementById('{name}').textContent")


def reading(browser):
    """x and y in metres, the temperature and its last digit's worth, and what follows."""
    text = text_of(browser, "reading").replace("\u2212", "-").replace("\u00a0", " ")
    found = re.fullmatch(r"(\S+) \S+ at x = (\S+) (m|mm), y = (\S+) (m|mm)(?:, (.*))?", text)
    if not found:
        raise ValueError(f"no reading: {text!r}")
    factor = {"m": 1.0, "mm": 1e-3}
    decimals = len(found[1].partition(".")[2])
    return (float(found[2]) * factor[found[3]], float(found[4]) * factor[found[5]], float(found[1]), 10.0**-decimals,
            found[6] or "")


def canvas(browser):
    return browser.run("document.getElementById('field').toDataURL()")


# --- the reading under the pointer -----------------------------------------------------------------


def nearest_of(places, wanted):
    return int(np.argmin(np.abs(np.asarray(places) - wanted)))


def wrong_points(browser, field, names=None, material=None, points=100):
    """Points at random places whose reading is not that of the nearest shown node."""
    with h5py.File(field) as file:
        x, y, t = file["x"][:], file["y"][:], file["temperature"][:]
    frame = rectangle(browser, "field")
    thin = json.loads(browser.run("JSON.stringify({is: picture.field.is, js: picture.field.js})"))
    xs, ys = x[thin["is"]], y[thin["js"]]
    size = json.loads(browser.run("JSON.stringify(extent)"))
    rounding = (t.max() - t.min()) / (2**24 - 2)
    wrong = []
    chance = random.Random(7)
    for _ in range(points):
        px = frame["x"] + frame["width"] * chance.random()
        py = frame["y"] + frame["height"] * chance.random()
        browser.point(px, py)
        rx, ry, rt, digit, rest = reading(browser)
        at_x, at_y = (px - frame["x"]) / frame["width"] * size["x"], (1 - (py - frame["y"]) / frame["height"]) * size["y"]
        i, j = nearest_of(xs, rx), nearest_of(ys, ry)
        own = t[thin["js"][j], thin["is"][i]]
        step_x, step_y = size["x"] / (len(xs) - 1) or 1, size["y"] / (len(ys) - 1) or 1
        near = abs(xs[i] - at_x) <= 0.51 * step_x + 1e-9 and abs(ys[j] - at_y) <= 0.51 * step_y + 1e-9
        same = abs(xs[i] - rx) < 1e-6 * size["x"] and abs(ys[j] - ry) < 1e-6 * size["y"]
        if not (near and same and abs(own - rt) <= 0.501 * digit + rounding):
            wrong.append((at_x, at_y, rx, ry, rt, own))
        if material is not None and rest not in {names[m] for m in around(material, thin["is"][i], thin["js"][j])}:
            wrong.append((rx, ry, rest))
    return wrong


def around(material, i, j):
    """Materials of the cells at a node's corners."""
    rows, columns = material.shape
    return {material[r, c] for r in (j - 1, j) for c in (i - 1, i) if 0 <= r < rows and 0 <= c < columns}


def check_reading(browser):
    browser.open(page_of("wall"))
    with h5py.File(f"{folder}/wall/field.h5") as file:
        material, names = file["material"][:], [n.decode() if isinstance(n, bytes) else n for n in file["material"].attrs["names"]]
    check(not browser.trouble, "a page opens without a word on the console", browser.trouble)
    others = [url for url in browser.requests if not url.startswith("data:")]
    check(len(others) == 1, "it asks for no other file", others)
    drawing = browser.run("(() => { const e = document.querySelector('#drawing img'); return e ? [e.naturalWidth, e.naturalHeight, e.alt] : null; })()")
    check(drawing and drawing[0] > 300 and drawing[1] > 200 and "201 by 501" in drawing[2], "it has the drawing of the problem", drawing)
    wrong = wrong_points(browser, f"{folder}/wall/field.h5", names, material)
    check(not wrong, "100 random points read as field.h5 has them, with their material", wrong[:3])
    browser.open(page_of("cells"))
    wrong = wrong_points(browser, f"{folder}/cells/field.h5")
    check(not wrong and not browser.trouble, "so do they with nodes in the middle of cells", wrong[:3] or browser.trouble)
    browser.open(page_of("large"))
    wrong = wrong_points(browser, f"{folder}/large/field.h5")
    check(not wrong and not browser.trouble, "and where the grid is thinned", wrong[:3] or browser.trouble)
    told = text_of(browser, "thinned")
    check("every 3rd of 1201 \u00d7 1102 nodes" in told, "which the page says", told)


# --- the keyboard and the controls -----------------------------------------------------------------


def check_keyboard(browser):
    browser.open(page_of("wall"))
    for _ in range(30):
        browser.key("Tab")
        if browser.run("document.activeElement.id") == "field":
            break
    check(browser.run("document.activeElement.id") == "field", "Tab leads to the picture")
    x0, y0, *_ = reading(browser)
    browser.key("ArrowRight")
    browser.key("ArrowUp")
    x1, y1, *_ = reading(browser)
    browser.key("ArrowLeft", shift=True)
    x2, *_ = reading(browser)
    dx, dy = browser.run("grid.dx_m"), browser.run("grid.dy_m")
    moved = [(x1 - x0) / dx, (y1 - y0) / dy, (x2 - x1) / dx]
    check(np.allclose(moved, [1, 1, -10], atol=1e-3), "arrow keys move by a node, with Shift by ten", moved)
    with h5py.File(f"{folder}/wall/field.h5") as file:
        t = file["temperature"][:]
    browser.key("Home")
    coldest = reading(browser)
    browser.key("End")
    hottest = reading(browser)
    check(abs(coldest[2] - t.min()) < coldest[3] and abs(hottest[2] - t.max()) < hottest[3],
          "Home and End lead to the extremes", (coldest, hottest))
    browser.key("Escape")
    check(text_of(browser, "reading") == "", "Escape ends the reading")
    check(browser.run("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is visible")
    unnamed = browser.run("""[...document.querySelectorAll('input, select, button, canvas')].filter((e) =>
        !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label')).map((e) => e.id).join()""")
    check(unnamed == "", "every control has a name", unnamed)


def change(browser, name, value, kind="change"):
    browser.run(f"""(() => {{ const e = document.getElementById('{name}');
        if (e.type === 'checkbox') e.checked = {json.dumps(value)}; else e.value = {json.dumps(value)};
        e.dispatchEvent(new Event('{kind}', {{ bubbles: true }})); }})()""")


def check_controls(browser):
    browser.open(page_of("wall"))
    seen = [canvas(browser)]
    for name, value in (("colormap", "viridis"), ("isotherms", False), ("outlines", False), ("low", "0"), ("high", "5")):
        change(browser, name, value)
        seen.append(canvas(browser))
    check(len(set(seen)) == len(seen), "colours, isotherms, outlines and range change the picture")
    change(browser, "low", "7")
    check(canvas(browser) == seen[-1], "a range that ends below its beginning does not")
    browser.run("document.getElementById('own-range').click()")
    check(browser.run("picture.low") < -9 and browser.run("picture.high") > 18, "the whole range comes back")
    browser.run("document.getElementById('copy').click()")
    browser.run("new Promise((done) => setTimeout(done, 200))")
    check(text_of(browser, "copy") == "Copied", "the command can be copied")
    change(browser, "all-keys", True)
    shown = browser.run("[...document.querySelectorAll('#sections tr')].filter((e) => e.offsetHeight > 0).length")
    change(browser, "all-keys", False)
    fewer = browser.run("[...document.querySelectorAll('#sections tr')].filter((e) => e.offsetHeight > 0).length")
    check(shown > fewer > 20, "keys that were not given are shown when asked for", (shown, fewer))
    check(not browser.trouble, "nothing of this is told to the console", browser.trouble)


# --- over time -------------------------------------------------------------------------------------


def check_course(browser):
    browser.open(page_of("course"))
    with h5py.File(f"{folder}/course/snapshots.h5") as file:
        times, first = file["time"][:], file["snapshots/0"][:]
    last = int(browser.run("document.getElementById('moment').max"))
    check(last == len(times) - 1, "the slider has the snapshots", (last, len(times)))
    end = canvas(browser)
    frame = rectangle(browser, "field")
    browser.point(frame["x"] + 0.4 * frame["width"], frame["y"] + 0.5 * frame["height"])
    after = reading(browser)
    change(browser, "moment", "0", "input")
    before = reading(browser)
    check(canvas(browser) != end, "it changes the picture")
    check(before[:2] == after[:2] and before[2] != after[2], "and the reading, at the same place", (before, after))
    i, j = (int(round(v)) for v in (before[0] / browser.run("grid.dx_m"), before[1] / browser.run("grid.dy_m")))
    rounding = (first.max() - first.min()) / 2**16
    check(abs(first[j, i] - before[2]) <= 0.501 * before[3] + rounding, "which is that of snapshots.h5", (first[j, i], before))
    browser.run("document.getElementById('moment').focus()")
    browser.key("ArrowRight")
    check(browser.run("fields.indexOf(picture.field)") == 1, "arrow keys move it")
    browser.run("document.getElementById('play').click()")
    browser.run("new Promise((done) => { const wait = () => (playing ? setTimeout(wait, 50) : done()); wait(); })")
    check(browser.run("fields.indexOf(picture.field)") == last, "Play goes on to the end")
    charts = browser.run("document.querySelectorAll('#course-charts svg').length")
    curves = browser.run("document.querySelectorAll('#course-charts svg:first-of-type path.mark').length")
    check(charts == 3 and curves >= 2, "probes, extremes and heat flows have curves", (charts, curves))
    told = text_of(browser, "course-charts")
    check("Not drawn" not in told, "all of them", told)
    check(not browser.trouble, "nothing of this is told to the console", browser.trouble)


def check_constant(browser):
    """Temperatures that differ by less than the error: one colour, and a bar with its value."""
    browser.open(page_of("constant"))
    low, high = browser.run("answer.low"), browser.run("answer.high")
    check(0 < high - low < 1e-3, "a field is constant but for its error", (low, high))
    check(browser.run("[picture.low, picture.high, byId('low').value, byId('high').value].join()") == "20,20,20,20",
          "its scale is one temperature", browser.run("[picture.low, picture.high].join()"))
    colours = browser.run("""(() => { const e = byId('field'); const data = e.getContext('2d').getImageData(0, 0, e.width, e.height).data;
        return new Set(new Uint32Array(data.buffer)).size; })()""")
    check(colours == 1, "and its picture of one colour", colours)
    told = text_of(browser, "thinned")
    check("the same within" in told and not browser.trouble, "which the page says", browser.trouble or told)


def check_jump(browser):
    """The heat of the first moment, many times that of all others."""
    with open(f"{folder}/jump/report.json") as file:
        heat = {part["name"]: part["heat_w_m"] for part in json.load(file)["transient"]["series"]["surfaces"]}
    first, later = heat["north"][0], max(heat["north"][1:])
    browser.open(page_of("jump"))
    chart = "[...document.querySelectorAll('#course-charts svg')].pop()"
    ticks = browser.run(f"[...{chart}.querySelectorAll('text[text-anchor=end]')].map((text) => text.textContent).join(' ')")
    highest = max(float(tick.replace("\u2212", "-")) for tick in ticks.split())
    check(first > 5 * later > 5 * 0.7 * highest, "a jump at first does not squeeze the curves", (first, later, ticks))
    told = text_of(browser, "course-charts").replace("\u00a0", " ")
    check(f"Not drawn, at t = 0 s: north {first:.0f} W/m" in told, "but is told", told)
    check(not browser.trouble, "nothing of this is told to the console", browser.trouble)


# --- screens and paper -----------------------------------------------------------------------------

# The lowest contrast of a text with the ground behind it, and whose it is (WCAG 2.1).
CONTRAST = """(() => {
  const parts = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = (c) => { const [r, g, b] = parts(c).slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (parts(c)[3] !== 0) return c; } return 'rgb(255,255,255)'; };
  let worst = [99, ''];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('noscript, script, .hidden, .skip') || !e.getClientRects().length) continue;
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e), ink = e.namespaceURI.endsWith('svg') ? style.fill : style.color;
    const a = light(ink), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`];
  }
  return worst;
})()"""


def check_screens(browser):
    for scheme in ("light", "dark"):
        browser.prefer(prefers_color_scheme=scheme)
        worst = 99, ""
        for run in ("wall", "course", "hostile"):
            browser.open(page_of(run))
            change(browser, "all-keys", True)
            worst = min(worst, tuple(browser.run(CONTRAST)))
        check(worst[0] >= 4.5, f"{scheme}: every text has a contrast of 4.5 at least", worst)
        browser.run("0")
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    check(sum(map(int, re.findall(r"\d+", ground)[:3])) < 150, "dark is dark", ground)
    browser.prefer()
    for run in ("wall", "course", "cells", "large", "hostile"):
        browser.size(360, 740, phone=True)
        browser.open(page_of(run))
        change(browser, "all-keys", True)
        width = browser.run("document.documentElement.scrollWidth")
        check(width <= 360, f"{run}: a telephone's width suffices", width)
        letters = browser.run("(() => { const e = document.querySelector('#drawing img'); return 13 * e.clientWidth / e.naturalWidth; })()")
        check(letters >= 10, f"{run}: the drawing's letters can be read on it", letters)
    browser.size(*SCREEN)


# Where the ticks below the plot have their texts, from left to right: [[left, right], ...].
BELOW = """[...document.querySelectorAll('#plot svg text')]
  .filter((text) => Number(text.getAttribute('y')) === picture.box.top + picture.box.h + 19)
  .map((text) => text.getBoundingClientRect()).map((at) => [at.left, at.right])"""


def check_narrow(browser):
    """A plot so narrow as on a small sheet of paper still has a scale."""
    for run in ("wall", "cells", "tall", "thin"):
        for width, height in ((340, 500), (280, 300), (220, 300)):
            browser.size(width, height)
            browser.open(page_of(run))
            texts = browser.run(BELOW)
            apart = all(before[1] < after[0] for before, after in zip(texts, texts[1:]))
            check(len(texts) > 1 and apart, f"{run}: on {width} x {height} there are ticks below the plot, apart", texts)
    browser.size(*SCREEN)


def check_print(browser):
    browser.prefer(prefers_color_scheme="dark")
    for run in ("wall", "course"):
        browser.open(page_of(run))
        path = f"{folder}/{run}.pdf"
        browser.print(path)
        with open(path, "rb") as file:
            sheets = re.findall(rb"/MediaBox\s*\[0 0 ([\d.]+) ([\d.]+)\]", file.read())
        sizes = {(round(float(w)), round(float(h))) for w, h in sheets}
        check(sizes == {(595, 842)} and 2 <= len(sheets) <= 12, f"{run}: printed on A4", (sizes, len(sheets)))
    browser.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    look = browser.run("getComputedStyle(document.body).backgroundColor + getComputedStyle(document.getElementById('play')).display")
    check(look == "rgb(255, 255, 255)none", "paper is white, and has no buttons", look)
    browser.call("Emulation.setEmulatedMedia", media="", features=[])


# --- texts of users, and no program ----------------------------------------------------------------


def check_hostile(browser):
    browser.open(page_of("hostile"))
    browser.run("new Promise((done) => setTimeout(done, 200))")
    title = "</script><script>alert(1)</script><!-- & \"'"
    check(not browser.trouble, "markup in titles and names does nothing", browser.trouble)
    check(browser.run("document.querySelector('h1').textContent") == title, "but is shown", browser.run("document.querySelector('h1').textContent"))
    check(browser.run("document.title") == title, "also as the page's title", browser.run("document.title"))
    name = "<img src onerror><s>&amp"
    cells = browser.run("[...document.querySelectorAll('#tables th')].map((e) => e.textContent).join('|')")
    check(name in cells, "a probe has its name", cells)
    check(browser.run("document.querySelectorAll('img, script').length") == browser.run("document.querySelectorAll('#drawing img').length") + 3,
          "no element came of them")


def check_without_program(browser):
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page_of("wall"))
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    text = browser.run("document.querySelector('noscript').innerText")
    check("remaining error" in text and "edge of the ceiling" in text, "without JavaScript the report is there as text", text[:200])


def check_much(browser):
    size = os.path.getsize(page_of("much"))
    check(1000000 < size <= 3000000, "a page has 3 MB at most", size)
    browser.open(page_of("much"))
    told = browser.run("document.getElementById('numbers').textContent")
    check(not browser.trouble and "The first 200 of 400" in told, "tables that end early say so", browser.trouble or told[-300:])


def check_thin(browser):
    """Plates that are long and narrow: numbers of the axes have room, and the last one is there."""
    for run in ("thin", "tall"):
        browser.open(page_of(run))
        boxes = json.loads(browser.run("""JSON.stringify([...document.querySelectorAll('#plot svg text')].map((e) => {
            const b = e.getBoundingClientRect(); return [e.textContent, b.left, b.right, b.top, b.bottom]; }))"""))
        over = [(a[0], b[0]) for k, a in enumerate(boxes) for b in boxes[:k]
                if min(a[2], b[2]) - max(a[1], b[1]) > 1 and min(a[4], b[4]) - max(a[3], b[3]) > 1]
        check(not over and not browser.trouble, f"{run}: no text of the picture lies over another", over or browser.trouble)
        check("3.0" in [box[0] for box in boxes], f"{run}: the axis has its end", boxes)


def main():
    with Browser() as browser:
        browser.size(*SCREEN)
        for part in (check_reading, check_keyboard, check_controls, check_course, check_constant, check_jump, check_screens, check_narrow, check_print,
                     check_hostile, check_much, check_thin, check_without_program):
            part(browser)
    print(f"1..{count}")


main()
