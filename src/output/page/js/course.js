'use strict';
/* Over time: the slider over the snapshots, and the curves of what was recorded. */

const transient = report.transient;
const timeLengths = timeUnit(transient ? transient.time_s : 0);
const timeText = (seconds) => `t = ${number(seconds * timeLengths.factor, 5)}\u00a0${timeLengths.name}`;
const courses = [];
let playing = 0;

function showMoment(k) {
  picture.field = fields[k];
  picture.cursor = picture.cursor && moved(picture.cursor, picture.shown, fields[k]);
  picture.shown = fields[k];
  byId('moment').value = k;
  byId('moment').setAttribute('aria-valuetext', timeText(fields[k].time));
  byId('moment-text').textContent = timeText(fields[k].time);
  byId('thinned').textContent = thinnedText();
  drawPicture();
  showReading();
  for (const course of courses) course(fields[k].time * timeLengths.factor);
}

/* The node of another field nearest to one of this. */
const moved = (node, from, to) => nearest(to, nodeX(from, node.c), nodeY(from, node.r));

function halt() {
  window.clearInterval(playing);
  playing = 0;
  byId('play').textContent = 'Play';
  byId('play').setAttribute('aria-pressed', 'false');
}

function play() {
  if (playing) { halt(); return; }
  const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
  const next = () => {
    const k = Number(byId('moment').value) + 1;
    if (k >= fields.length) halt(); else showMoment(k);
  };
  if (Number(byId('moment').value) === fields.length - 1) showMoment(0);
  playing = window.setInterval(next, calm ? 1500 : Math.max(120, Math.min(500, 6000 / fields.length)));
  byId('play').textContent = 'Stop';
  byId('play').setAttribute('aria-pressed', 'true');
}

function makeSlider() {
  if (fields.length < 2) return;
  byId('over-time').hidden = false;
  byId('moment').max = fields.length - 1;
  byId('moment').addEventListener('input', (event) => { halt(); showMoment(Number(event.target.value)); });
  byId('play').addEventListener('click', play);
  showMoment(fields.length - 1);
}

/* A chart over time, whose line stands at the moment that the slider shows. */
function addCourse(title, yLabel, curves) {
  const x = transient.series.time_s.map((t) => t * timeLengths.factor);
  const chart = { title, x, xLabel: `time (${timeLengths.name})`, yLabel, curves };
  const render = addChart(byId('course-charts'), chart);
  if (render) courses.push((now) => { chart.now = now; render(); });
}

/* Where a wall is suddenly hot or cold, the heat of the first moment would squeeze all that comes after to a line: of more
   than five times the rest it is told in words instead. */
function addHeat(times, surfaces) {
  const size = (values) => Math.max(0, ...values.filter(Number.isFinite).map(Math.abs));
  const rest = Math.max(0, ...surfaces.map(({ heat_w_m: heat }) => size(heat.slice(1))));
  const jumps = surfaces.filter(({ heat_w_m: heat }) => rest > 0 && Math.abs(heat[0]) > 5 * rest);
  const values = (surface) => (jumps.includes(surface) ? [null, ...surface.heat_w_m.slice(1)] : surface.heat_w_m);
  addCourse('Heat into the plate', 'W/m', surfaces.map((surface) => ({ name: surface.name, values: values(surface) })));
  const told = jumps.map(({ name, heat_w_m: heat }) => `${name} ${number(heat[0])}\u00a0W/m`).join(', ');
  if (told) byId('course-charts').append(make('p', { class: 'quiet' }, `Not drawn, at ${timeText(times[0])}: ${told}`));
}

function fillCourse() {
  const { series } = transient || {};
  if (!series || series.time_s.length < 2) return;
  const most = 16;
  const probes = series.probes.slice(0, most).map((probe) => ({ name: probe.name, values: probe.temperature_k }));
  const surfaces = series.surfaces.filter((surface) => surface.heat_w_m.some((heat) => heat !== 0)).slice(0, most);
  byId('course').hidden = false;
  addCourse('Probes', `Temperature (${unit})`, probes);
  addCourse('Whole plate', `Temperature (${unit})`, [{ name: 'highest', values: series.temperature_max_k },
    { name: 'mean', values: series.temperature_mean_k }, { name: 'lowest', values: series.temperature_min_k }]);
  addHeat(series.time_s, surfaces);
  const notes = [];
  if (page.counts.probes > most) notes.push(`the first ${most} of ${page.counts.probes} probes`);
  if (page.counts.times > series.time_s.length) notes.push(`${series.time_s.length} of ${page.counts.times} times`);
  const told = `Shown are ${notes.join(' and ')}; all are in series.csv, if the run wrote it.`;
  if (notes.length) byId('course-charts').append(make('p', { class: 'quiet' }, told));
}
