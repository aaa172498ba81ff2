// What is known of runs, as columns: what was run, what it cost, and figures: those kept with a run, and those computed.

import { DATA, typeName } from "./dom.js";

/** Columns that every run has. `form` says how values are written; what has an `interval` is drawn with it. */
const KNOWN_COLUMNS = [
  { key: "system", label: "system", form: "text", of: ({ row }) => row.label },
  { key: "corpus", label: "corpus", form: "text", of: ({ row }) => row.corpus },
  { key: "split", label: "split", form: "text", of: ({ row }) => row.split },
  { key: "leading", label: "leading figure", form: "percent", interval: true, of: (known) => known.leading },
  { key: "task", label: "mentions are", form: "text", of: ({ row }) => (row.state === "failed" ? "" : { given: "given", found: "found" }[row.task]) },
  { key: "kb", label: "KB", form: "text", of: ({ row }) => row.kb, brief: (kb) => kb.replace(/@.*/, "") },
  { key: "link", label: "link time", form: "seconds", of: ({ row }) => row.cost.link },
  { key: "memory", label: "peak memory", form: "bytes", of: ({ row }) => row.cost.memory },
  { key: "finished", label: "finished", form: "date", of: ({ row }) => row.finished },
  { key: "rate", label: "mentions/s", form: "rate", of: ({ row }) => row.cost.rate },
  { key: "index", label: "index time", form: "seconds", of: ({ row }) => row.cost.index },
  { key: "train", label: "training time", form: "seconds", of: ({ row }) => row.cost.train },
  { key: "cpu", label: "CPU time", form: "seconds", of: ({ row }) => row.cost.cpu },
  { key: "documents", label: "documents", form: "count", of: ({ row }) => row.documents },
  { key: "mentions", label: "mentions", form: "count", of: ({ row }) => row.mentions },
  { key: "leak", label: "trained on", form: "text", of: ({ row }) => row.leak },
  { key: "run", label: "run", form: "text", of: ({ row }) => row.run },
];
/** Those that are shown where nobody chose. */
const USUAL = ["system", "corpus", "split", "leading", "task", "kb", "link", "memory", "finished"];
/** What figures of systems that found mentions are called: of what they are, what they say, and those that are neither. */
const FOUND_AREAS = { all: "", entity: " without coreference", ner: " of spans", document: " of documents" };
const FOUND_NUMBERS = { p: "precision", r: "recall", f1: "F1", tp: "true positives", fp: "false positives", fn: "false negatives" };
const FOUND_WORDS = { disamb_accuracy: "disambiguation accuracy", disamb_errors: "wrong entities on right spans", disamb_total: "right spans", gold_nil: "NIL in gold" };
const FOUND_FORM = /^(all|entity|ner|document)_(macro_)?(p|r|f1|tp|fp|fn)$/;
/** Numbers of a category of errors. */
const CATEGORY_FORM = /^(.+)_(errors|total|rate)$/;
/** Of the many that one answer has of such systems, those that are shown at once; the others can be chosen. */
const FOUND_FIRST = ["all_f1", "all_p", "all_r", "ner_f1", "disamb_accuracy"];
const OF_FOUND = /^(?:all|ner|disamb|document|entity)_|^gold_nil$/;
const SHARE = /_(?:p|r|f1|accuracy)$/;
const WHOLE = /_(?:tp|fp|fn|errors|total)$|^matches\(|^lost in /;
const STEPS = /distance$/;
/** Of the many figures of how wrong is wrong, those that are shown at once. */
const HIERARCHY_FIRST = /^(?:accuracy|coverage|specificity|f1\(accepted=exact\+underspecific\))$/;

export function runId({ corpus, run }) {
  return `${corpus}/${run}`;
}

/** A run as a reader knows it. */
export function runName({ row }) {
  return `${row.corpus}/${row.label}`;
}

/** A measure in words: "F1", "recall@1", "wrong entity: demonym, rate". */
export function measureWords(measure) {
  if (Object.hasOwn(FOUND_WORDS, measure)) return FOUND_WORDS[measure];
  const [, area, macro, number] = FOUND_FORM.exec(measure) || [];
  if (area) return `${macro ? "macro " : ""}${FOUND_NUMBERS[number]}${FOUND_AREAS[area]}`;
  const [, category, what] = CATEGORY_FORM.exec(measure) || [];
  return category && Object.hasOwn(DATA.categories, category) ? `${DATA.categories[category]}, ${what === "total" ? "of" : what}` : measure;
}

/**
 * The figures of an answer, each as {run, measure, slice, set, preset, nil, under, hierarchy, v, low, high}; `under` is what
 * else was asked for: a scope, how spans or texts are compared. Rows are long, one for each figure,
 * or wide, one for each way of handling NIL; the latter are those kept with a run, which is `run`.
 */
function figuresOf(rows, run, preset) {
  return rows.flatMap((row) => {
    if ("measure" in row) {
      const { measure, slice = "all", set = "", preset: by = "", nil = "", under = "", spans = "", hierarchy = "", value: v = null, low, high } = row;
      return [{ run: `${row.corpus}/${row.run}`, measure, slice, set: set === "global" ? "" : set, preset: by, nil: nil.toLowerCase(),
        under: [under, spans && `spans ${spans}`].filter(Boolean).join(", "), hierarchy, v, low, high }];
    }
    const nil = (row.mode || "").toLowerCase();
    return Object.keys(row).filter((key) => SHARE.test(key)).map((measure) => ({
      run, measure, slice: "all", set: "", preset, nil, under: "", hierarchy: "", v: row[measure], low: row[`${measure}_low`], high: row[`${measure}_high`] }));
  });
}

/** The column of a figure: the same for both ways of handling NIL, of which one is shown. */
function figureKey({ measure, slice, set, preset, under = "", hierarchy = "" }) {
  return ["=" + measure, slice === "all" ? "" : slice, set, preset, under, hierarchy].join("|").replace(/\|+$/, "");
}

/** A slice as the command line has it, but a type that is an id by its name. */
function sliceWords(slice) {
  return slice.startsWith("type=") ? `type=${typeName(slice.slice("type=".length))}` : slice;
}

function figureColumn({ measure, slice, set, preset, under, hierarchy }) {
  const words = hierarchy && measure === "coverage" ? "exact or underspecific" : measureWords(measure); // coverage is another measure
  const label = [words, slice === "all" ? "" : sliceWords(slice), set, preset, under, hierarchy && `hierarchy ${hierarchy}`].filter(Boolean).join(", ");
  const whole = WHOLE.test(measure);
  return { label, form: whole ? "weight" : hierarchy && STEPS.test(measure) ? "decimal" : "percent", interval: !whole };
}

/**
 * What a table of runs is made of: the runs with their figures, and all columns that there are. `computed` are rows of
 * figures that were asked for, `nil` is the way of handling NIL that is shown.
 */
export function knownRuns(answer, computed, nil) {
  const known = answer.rows.map((row) => ({ id: runId(row), row, figures: new Map(), leading: { v: null, words: "" } }));
  const by = new Map(known.map((each) => [each.id, each]));
  const columns = new Map();
  const add = (figure, asked) => {
    const { run: of, measure, slice } = figure;
    const [run, found] = [by.get(of), OF_FOUND.test(measure)];
    if (!run || (figure.nil && figure.nil !== nil) || (found && slice !== "all" && !FOUND_FIRST.includes(measure))) return;
    const first = figure.hierarchy ? HIERARCHY_FIRST.test(measure) && !figure.set : !found || measure === "all_f1" || (slice === "all" && FOUND_FIRST.includes(measure));
    const fresh = asked && first;
    const key = figureKey(figure);
    if (!columns.has(key)) columns.set(key, { key, ...figureColumn(figure), fresh: false, of: (each) => each.figures.get(key) });
    columns.get(key).fresh ||= fresh;
    run.figures.set(key, figure);
  };
  for (const each of known) for (const figure of figuresOf(each.row.figures, each.id, each.row.leading?.preset || "")) add(figure, false);
  for (const figure of figuresOf(computed, "", "")) add(figure, true);
  for (const each of known) each.leading = leadingOf(each, nil);
  return { runs: known, columns: [...KNOWN_COLUMNS, ...columns.values()] };
}

/** What a run is ranked by: of a system that found mentions F1, with the preset and the way of handling NIL named. */
function leadingOf({ row, figures }, nil) {
  const { leading } = row;
  if (!leading) return { v: null, words: "" };
  if (row.task !== "found") return { v: leading.value, low: leading.low, high: leading.high, n: leading.n, words: leading.measure };
  const shown = figures.get(figureKey({ measure: leading.measure, slice: "all", set: "", preset: leading.preset || "" })) || { v: leading.value, low: leading.low, high: leading.high };
  return { v: shown.v, low: shown.low, high: shown.high, n: leading.n, words: [measureWords(leading.measure), leading.preset || "", `NIL ${nil}`].filter(Boolean).join(", ") };
}

/** A value of a column as a cell. */
export function cellFor(column, run) {
  const value = column.of(run);
  return value !== null && typeof value === "object" ? value : { v: value ?? null };
}

/** The columns to show: those chosen, else the usual ones but what groups are called by, and what was computed. */
export function shownColumns(columns, chosen, group) {
  const said = group === "corpus" ? ["corpus", "split"] : [];
  if (!chosen.length) {
    const usual = columns.filter(({ key }) => USUAL.includes(key) && !said.includes(key));
    const at = usual.findIndex(({ key }) => key === "leading") + 1;
    return [...usual.slice(0, at), ...columns.filter(({ fresh }) => fresh), ...usual.slice(at)];
  }
  return chosen.map((key) => columns.find((column) => column.key === key)).filter(Boolean);
}

/** What can be drawn; a moment is no length of a bar. */
export function numericColumns(columns, bars = false) {
  return columns.filter(({ form }) => form !== "text" && !(bars && form === "date"));
}

/** Whether a run passes the search: all words of a text, or a regular expression. An expression that is none is an error. */
export function runFilter({ find, regex, hide }) {
  const expression = regex && find ? new RegExp(find, "iu") : null;
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const hidden = new Set(hide);
  return ({ row }) => {
    if (hidden.has(row.label)) return false;
    const text = [row.name, row.corpus, row.split, row.label, row.kb, row.task, row.run].join(" ");
    return expression ? expression.test(text) : words.every((word) => text.toLowerCase().includes(word));
  };
}

const NATURAL = new Intl.Collator("en", { numeric: true });

/** In the order of a column ("-": the other way); without one by corpus and split, the best first. What has no value comes last. */
export function sortedRuns(runs, columns, sort) {
  const down = sort.startsWith("-");
  const column = columns.find(({ key }) => key === sort.replace(/^-/, ""));
  const by = (of, factor) => (a, b) => compared(of(a), of(b), factor);
  const rules = column ? [by((run) => cellFor(column, run).v, down ? -1 : 1)] : [];
  rules.push(by(({ row }) => row.corpus, 1), by(({ row }) => row.split, 1), by(({ leading }) => leading.v, -1), by(({ id }) => id, 1));
  return [...runs].sort((a, b) => rules.reduce((order, rule) => order || rule(a, b), 0));
}

function compared(x, y, factor) {
  const [noX, noY] = [x, y].map((value) => value === null || value === undefined || value === "");
  if (noX || noY) return Number(noX) - Number(noY);
  return factor * (typeof x === "number" && typeof y === "number" ? x - y : NATURAL.compare(String(x), String(y)));
}

/** Runs in groups by name; one group without a name where they are not grouped. */
export function groupedRuns(runs, group) {
  if (!group) return [["", runs]];
  const name = group === "system" ? ({ row }) => row.system : ({ row }) => `${row.corpus}, ${row.split}`;
  return [...Map.groupBy(runs, name)].sort(([a], [b]) => NATURAL.compare(a, b));
}
