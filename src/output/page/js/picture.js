'use strict';
/* The picture of a field: colours, isotherms and outlines on a canvas; axes, colour bar and cursor in SVG above it. */

const picture = {
  field: answer, map: page.picture.colormap in knots ? page.picture.colormap : 'inferno', low: 0, high: 0,
  shown: answer, isotherms: page.picture.isotherms > 0, outlines: true, cursor: null, box: null,
};
const GRAY = 0xff8c8c8c;

const share = (value) => (picture.high > picture.low ? (value - picture.low) / (picture.high - picture.low) : 0.5);

/* --- places -------------------------------------------------------------------------------------- */

/* Five ticks or more. */
const fiveTicks = (low, high) =>
  [5, 6, 8, 10].map((wanted) => ticks(low, high, wanted)).find((list) => list.length > 4) || ticks(low, high, 1);

/* Sizes in the picture's own units: the plot, and what is around it. */
function layOut(width) {
  const lengths = lengthUnit(Math.max(extent.x, extent.y));
  const barTicks = fiveTicks(picture.low, picture.high);
  const wide = (texts) => 7.6 * Math.max(...texts.map((text) => text.length));
  const yTexts = [2, 3, 4, 5, 6].flatMap((wanted) => tickTexts(ticks(0, extent.y * lengths.factor, wanted)));
  const left = 34 + wide(yTexts);
  const right = 14 + 18 + 10 + wide(tickTexts(barTicks)) + 24;
  const room = Math.max(80, width - left - right);
  const tall = Math.max(220, Math.min(600, 0.7 * window.innerHeight));
  const scale = Math.min(room / extent.x, tall / extent.y);
  const w = Math.max(60, Math.round(scale * extent.x)), h = Math.max(60, Math.round(scale * extent.y));
  const barHeight = Math.max(h, 160);
  return {
    left, top: 10 + (barHeight - h) / 2, w, h, barTop: 10, barHeight, lengths, barTicks,
    width: left + w + right, height: 10 + barHeight + 46,
    stretched: Math.max(w / (scale * extent.x), h / (scale * extent.y)),
  };
}
const toX = (box, x) => box.left + (box.w * x) / extent.x;
const toY = (box, y) => box.top + box.h * (1 - y / extent.y);

/* --- the canvas ---------------------------------------------------------------------------------- */

/* Where in the field each pixel of a line lies. */
const samples = (count, list, step, from, spacing, length) =>
  Array.from({ length: count }, (_, p) => between(list, step, (((p + 0.5) / count) * length - from) / spacing));

function paintField(context, width, height) {
  const { field } = picture;
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const colours = colourTable(knots[picture.map]);
  const across = samples(width, field.is, field.stepX, origin.x, grid.dx_m, extent.x);
  const up = samples(height, field.js, field.stepY, origin.y, grid.dy_m, extent.y);
  const scale = picture.high > picture.low ? 1023 / (picture.high - picture.low) : 0;
  for (let line = 0; line < height; line++) {
    const { k: r, share: dy } = up[height - 1 - line];
    const south = r * field.columns, north = south + field.columns;
    for (let p = 0; p < width; p++) {
      const { k: c, share: dx } = across[p];
      const below = field.values[south + c] * (1 - dx) + field.values[south + c + 1] * dx;
      const above = field.values[north + c] * (1 - dx) + field.values[north + c + 1] * dx;
      const value = below * (1 - dy) + above * dy;
      const place = scale ? Math.max(0, Math.min(1023, Math.round((value - picture.low) * scale))) : 512;
      pixels[line * width + p] = Number.isNaN(value) ? GRAY : colours[place];
    }
  }
  context.putImageData(image, 0, 0);
}

/* Round temperatures at which lines are drawn. */
function isothermValues() {
  if (!picture.isotherms || !(picture.high > picture.low)) return [];
  return ticks(picture.low, picture.high, page.picture.isotherms || 10)
    .filter((value) => value > picture.low && value < picture.high);
}

/* Where an edge between two values meets a level. */
const meet = (a, b, level) => (level - a) / (b - a);

/* The pieces of one level's line in the cell between four nodes, as numbers of places in units of the cell. */
function pieces(sw, se, nw, ne, level) {
  const points = [];
  if ((sw < level) !== (se < level)) points.push([meet(sw, se, level), 0]);
  if ((se < level) !== (ne < level)) points.push([1, meet(se, ne, level)]);
  if ((nw < level) !== (ne < level)) points.push([meet(nw, ne, level), 1]);
  if ((sw < level) !== (nw < level)) points.push([0, meet(sw, nw, level)]);
  if (points.length < 4) return [points];
  const middle = (sw + se + nw + ne) / 4 < level;
  const [south, east, north, west] = points;
  return middle === (sw < level) ? [[south, east], [north, west]] : [[south, west], [east, north]];
}

function traceIsotherms(levels, place) {
  const { field } = picture;
  const paths = levels.map(() => new Path2D());
  for (let r = 0; r + 1 < field.rows; r++)
    for (let c = 0; c + 1 < field.columns; c++) {
      const k = r * field.columns + c;
      const corners = [k, k + 1, k + field.columns, k + field.columns + 1].map((n) => field.values[n]);
      const low = Math.min(...corners), high = Math.max(...corners);
      levels.forEach((level, n) => {
        if (!(low < level && level <= high)) return;
        for (const [a, b] of pieces(...corners, level)) {
          if (!b) continue;
          paths[n].moveTo(...place(c, a[0], r, a[1]));
          paths[n].lineTo(...place(c, b[0], r, b[1]));
        }
      });
    }
  return paths;
}

function paintIsotherms(context, width, height) {
  const levels = isothermValues();
  const { field } = picture;
  const place = (c, dx, r, dy) => [
    ((nodeX(field, c) * (1 - dx) + nodeX(field, c + 1) * dx) / extent.x) * width,
    (1 - (nodeY(field, r) * (1 - dy) + nodeY(field, r + 1) * dy) / extent.y) * height,
  ];
  traceIsotherms(levels, place).forEach((path, n) => {
    context.strokeStyle = isDark(knots[picture.map], share(levels[n])) ? '#fff' : '#000';
    context.stroke(path);
  });
}

/* Runs of places along a line of cells where what lies on its two sides differs: pairs [first, behind the last]. */
function runs(length, differs) {
  const list = [];
  for (let k = 0; k < length; k++) {
    if (!differs(k)) continue;
    if (list.length && list[list.length - 1][1] === k) list[list.length - 1][1] = k + 1;
    else list.push([k, k + 1]);
  }
  return list;
}

/* Lines between cells of different materials. */
function outlinePath(x, y) {
  const { columns, rows, index } = materials;
  const path = new Path2D();
  for (let c = 0; c + 1 < columns; c++)
    for (const [from, to] of runs(rows, (r) => index[r * columns + c] !== index[r * columns + c + 1])) {
      path.moveTo(x[c + 1], y[from]);
      path.lineTo(x[c + 1], y[to]);
    }
  for (let r = 0; r + 1 < rows; r++)
    for (const [from, to] of runs(columns, (c) => index[r * columns + c] !== index[(r + 1) * columns + c])) {
      path.moveTo(x[from], y[r + 1]);
      path.lineTo(x[to], y[r + 1]);
    }
  return path;
}

function paintOutlines(context, width, height) {
  const path = outlinePath(edgesX.map((m) => (m / extent.x) * width), edgesY.map((m) => (1 - m / extent.y) * height));
  const thin = context.lineWidth;
  for (const [wide, colour] of [[2.5 * thin, '#fff'], [thin, '#000']]) {
    context.lineWidth = wide;
    context.strokeStyle = colour;
    context.stroke(path);
  }
  context.lineWidth = thin;
}

function paintCanvas(box) {
  const canvas = byId('field');
  const fine = Math.min(2, window.devicePixelRatio || 1) * Math.min(1, Math.sqrt(1.5e6 / (box.w * box.h)));
  canvas.width = Math.round(box.w * fine);
  canvas.height = Math.round(box.h * fine);
  canvas.style.cssText = `left:${(100 * box.left) / box.width}%;top:${(100 * box.top) / box.height}%;` +
    `width:${(100 * box.w) / box.width}%;height:${(100 * box.h) / box.height}%`;
  const context = canvas.getContext('2d');
  paintField(context, canvas.width, canvas.height);
  context.lineWidth = fine;
  paintIsotherms(context, canvas.width, canvas.height);
  if (picture.outlines && materials) paintOutlines(context, canvas.width, canvas.height);
}

/* --- what is around it --------------------------------------------------------------------------- */

/* Ticks below a plot that is `width` wide: two at least, and in a narrow one no others where their texts would meet. */
function ticksBelow(high, width) {
  const list = ticks(0, high, Math.max(2, width / 90));
  const widest = 7.6 * Math.max(...tickTexts(list).map((text) => text.length));
  return widest + 6 < (width * list[1]) / high ? list : [0, ticks(0, high, 5).pop()];
}

function axes(box) {
  const group = draw('g');
  const { lengths } = box, bottom = box.top + box.h;
  const xs = ticksBelow(extent.x * lengths.factor, box.w);
  const ys = ticks(0, extent.y * lengths.factor, Math.max(2, Math.min(6, box.h / 45)));
  tickTexts(xs).forEach((text, k) => {
    const x = toX(box, xs[k] / lengths.factor);
    group.append(draw('path', { class: 'axis', d: `M${x} ${bottom}v5` }),
      label(x, bottom + 19, 'middle', text));
  });
  tickTexts(ys).forEach((text, k) => {
    const y = toY(box, ys[k] / lengths.factor);
    group.append(draw('path', { class: 'axis', d: `M${box.left} ${y}h-5` }),
      label(box.left - 8, y + 4.5, 'end', text));
  });
  group.append(draw('rect', { class: 'axis', x: box.left, y: box.top, width: box.w, height: box.h }),
    label(box.left + box.w / 2, bottom + 40, 'middle', `x (${lengths.name})`),
    label(12, box.top + box.h / 2, 'middle', `y (${lengths.name})`, true));
  return group;
}

function bar(box) {
  const map = knots[picture.map];
  const x = box.left + box.w + 14, at = (value) => box.barTop + box.barHeight * (1 - share(value));
  const colour = (k) => cssColour(colourAt(map, picture.high > picture.low ? k / 32 : 0.5));
  const stops = Array.from({ length: 33 }, (_, k) => draw('stop', { offset: k / 32, 'stop-color': colour(k) }));
  const group = draw('g', null, draw('linearGradient', { id: 'bar', x1: 0, y1: 1, x2: 0, y2: 0 }, ...stops),
    draw('rect', { class: 'axis', x, y: box.barTop, width: 18, height: box.barHeight, style: 'fill:url(#bar)' }));
  tickTexts(box.barTicks).forEach((text, k) => {
    const y = at(box.barTicks[k]);
    group.append(draw('path', { class: 'axis', d: `M${x + 18} ${y}h5` }), label(x + 27, y + 4.5, 'start', text));
  });
  for (const value of isothermValues())
    group.append(draw('path', { d: `M${x} ${at(value)}h18`, stroke: isDark(map, share(value)) ? '#fff' : '#000' }));
  group.append(label(box.width - 6, box.barTop + box.barHeight / 2, 'middle', `Temperature (${unit})`, true));
  return group;
}

/* A cross with a ring at the node that is read. */
function cursorMark(box) {
  const { field, cursor } = picture;
  if (!cursor) return draw('g');
  const x = toX(box, nodeX(field, cursor.c)), y = toY(box, nodeY(field, cursor.r));
  const path = `M${x - 9} ${y}h6m6 0h6M${x} ${y - 9}v6m0 6v6`;
  const mark = (stroke, width) => [draw('path', { d: path, stroke, 'stroke-width': width, fill: 'none' }),
    draw('circle', { cx: x, cy: y, r: 4, stroke, 'stroke-width': width, fill: 'none' })];
  return draw('g', { id: 'cursor' }, ...mark('#fff', 4), ...mark('#000', 1.5));
}

/* --- all ----------------------------------------------------------------------------------------- */

function drawPicture() {
  const plot = byId('plot');
  const box = layOut(byId('view').clientWidth);
  picture.box = box;
  plot.style.setProperty('--width', `${box.width}px`);
  plot.style.setProperty('--ratio', box.width / box.height);
  paintCanvas(box);
  const frame = draw('svg', { viewBox: `0 0 ${box.width} ${box.height}`, 'aria-hidden': 'true' },
    axes(box), bar(box), draw('g', { id: 'cursor-place' }));
  const old = plot.querySelector('svg');
  if (old) old.replaceWith(frame); else plot.append(frame);
  drawCursor();
}

function drawCursor() {
  byId('cursor-place').replaceChildren(cursorMark(picture.box));
}
