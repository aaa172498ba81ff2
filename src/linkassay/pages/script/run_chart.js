// A chart of runs: any number against any other as points, or one number as bars. It is a Vega-Lite description, which is
// drawn where all charts are.

import { chart } from "./charts.js";
import { DATA, h } from "./dom.js";
import { intervalText, numberText } from "./number_texts.js";
import { cellFor, runName } from "./run_columns.js";
import { copyButtons } from "./run_table.js";

const TEXTS = { labelFontSize: 13, titleFontSize: 13, titleFontWeight: "normal" };
/** As the charts of the report look. */
const CHART_CONFIG = {
  background: null, view: { stroke: null },
  axis: { labelColor: "var(--soft)", titleColor: "var(--soft)", gridColor: "var(--line)", domain: false, ticks: false, ...TEXTS, labelPadding: 7, titlePadding: 8, domainColor: "var(--strong-line)" },
  axisY: { labelLimit: 260 }, text: { fontSize: 13 }, point: { filled: true, opacity: 1 }, rule: { strokeWidth: 2, opacity: 0.5 },
};
/** Numbers of a form are drawn in these units; what lasts or weighs very unlike, on a scale of powers. */
const UNITS = { percent: [100, ", %"], seconds: [1, ", s"], bytes: [1e-6, ", MB"], rate: [1, ""], count: [1, ""], weight: [1, ""], decimal: [1, ""], date: [1000, ""] };
const SPREAD = 30; // how much more the largest is than the smallest where powers show more
const TIME_WORDS = "datum.value < 1 ? format(1000 * datum.value, '~r') + ' ms' : format(datum.value, '~r') + ' s'";
const THICK = 26; // of a bar with its gap

function unit(column) {
  return UNITS[column.form];
}

/** Colour and shape of the systems that are shown: those of all tables. */
function looks(systems) {
  const known = systems.map((system) => DATA.looks[DATA.systems.indexOf(system)] || [null, "circle"]);
  const scale = (range) => ({ field: "system", type: "nominal", legend: null, scale: { domain: systems, range } });
  return { color: scale(known.map(([hue]) => (hue === null ? "var(--soft)" : `var(--s${hue})`))), shape: scale(known.map(([, shape]) => shape)) };
}

/** How a column is put on an axis; bars begin at zero, so that there are no powers for them. */
function axis(column, field, values, bars = false) {
  const [, words] = unit(column);
  const positive = values.filter((value) => value > 0);
  const log = !bars && ["seconds", "bytes", "rate"].includes(column.form) && positive.length === values.length && Math.max(...values) > SPREAD * Math.min(...values);
  const marks = log ? roundPowers(Math.min(...values), Math.max(...values)) : [];
  const times = log && column.form === "seconds"; // a thousandth is no "m": that would be a minute
  return { field, type: column.form === "date" ? "temporal" : "quantitative", title: times ? column.label : column.label + words,
    scale: log ? { type: "log", domain: [marks[0], marks.at(-1)] } : { nice: true, ...(column.form === "date" ? {} : { zero: bars }) },
    axis: { labelOverlap: true, ...(log ? { values: marks, format: "~s", ...(times ? { labelExpr: TIME_WORDS } : {}) } : { tickCount: 6 }) } };
}

/** Round numbers from `low` or below to `high` or above: 1, 2, 5, 10 … if these are near, else 1, 3, 10, or powers of ten alone. */
export function roundPowers(low, high) {
  const bases = high < 12 * low ? [1, 2, 5] : high < 1e4 * low ? [1, 3] : [1];
  const steps = Array.from({ length: 40 }, (_, at) => at - 15).flatMap((power) => bases.map((base) => Number(`${base}e${power}`)));
  return steps.slice(steps.findLastIndex((step) => step <= low), steps.findIndex((step) => step >= high) + 1);
}

/** What is drawn: each run that has both numbers. */
function points(runs, x, y, linked) {
  const place = (column, cell) => (cell.v === null || cell.v === undefined ? null : cell.v * unit(column)[0]);
  const said = (column, cell) => `${column.label} ${numberText(column.form, cell.v)}${column.interval && intervalText(column.form, cell) ? ` (${intervalText(column.form, cell)})` : ""}`;
  const names = runs.map(({ row }) => `${row.label} · ${row.corpus}, ${row.split}`);
  return runs.map((run, at) => {
    const name = names.indexOf(names[at]) === names.lastIndexOf(names[at]) ? names[at] : `${names[at]}, ${run.row.run}`;
    const [across, up] = [x, y].map((column) => (column ? cellFor(column, run) : { v: 0 }));
    const ends = { low: up.low ?? up.v, high: up.high ?? up.v };
    return { run: run.id, name, system: run.row.label, x: x ? place(x, across) : 0, y: place(y, up),
      low: place(y, { v: ends.low }), high: place(y, { v: ends.high }), link: linked(y, run) || "",
      tip: [runName(run), ...(x ? [said(x, across)] : []), said(y, up)].join(", ") };
  }).filter((point) => point.x !== null && point.y !== null);
}

export function chartSpec(runs, { x, y, mark, linked }) {
  const data = points(runs, mark === "bar" ? null : x, y, linked);
  const systems = [...new Set(data.map(({ system }) => system))];
  const look = looks(systems);
  const reached = { description: { field: "tip" }, ...(data.some(({ link }) => link) ? { href: { field: "link", type: "nominal" } } : {}) };
  const up = axis(y, "y", data.flatMap((point) => [point.y, point.low, point.high]), mark === "bar");
  if (mark === "bar") {
    const down = { field: "name", type: "nominal", sort: data.map(({ name }) => name), title: null, axis: { labelColor: "var(--ink)" } };
    return { data: { values: data }, height: THICK * data.length, layer: [
      { mark: { type: "bar", size: THICK - 10 }, encoding: { y: down, x: up, color: look.color, ...reached } },
      ...(y.interval ? [{ mark: { type: "rule", aria: false, color: "var(--ink)" }, encoding: { y: down, x: { ...up, field: "low" }, x2: { field: "high" } } }] : []),
    ] };
  }
  const across = axis(x, "x", data.map((point) => point.x));
  return { data: { values: data }, height: 420, layer: [
    ...(y.interval ? [{ mark: { type: "rule", aria: false }, encoding: { x: across, y: { ...up, field: "low" }, y2: { field: "high" }, color: look.color } }] : []),
    { mark: { type: "point", size: 130 }, encoding: { x: across, y: up, ...look, ...reached } },
  ] };
}

/** The chart, and its numbers as a table to copy. */
export function runChart(runs, { x, y, mark, linked }) {
  const title = mark === "bar" ? `${y.label} of each run` : `${y.label} against ${x.label}`;
  const columns = [{ label: "run", form: "text" }, ...(mark === "bar" ? [] : [x]), y];
  const spec = { padding: 2, config: CHART_CONFIG, ...chartSpec(runs, { x, y, mark, linked }) };
  const shown = spec.data.values.map(({ run }) => runs.find(({ id }) => id === run));
  if (!shown.length) return h("p", { class: "empty" }, "No run that is shown has these numbers.");
  const systems = [...new Set(shown.map(({ row }) => row.label))];
  const numbers = () => [columns, shown.map((run) => [{ v: runName(run) }, ...columns.slice(1).map((column) => cellFor(column, run))])];
  return h("div", { class: "run-chart" }, chart({ kind: "chart", alt: title, systems, spec, numbers }, ""),
    h("p", { class: "fine" }, `${shown.length} of ${runs.length} runs have ${mark === "bar" ? "this number" : "both numbers"}.`),
    copyButtons(title, numbers));
}
