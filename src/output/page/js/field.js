'use strict';
/* Fields: shown nodes, where they lie, and values between them. */

const grid = page.grid;
const inCells = grid.cells;
const origin = { x: inCells ? grid.dx_m / 2 : 0, y: inCells ? grid.dy_m / 2 : 0 };
const extent = { x: (inCells ? grid.nx : grid.nx - 1) * grid.dx_m, y: (inCells ? grid.ny : grid.ny - 1) * grid.dy_m };

/* Integers of so many bytes. */
function unpack(text, bytes) {
  const raw = atob(text);
  const numbers = new Uint32Array(raw.length / bytes);
  for (let k = 0, at = 0; k < numbers.length; k++)
    for (let b = 0; b < bytes; b++) numbers[k] = numbers[k] * 256 + raw.charCodeAt(at++);
  return numbers;
}

/* Node numbers of the columns or rows that are shown. */
const places = (count, step, all) => Array.from({ length: count }, (_, k) => Math.min(k * step, all - 1));

function makeField(packed) {
  const top = 256 ** packed.bytes - 2;
  const scale = (packed.high - packed.low) / top;
  const integers = unpack(packed.numbers, packed.bytes);
  const values = Float64Array.from(integers, (n) => (n > top ? NaN : packed.low + n * scale));
  return {
    columns: packed.columns, rows: packed.rows, stepX: packed.step_x, stepY: packed.step_y,
    is: places(packed.columns, packed.step_x, grid.nx), js: places(packed.rows, packed.step_y, grid.ny),
    low: packed.low, high: packed.high, values, bytes: packed.bytes, time: packed.time_s,
  };
}

/* For the node number u (a fraction, too): the shown place before it, and the share of the way to the next. */
function between(list, step, u) {
  const k = Math.max(0, Math.min(list.length - 2, Math.floor(u / step)));
  const share = (u - list[k]) / (list[k + 1] - list[k]);
  return { k, share: Math.max(0, Math.min(1, share)) };
}

/* The shown node nearest to a place in metres. */
function nearest(field, x, y) {
  const c = between(field.is, field.stepX, (x - origin.x) / grid.dx_m);
  const r = between(field.js, field.stepY, (y - origin.y) / grid.dy_m);
  return { c: c.k + (c.share >= 0.5 ? 1 : 0), r: r.k + (r.share >= 0.5 ? 1 : 0) };
}
const nodeX = (field, c) => origin.x + field.is[c] * grid.dx_m;
const nodeY = (field, r) => origin.y + field.js[r] * grid.dy_m;
const valueAt = (field, node) => field.values[node.r * field.columns + node.c];

/* Digits behind the point with which values are shown: those that the whole numbers of the page resolve. */
function decimalsOf(field) {
  const range = field.high - field.low;
  if (!(range > 0)) return 4;
  return Math.max(0, Math.min(12, (field.bytes === 3 ? 5 : 3) - Math.floor(Math.log10(range))));
}

/* The ends of a colour scale: temperatures that cannot be told apart have one between them, with the digits that can be told. */
function scaleOf({ low, high }) {
  const digits = Math.ceil(Math.log10(report.resolution_k));
  if (!(high > low) || high - low > report.resolution_k || !Number.isFinite(digits)) return { low, high };
  const middle = Number((Math.round((low + high) / 2 / 10 ** digits) * 10 ** digits).toPrecision(14));
  return { low: middle, high: middle };
}

function temperatureText(field, value) {
  if (!Number.isFinite(value)) return 'not finite';
  const size = Math.max(Math.abs(field.low), Math.abs(field.high)), range = field.high - field.low;
  const plain = size < 1e9 && (range > 1e-7 || range === 0);
  return `${plain ? fixed(value, decimalsOf(field)) : number(value, 10)}\u00a0${unit}`;
}

const allFields = JSON.parse(byId('page-fields').textContent);
const fields = allFields.fields.map(makeField);
const answer = fields[fields.length - 1];

/* Materials: of the cell between four shown nodes, or around each node in a layout of cells. */
const materials = allFields.materials && allFields.materials.names.length > 1
  ? { columns: allFields.materials.columns, rows: allFields.materials.rows, names: allFields.materials.names,
      index: unpack(allFields.materials.numbers, 1) }
  : null;

/* Edges of those cells in metres. */
function edges(list, spacing, length) {
  if (!inCells) return list.map((n) => n * spacing);
  const inner = list.slice(1).map((n, k) => ((n + list[k]) / 2 + 0.5) * spacing);
  return [0, ...inner, length];
}
const edgesX = edges(answer.is, grid.dx_m, extent.x);
const edgesY = edges(answer.js, grid.dy_m, extent.y);

/* The last place of an ascending list that is not above a number. */
function placeBelow(list, wanted) {
  let low = 0, high = list.length - 2;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (list[middle] <= wanted) low = middle; else high = middle - 1;
  }
  return low;
}

function materialAt(x, y) {
  if (!materials) return '';
  const index = materials.index[placeBelow(edgesY, y) * materials.columns + placeBelow(edgesX, x)];
  return index < materials.names.length ? materials.names[index] : 'another material';
}
