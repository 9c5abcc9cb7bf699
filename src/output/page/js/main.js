'use strict';
/* Puts the page together. */

const verdicts = { converged: 'good', completed: 'good', stagnated: 'warn', interrupted: 'warn' };

function fillTrust() {
  const [stop, ...method] = page.rows.stop;
  const verdict = byId('verdict');
  const warnings = [...report.warnings, ...page.doubts];
  const kind = verdicts[report.status] || 'bad';
  verdict.textContent = stop[1].charAt(0).toUpperCase() + stop[1].slice(1);
  verdict.className = `verdict ${kind === 'good' && warnings.length ? 'warn' : kind}`;
  byId('warnings').append(...warnings.map((text) => make('li', null, `Warning: ${text}.`)));
  byId('warnings').hidden = warnings.length === 0;
  fillRows(byId('heat-rows'), page.rows.heat.filter(([what]) => what !== 'balance'));
  const balance = page.rows.heat.filter(([what]) => what === 'balance');
  fillRows(byId('trust-rows'), [...method, ...page.rows.norms, ...balance]);
}

function fillExtremes() {
  const entries = [['lowest', report.temperature_min_k], ['highest', report.temperature_max_k],
    ['mean', report.temperature_mean_k], ['at the centre', report.center_temperature_k]];
  byId('extremes').append(...entries.map(([what, value]) =>
    make('div', null, make('dt', null, what), make('dd', null, `${number(value, 7)}\u00a0${unit}`))));
}

function fillDrawing() {
  byId('problem').hidden = !page.drawing;
  if (!page.drawing) return;
  const alt = `Drawing of the problem: materials, walls, sources and probes on ${grid.nx} by ${grid.ny} nodes`;
  byId('drawing').append(make('img', { src: page.drawing, alt }));
}

function fillConvergence() {
  if (!page.history || page.history.sweeps.length === 0) return;
  const cycles = report.cycles !== null;
  const { history } = page;
  const names = { update_l2: 'update, 2-norm (K)', update_max: 'update, largest (K)', residual_relative: 'residual, relative',
    error_estimate: 'estimated error (K)' };
  const curves = Object.entries(names).map(([key, name]) => ({ name, values: history[key] }));
  byId('convergence').hidden = false;
  addChart(byId('convergence-chart'), { title: 'What the stop test looked at', x: history.sweeps, yLabel: 'K, or relative',
    xLabel: cycles ? 'cycles' : 'sweeps', log: true, curves,
    levels: [{ name: `tolerance of ${report.criterion}`, value: report.tolerance }] });
}

async function copyCommand() {
  const button = byId('copy');
  const range = document.createRange();
  range.selectNodeContents(byId('command'));
  try {
    await navigator.clipboard.writeText(page.command);
  } catch (refused) { /* a browser that does not let files use the clipboard */
    window.getSelection().removeAllRanges();
    window.getSelection().addRange(range);
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; }, 2000);
}

function fillAgain() {
  byId('command').textContent = page.command;
  byId('command-needs').textContent = page.command_needs;
  byId('copy').addEventListener('click', copyCommand);
  const links = report.files.map((name) => make('a', { href: encodeURIComponent(name) }, name));
  fillRows(byId('run-rows'), page.rows.run);
  if (links.length) byId('run-rows').append(make('dt', null, 'files beside this page'),
    make('dd', null, ...links.flatMap((link, k) => (k ? [', ', link] : [link]))));
  byId('origin').textContent = `${report.config}, started ${report.started_utc.replace('T', ' ').replace('Z', ' UTC')}`;
  byId('provenance').textContent = `Made by heatsolve ${report.version} from ${report.config}. ` +
    'The numbers come with full precision in report.json and field.h5.';
}

fillTrust();
fillExtremes();
makeControls();
makeReadable();
fillCourse();
makeSlider();
fillTables();
fillConvergence();
fillConfiguration();
fillAgain();
drawings.push(() => { drawPicture(); byId('thinned').textContent = thinnedText(); });
fillDrawing();
redraw();
window.addEventListener('resize', redraw);
