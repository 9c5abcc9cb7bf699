'use strict';
/* The page's numbers, and what all parts of the page use: elements, numbers as text, ticks. Texts of users reach the
   document as text nodes and attributes only. */

const page = JSON.parse(document.getElementById('page-data').textContent);
const report = page.report;
const unit = ({ degC: '\u00b0C', degF: '\u00b0F' })[report.temperature_unit] || report.temperature_unit;

const byId = (id) => document.getElementById(id);

function add(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const make = (tag, attributes, ...children) => add(document.createElement(tag), attributes, children);
const draw = (tag, attributes, ...children) =>
  add(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);

/* A text in a drawing; turned: it reads upwards. */
const label = (x, y, anchor, text, turned = false) =>
  draw('text', { 'text-anchor': anchor, ...(turned ? { transform: `translate(${x} ${y}) rotate(-90)` } : { x, y }) }, text);

/* A number with so many digits, without zeros at its end; a true minus sign. */
function number(value, digits = 6) {
  if (value === null || !Number.isFinite(value)) return '\u2013';
  const plain = Number(value.toPrecision(digits));
  const size = Math.abs(plain);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? scientific(plain, digits) : String(plain);
  return text.replace('-', '\u2212');
}

/* An integer as an exponent. */
const RAISED = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';
const raised = (integer) => [...String(integer)].map((c) => (c === '-' ? '\u207b' : RAISED[c])).join('');

/* 1.5 x 10^-6 */
function scientific(value, digits) {
  const [mantissa, exponent] = value.toExponential().split('e');
  return `${Number(Number(mantissa).toPrecision(digits))}\u00a0\u00d7\u00a010${raised(Number(exponent))}`;
}

/* A number with so many digits behind the point. */
const fixed = (value, decimals) => value.toFixed(decimals).replace('-', '\u2212');

/* The step of 1, 2, 2.5 or 5 times a power of ten that divides a range into about `wanted` parts. */
function niceStep(range, wanted) {
  const rough = range / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].map((m) => m * power).find((step) => step >= rough * 0.999);
}

/* Round numbers from low to high, which may be a little off. */
function ticks(low, high, wanted) {
  if (!(high > low)) return [low];
  const step = niceStep(high - low, wanted);
  const end = high + 1e-6 * (high - low);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= end && list.length < 100; k++) list.push(k * step);
  return list;
}

/* Ticks as texts with equally many digits behind the point. */
function tickTexts(values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(values[0]) || 1;
  const size = Math.max(...values.map(Math.abs), step);
  if (size >= 1e7 || step < 1e-6) return values.map((v) => number(Math.abs(v) < 1e-9 * size ? 0 : v, 8));
  let decimals = 0;
  while (decimals < 12 && Math.abs(step - Number(step.toFixed(decimals))) > 1e-6 * step) decimals++;
  return values.map((v) => fixed(Math.abs(v) < 1e-9 * size ? 0 : v, decimals));
}

/* The unit in which a length up to `longest` metres is told. */
function lengthUnit(longest) {
  const units = [[1e4, 1e-3, 'km'], [0.1, 1, 'm'], [1e-4, 1e3, 'mm'], [1e-7, 1e6, '\u00b5m'], [1e-10, 1e9, 'nm']];
  const [, factor, name] = (longest < 1e8 && units.find(([from]) => longest >= from)) || [0, 1, 'm'];
  return { factor, name };
}

/* The unit in which times up to `longest` seconds are told. */
function timeUnit(longest) {
  if (longest >= 3 * 86400) return { factor: 1 / 86400, name: 'd' };
  if (longest >= 3 * 3600) return { factor: 1 / 3600, name: 'h' };
  return longest >= 600 ? { factor: 1 / 60, name: 'min' } : { factor: 1, name: 's' };
}

/* What is drawn anew when the page gets another width. */
const drawings = [];
let drawnWidth = 0;
function redraw() {
  const width = document.documentElement.clientWidth;
  if (width === drawnWidth) return;
  drawnWidth = width;
  for (const drawing of drawings) drawing();
}
