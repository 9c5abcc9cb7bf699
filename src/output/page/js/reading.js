'use strict';
/* Reading the field: the pointer, the keyboard, what they say. */

/* "21.5 degC at x = 0.1 m, y = 0.2 m, brick": what is read at the cursor. */
function showReading() {
  const { field, cursor } = picture;
  const place = byId('reading');
  if (!cursor) { place.replaceChildren(); return; }
  const x = nodeX(field, cursor.c), y = nodeY(field, cursor.r);
  const { factor, name } = lengthUnit(Math.max(extent.x, extent.y));
  const material = materialAt(x, y);
  const told = [`x = ${number(x * factor, 7)}\u00a0${name}`, `y = ${number(y * factor, 7)}\u00a0${name}`, material];
  place.replaceChildren(make('strong', null, temperatureText(field, valueAt(field, cursor))),
    ` at ${told.filter((part) => part !== '').join(', ')}`);
}

function moveCursor(node) {
  const { field } = picture;
  picture.cursor = node && {
    c: Math.max(0, Math.min(field.columns - 1, node.c)), r: Math.max(0, Math.min(field.rows - 1, node.r)),
  };
  drawCursor();
  showReading();
}

/* The node with the lowest (sign 1) or the highest (sign -1) temperature. */
function extremeNode(sign) {
  const { field } = picture;
  let best = -1;
  field.values.forEach((value, k) => {
    if (!Number.isNaN(value) && (best < 0 || sign * value < sign * field.values[best])) best = k;
  });
  return best < 0 ? null : { c: best % field.columns, r: Math.floor(best / field.columns) };
}

function middleNode() {
  return { c: Math.floor(picture.field.columns / 2), r: Math.floor(picture.field.rows / 2) };
}

function readPointer(event) {
  const frame = event.currentTarget.getBoundingClientRect();
  const x = ((event.clientX - frame.left) / frame.width) * extent.x;
  const y = (1 - (event.clientY - frame.top) / frame.height) * extent.y;
  moveCursor(nearest(picture.field, Math.max(0, Math.min(extent.x, x)), Math.max(0, Math.min(extent.y, y))));
}

function readKey(event) {
  const step = event.shiftKey ? 10 : 1;
  const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowDown: [0, -step], ArrowUp: [0, step] };
  const from = picture.cursor || middleNode();
  if (event.key in moves) moveCursor({ c: from.c + moves[event.key][0], r: from.r + moves[event.key][1] });
  else if (event.key === 'Home' || event.key === 'End') moveCursor(extremeNode(event.key === 'Home' ? 1 : -1));
  else if (event.key === 'Escape') moveCursor(null);
  else return;
  event.preventDefault();
}

function makeReadable() {
  const canvas = byId('field');
  canvas.addEventListener('pointermove', readPointer);
  canvas.addEventListener('pointerdown', readPointer);
  canvas.addEventListener('keydown', readKey);
  canvas.addEventListener('focus', () => {
    if (!picture.cursor && canvas.matches(':focus-visible')) moveCursor(middleNode());
  });
  const low = number(report.temperature_min_k), high = number(report.temperature_max_k);
  const { factor, name } = lengthUnit(Math.max(extent.x, extent.y));
  const size = `${number(extent.x * factor)} by ${number(extent.y * factor)} ${name}`;
  canvas.setAttribute('aria-label', `Temperature from ${low} to ${high} ${unit} over ${size}`);
}

/* --- controls ------------------------------------------------------------------------------------ */

/* The extremes of all fields on the page, or the configured range. */
function ownRange() {
  const lows = fields.map((field) => field.low), highs = fields.map((field) => field.high);
  return scaleOf({ low: Math.min(...lows, report.temperature_min_k), high: Math.max(...highs, report.temperature_max_k) });
}

function setRange(low, high) {
  picture.low = low;
  picture.high = high;
  const decimals = decimalsOf({ low, high, bytes: 3 });
  byId('low').value = Number(low.toFixed(decimals));
  byId('high').value = Number(high.toFixed(decimals));
}

function readRange() {
  const low = byId('low').valueAsNumber, high = byId('high').valueAsNumber;
  const good = Number.isFinite(low) && Number.isFinite(high) && low < high;
  for (const id of ['low', 'high']) byId(id).setCustomValidity(good ? '' : 'The range must begin below its end.');
  if (!good) { byId('high').reportValidity(); return; }
  picture.low = low;
  picture.high = high;
  drawPicture();
}

function makeControls() {
  const own = ownRange();
  const { low, high } = page.picture;
  setRange(low === null ? own.low : low, high === null ? own.high : high);
  byId('colormap').append(...Object.keys(knots).map((name) => make('option', { value: name }, name)));
  byId('colormap').value = picture.map;
  byId('colormap').addEventListener('change', (event) => { picture.map = event.target.value; drawPicture(); });
  for (const id of ['low', 'high']) byId(id).addEventListener('change', readRange);
  byId('own-range').addEventListener('click', () => { setRange(own.low, own.high); drawPicture(); });
  byId('this-range').hidden = fields.length < 2;
  byId('this-range').addEventListener('click', () => {
    const { low: coldest, high: hottest } = scaleOf(picture.field);
    setRange(coldest, hottest);
    drawPicture();
  });
  byId('isotherms').checked = picture.isotherms;
  byId('isotherms').addEventListener('change', (event) => { picture.isotherms = event.target.checked; drawPicture(); });
  byId('outlines-label').hidden = !materials;
  byId('outlines').addEventListener('change', (event) => { picture.outlines = event.target.checked; drawPicture(); });
  byId('controls').addEventListener('submit', (event) => event.preventDefault());
}

/* --- what is left out ---------------------------------------------------------------------------- */

/* "3rd column", or "column" where all are meant. */
function everyText(step, what) {
  const end = step % 100 > 10 && step % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][step % 10] || 'th';
  return step > 1 ? `${step}${end}${what && ` ${what}`}` : what;
}

function thinnedText() {
  const { stepX, stepY, high, low } = picture.field;
  const all = `${grid.nx} \u00d7 ${grid.ny} nodes`;
  const decimals = decimalsOf(picture.field);
  const parts = [];
  if (stepX > 1 && stepX === stepY) parts.push(`This page holds every ${everyText(stepX, '')} of ${all}`);
  else if (stepX > 1 || stepY > 1)
    parts.push(`This page holds every ${everyText(stepX, 'column')} and every ${everyText(stepY, 'row')} of ${all}`);
  else parts.push(`All ${all}`);
  const scale = scaleOf(picture.field);
  if (high > low && scale.high === scale.low)
    parts.push(`all temperatures are the same within ${number(report.resolution_k, 2)} K`);
  else if (high > low) parts.push(`temperatures are read to ${fixed(10 ** -decimals, decimals)} ${unit}`);
  if (page.counts.times > fields.length && fields.length > 1)
    parts.push(`${fields.length} of ${page.counts.times} snapshots are here`);
  const whole = stepX > 1 || stepY > 1 ? ' Extremes, probes and heat flows are those of the whole field.' : '';
  const times = picture.box ? picture.box.stretched : 1;
  const stretched = times > 1.05 ? ` The short side is drawn ${number(times, 3)} times too long.` : '';
  return `${parts.join('; ')}.${whole}${stretched}`;
}
