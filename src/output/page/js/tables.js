'use strict';
/* Tables and lists of words and numbers. */

/* rows: arrays of texts and numbers; the first cell of each names it. */
function table(caption, heads, rows, note) {
  const isNumber = (column) => rows.every((row) => typeof row[column] === 'number' || row[column] === null);
  const sides = heads.map((_, column) => (column > 0 && isNumber(column) ? { class: 'number' } : {}));
  const cell = (value, column) => make(column ? 'td' : 'th', column ? sides[column] : { scope: 'row' },
    typeof value === 'number' || value === null ? number(value, 7) : value);
  return make('div', { class: 'wide' }, make('table', null, make('caption', null, caption),
    make('thead', null, make('tr', null,
      ...heads.map((head, column) => make('th', { scope: 'col', ...sides[column] }, head)))),
    make('tbody', null, ...rows.map((row) => make('tr', null, ...row.map(cell))))),
    note ? make('p', { class: 'quiet' }, note) : null);
}

/* "The first 200 of 5000; all are in probes.csv." */
const cutNote = (shown, all, file) =>
  (shown < all ? `The first ${shown} of ${all}; all are in ${file}, if the run wrote it.` : null);

/* The report's words with the signs that a terminal may lack. */
const typeset = (text) => text.replace(/<=/g, '\u2264').replace(/\bm2\b/g, 'm\u00b2')
  .replace(/(^| )-(?=\d)/g, '$1\u2212')
  .replace(/(\d)e([-+]\d+)/g, (_, digit, exponent) => `${digit}\u00a0\u00d7\u00a010${raised(Number(exponent))}`)
  .replace(/\bdegC\b/g, '\u00b0C');

/* Pairs [label, text] as a list; an empty label goes on with the pair before. */
function fillRows(list, rows) {
  for (const [what, text] of rows) {
    if (what) list.append(make('dt', null, what));
    list.append(make('dd', what ? null : { class: 'more' }, typeset(text)));
  }
}

function surfaceTable() {
  const rows = report.surfaces.map((s) => [s.name, s.side || '\u2013', s.kind, s.heat_w_m, s.heat_mean_w_m2]);
  const heads = ['wall or shape', 'side', 'kind', 'heat, W/m', 'mean, W/m\u00b2'];
  return table('Heat into the plate', heads, rows, cutNote(rows.length, page.counts.surfaces, 'heat.csv'));
}

function probeTables(parent) {
  const points = report.probes.filter((probe) => typeof probe.x_m === 'number');
  const lines = report.probes.filter((probe) => Array.isArray(probe.x_m));
  const note = cutNote(report.probes.length, page.counts.probes, 'probes.csv and report.json');
  if (points.length) parent.append(table('Probes', ['probe', 'x, m', 'y, m', `temperature, ${unit}`],
    points.map((p) => [p.name, p.x_m, p.y_m, p.temperature_k]), note));
  if (!lines.length) return;
  parent.append(table('Lines', ['line', `lowest, ${unit}`, `highest, ${unit}`],
    lines.map((p) => [p.name, Math.min(...p.temperature_k), Math.max(...p.temperature_k)]),
    points.length ? null : note));
  for (const line of lines.slice(0, 12))
    addChart(parent, { title: `Along ${line.name}`, x: line.distance_m, xLabel: 'distance (m)',
      yLabel: `Temperature (${unit})`, curves: [{ name: line.name, values: line.temperature_k }] });
}

function fillTables() {
  const parent = byId('tables');
  if (report.surfaces.length) parent.append(surfaceTable());
  if (report.shapes.length) parent.append(table('Shapes', ['shape', 'heat out through its outline, W/m'],
    report.shapes.map((s) => [s.name, s.heat_out_w_m]),
    cutNote(report.shapes.length, page.counts.shapes, 'report.json')));
  if (report.materials.length) parent.append(table('Materials',
    ['material', 'area, m\u00b2', `mean, ${unit}`, `lowest, ${unit}`, `highest, ${unit}`],
    report.materials.map((m) => [m.name, m.area_m2, m.mean_k, m.min_k, m.max_k]),
    cutNote(report.materials.length, page.counts.materials, 'materials.csv')));
  probeTables(parent);
}

/* --- the configuration --------------------------------------------------------------------------- */

/* What a key means is told where the first section of its kind has it. */
const explained = new Set();
function meaningOf(name, given) {
  const [facts, help] = page.configuration.meanings[name];
  const known = explained.has(name);
  if (given) explained.add(name);
  if (known) return make('td');
  return make('td', null, help, make('br', { class: 'facts' }), make('small', { class: 'facts' }, facts));
}

/* The unit behind a number; words, formulas and tables have none. Tolerances are differences, in K whatever the unit. */
function unitOf(name, value) {
  const of = page.configuration.meanings[name][2];
  if (!of || value === '' || Number.isNaN(Number(value))) return null;
  return make('small', null, ` ${of === 'K' && !name.endsWith('tolerance') ? unit : of.replace(/m2/g, 'm\u00b2').replace(/m3/g, 'm\u00b3')}`);
}

function keyRow(section, [key, value, from]) {
  const name = `${section.kind}${section.named ? ' NAME' : ''}.${key}`;
  const given = from === 'file' || from === 'option';
  const words = { option: ' (command line)', default: ' (default)' };
  const source = from in words ? make('small', null, words[from]) : null;
  return make('tr', { class: given ? 'given' : 'unset' }, make('th', { scope: 'row' }, make('code', null, key)),
    make('td', null, value === '' ? '\u2013' : make('code', null, value), unitOf(name, value), source),
    meaningOf(name, given));
}

function sectionTable(section) {
  const { configuration } = page;
  const given = section.keys.some(([, , from]) => from === 'file' || from === 'option');
  const heads = ['key', 'value', 'meaning'].map((head) => make('th', { scope: 'col' }, head));
  const kind = section.kind + (section.named ? ' NAME' : '');
  const told = explained.has(kind);
  if (given) explained.add(kind);
  return make('div', { class: given ? '' : 'unset-section' }, make('table', null,
    make('caption', null, make('code', null, `[${section.title}]`),
      told ? null : make('small', null, configuration.kinds[kind])),
    make('colgroup', null, make('col', { style: 'width:22%' }), make('col', { style: 'width:28%' }), make('col')),
    make('thead', { class: 'hidden' }, make('tr', null, ...heads)),
    make('tbody', null, ...section.keys.map((key) => keyRow(section, key)))));
}

function fillConfiguration() {
  const { configuration } = page;
  const holder = byId('sections');
  const tables = configuration.sections.map(sectionTable);
  const show = (all) => {
    holder.classList.toggle('all', all);
    for (const part of tables) part.hidden = !all && part.className === 'unset-section';
  };
  holder.append(...tables);
  if (configuration.left_out)
    holder.append(make('p', { class: 'quiet' }, `${configuration.left_out} more sections are not shown here.`));
  byId('all-keys').addEventListener('change', (event) => show(event.target.checked));
  show(false);
  byId('source-text').textContent = configuration.text[0];
  byId('source').hidden = configuration.text[0] === '';
}
