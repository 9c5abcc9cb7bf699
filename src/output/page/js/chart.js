'use strict';
/* Line charts in SVG. */

const CHART_HEIGHT = 300;

/* Positions of a logarithmic axis: powers of ten, every n-th where there are many. */
function decades(low, high) {
  const from = Math.floor(Math.log10(low) + 1e-9), to = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9));
  const step = Math.ceil((to - from) / 8);
  const list = [];
  for (let k = from; k <= to; k += step) list.push(k);
  return { from, to, list };
}
const power = (k) => (k === 0 ? '1' : scientific(10 ** k, 1).replace(/^1\u00a0\u00d7\u00a0/, ''));

/* What is drawn of a curve: pairs that have a place on the axes. */
const drawable = (chart, curve) => chart.x.map((x, k) => [x, curve.values[k]])
  .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!chart.log || y > 0));

/* The scale of the vertical axis: place from 0 to 1, and ticks with their texts. */
function verticalScale(chart) {
  const all = chart.curves.flatMap((curve) => drawable(chart, curve).map(([, y]) => y))
    .concat((chart.levels || []).map((level) => level.value));
  const low = Math.min(...all), high = Math.max(...all);
  if (chart.log) {
    const { from, to, list } = decades(low, high);
    return { place: (v) => (Math.log10(v) - from) / (to - from), ticks: list.map((k) => [10 ** k, power(k)]) };
  }
  const room = high > low ? 0.04 * (high - low) : Math.abs(high) * 0.01 || 1;
  const bottom = low - room, top = high + room;
  const values = ticks(bottom, top, 6);
  const texts = tickTexts(values);
  return { place: (v) => (v - bottom) / (top - bottom), ticks: values.map((v, k) => [v, texts[k]]) };
}

function chartFrame(chart, box, scale, xTicks) {
  const group = draw('g');
  for (const [value, text] of scale.ticks) {
    const y = box.y(value);
    group.append(draw('path', { class: 'grid', d: `M${box.left} ${y}h${box.w}` }), label(box.left - 8, y + 4.5, 'end', text));
  }
  tickTexts(xTicks).forEach((text, k) => {
    const x = box.x(xTicks[k]);
    group.append(draw('path', { class: 'axis', d: `M${x} ${box.bottom}v5` }), label(x, box.bottom + 19, 'middle', text));
  });
  group.append(draw('path', { class: 'axis', d: `M${box.left} ${box.top}V${box.bottom}H${box.left + box.w}` }),
    label(box.left + box.w / 2, box.bottom + 40, 'middle', chart.xLabel),
    label(13, (box.top + box.bottom) / 2, 'middle', chart.yLabel, true));
  return group;
}

const colourOf = (k) => `var(--curve-${k % 8})`;
const dashOf = (k) => ['none', '7 4', '2 3'][Math.floor(k / 8) % 3];

function curvePath(chart, curve, box, k) {
  const points = drawable(chart, curve).map(([x, y]) => [box.x(x).toFixed(1), box.y(y).toFixed(1)]);
  const style = { class: 'mark', style: `stroke:${colourOf(k)}`, 'stroke-dasharray': dashOf(k) };
  if (points.length > 1) return draw('path', { ...style, d: `M${points.map((point) => point.join(' ')).join('L')}` });
  return draw('g', null, ...points.map(([cx, cy]) => draw('circle', { cx, cy, r: 3, style: `fill:${colourOf(k)}` })));
}

function chartPicture(chart, width) {
  const scale = verticalScale(chart);
  const left = 32 + 7.6 * Math.max(...scale.ticks.map(([, text]) => text.replace(/\u00a0/g, '').length));
  const xs = chart.x.filter(Number.isFinite), from = Math.min(...xs), to = Math.max(...xs);
  const box = { left, top: 10, w: width - left - 18, bottom: CHART_HEIGHT - 50 };
  box.x = (x) => left + (to > from ? (x - from) / (to - from) : 0.5) * box.w;
  box.y = (y) => box.bottom - scale.place(y) * (box.bottom - box.top);
  const marks = (chart.levels || []).filter((level) => !chart.log || level.value > 0).map((level) =>
    draw('path', { class: 'now', d: `M${left} ${box.y(level.value)}h${box.w}` }));
  const now = Number.isFinite(chart.now) ? `M${box.x(chart.now)} ${box.top}V${box.bottom}` : '';
  const told = `${chart.title}: ${chart.yLabel} against ${chart.xLabel}`;
  return draw('svg', { class: 'chart', viewBox: `0 0 ${width} ${CHART_HEIGHT}`, role: 'img', 'aria-label': told },
    chartFrame(chart, box, scale, ticks(from, to, Math.max(2, box.w / 95))), ...marks, now && draw('path', { class: 'now', d: now }),
    ...chart.curves.map((curve, k) => curvePath(chart, curve, box, k)));
}

function legend(chart) {
  const entry = (style, name) => make('li', null, make('span', { style }), name);
  const line = (k) => `border-top-color:${colourOf(k)};border-top-style:${['solid', 'dashed', 'dotted'][Math.floor(k / 8) % 3]}`;
  return make('ul', { class: 'legend' },
    ...chart.curves.map((curve, k) => entry(line(k), curve.name)),
    ...(chart.levels || []).map((level) => entry('border-top: 2px dashed var(--quiet)', level.name)));
}

/* Adds a chart {title, x, xLabel, yLabel, log, curves: [{name, values}], levels: [{name, value}], now} to an element,
   if there is anything to draw. Gives a function that draws it anew. */
function addChart(parent, chart) {
  chart.curves = chart.curves.filter((curve) => drawable(chart, curve).length > 0);
  if (chart.curves.length === 0) return null;
  const holder = make('div');
  parent.append(make('h3', null, chart.title), holder, legend(chart));
  const render = () => holder.replaceChildren(chartPicture(chart, Math.max(280, Math.min(800, parent.clientWidth))));
  drawings.push(render);
  return render;
}
