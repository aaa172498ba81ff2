// The text of a document with its marks, a column for each system. A mark is a line below its text, at a level of its own
// where marks overlap, and a sign behind it, which is a button.

import { VERDICTS, lanesOf, segmentRows } from "./document_marks.js";
import { h, own, systemName } from "./dom.js";
import { entityWords } from "./entity_links.js";

/** What a mark comes to for a system, "" where there is nothing to show. */
export function verdictOf(mark, column) {
  return mark.answers[column]?.verdict || (mark.gold ? "unscored" : "");
}

function isError(verdict) {
  return Boolean(verdict) && VERDICTS[verdict][2];
}

/**
 * Which marks a column shows: those that pass the mode, the legend, the type and the category.
 * @param {any} state @param {number[]} columns
 */
export function passesIn({ mode, hidden, type, category }, columns) {
  return (mark, column) => {
    const verdict = verdictOf(mark, column);
    if (!verdict || hidden.has(verdict)) return false;
    if (type && !mark.type.split("|").includes(type)) return false;
    const others = columns.filter((other) => other !== column && isError(verdictOf(mark, other)));
    if (mode === "errors" && !isError(verdict)) return false;
    if (mode === "avoided" && (isError(verdict) || !others.length)) return false;
    if (mode === "differ" && columns.every((other) => verdictOf(mark, other) === verdict)) return false;
    const among = mode === "avoided" ? others : [column];
    return !category || among.some((other) => mark.answers[other]?.categories.includes(category));
  };
}

/** What a mark says aloud. */
export function markWords(mark, column, names) {
  const [word] = VERDICTS[verdictOf(mark, column)];
  const said = mark.answers[column]?.said;
  const listed = (ids) => ids.map((id) => entityWords(id, names)).join(", ");
  return [`${word}: “${mark.text}”.`, mark.gold === null ? "No gold mention." : `Gold: ${listed(mark.gold.flat()) || "NIL"}.`,
    said ? `Answer: ${listed(said) || "NIL"}.` : "No answer."].join(" ");
}

const AT_ONCE = 8000; // code points that are drawn before anything is shown; the rest follows
const SLICE = 12; // milliseconds of drawing between two moments for whatever else there is to do

/**
 * The rows of a document, each with a cell for each system. A long document is drawn from its beginning while it can already
 * be read; what is asked for by `sign` and `pieces` is drawn at once.
 */
export function markedRows(found, rows, labels, passes) {
  const columns = labels.map((_, column) => markedColumn(found, rows, column, passes));
  const several = labels.length > 1;
  const cells = rows.map(() => labels.map((label, place) => h("div", { class: `doc-cell c${place}`, dir: "auto", role: several ? "group" : null, "aria-label": several ? label : null })));
  let [kind, drawn, timer] = ["", 0, 0];
  const element = h("div", { class: `doc-rows cols-${labels.length}` }, rows.map((row, at) => {
    const heading = row.first && row.kind && row.kind !== kind ? h("h2", { class: "doc-kind" }, own(row.kind)) : null;
    kind = row.kind;
    const depth = Math.max(0, ...columns.map((column) => column.depths[at]));
    const isTitle = /^title$/i.test(row.kind) || (at === 0 && found.title && row.stretches[0].text.slice(0).trim() === found.title.trim());
    return h("div", { class: `doc-row depth-${depth}${isTitle ? " is-title" : ""}` }, heading, cells[at]);
  }));

  function draw(at) {
    for (const [place, column] of columns.entries()) if (!column.isDrawn(at)) cells[at][place].append(...column.nodes(at));
  }

  /** Draw on as long as `may` says so. */
  function drawWhile(may) {
    while (drawn < rows.length && may()) draw(drawn++);
    clearTimeout(timer);
    if (drawn < rows.length) timer = setTimeout(() => { const end = performance.now() + SLICE; drawWhile(() => performance.now() < end); });
  }

  const begun = rows[0]?.stretches[0].start;
  drawWhile(() => rows[drawn].stretches[0].start - begun < AT_ONCE);
  return {
    element,
    shown: columns.flatMap((column) => column.shown).sort((one, other) => one.mark - other.mark || one.column - other.column),
    has: (mark, column) => columns[column].places.has(mark),
    /** The sign of a mark. */
    sign(mark, column) {
      columns[column].places.get(mark).forEach(draw);
      return columns[column].signs.get(mark);
    },
    /** All pieces of a mark, in every column that shows it. */
    pieces: (mark) => columns.flatMap((column) => {
      (column.places.get(mark) || []).forEach(draw);
      return column.pieces.get(mark) || [];
    }),
    stop: () => clearTimeout(timer),
  };
}

/** One column: what stands in each row, drawn when it is asked for, and in which rows each mark is. */
function markedColumn({ marks, names }, rows, column, passes) {
  const numbers = [...marks.keys()].filter((mark) => marks[mark].spans.length && passes(marks[mark], column));
  const lanes = lanesOf(numbers.map((mark) => marks[mark]));
  const verdicts = numbers.map((mark) => verdictOf(marks[mark], column));
  const items = segmentRows(rows, numbers.map((mark) => marks[mark]), lanes);
  const places = new Map(numbers.map((mark) => [mark, new Set()]));
  for (const [at, row] of items.entries()) {
    for (const { covers = [], signs = [] } of row) for (const mark of [...covers.map((cover) => cover.mark), ...signs]) places.get(numbers[mark]).add(at);
  }
  const signs = new Map();
  const pieces = new Map(numbers.map((mark) => [mark, []]));
  const drawn = new Set();

  function sign(at) {
    const mark = numbers[at];
    const element = document.createElement("span");
    element.className = `sign v-${verdicts[at]}`;
    element.tabIndex = -1;
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", markWords(marks[mark], column, names));
    Object.assign(element.dataset, { mark, column, sign: VERDICTS[verdicts[at]][1] });
    signs.set(mark, element);
    return element;
  }

  function node({ text, covers, signs: ended, before }) {
    if (before) return [h("span", { class: "cut", role: "img", "aria-label": "text left out" })];
    let inside = [text, ...ended.map(sign)];
    for (let at = covers.length - 1; at >= 0; at -= 1) {
      const cover = covers[at];
      const element = document.createElement("span");
      element.className = `${cover.tie ? "tie" : "m"} v-${verdicts[cover.mark]} l${cover.lane}${cover.first ? " first" : ""}${cover.last ? " last" : ""}${cover.on && cover.last ? " on" : ""}`;
      Object.assign(element.dataset, { mark: numbers[cover.mark], column });
      element.append(...inside);
      pieces.get(numbers[cover.mark]).push(element);
      inside = [element];
    }
    return inside;
  }

  return {
    signs, pieces, places, shown: numbers.map((mark, at) => ({ mark, column, verdict: verdicts[at] })),
    depths: items.map((row) => row.reduce((most, { covers }) => (covers?.length ? Math.max(most, covers[0].lane + 1) : most), 0)),
    isDrawn: (at) => drawn.has(at),
    nodes(at) {
      drawn.add(at);
      return items[at].flatMap(node);
    },
  };
}

/** A proportion in percent, rounded as everywhere. */
export function percentOf(part, whole) {
  return (Math.round((part * 1000) / whole) / 10).toFixed(1);
}

/** What a system reached in a document, as a share, in short and in words; null where there is nothing to reach. */
export function reached(figure) {
  if (!figure) return null;
  if ("n" in figure) return { share: figure.right / figure.n, wrong: figure.n - figure.right, short: percentOf(figure.right, figure.n), what: "right", words: `${plainNumber(figure.right)} of ${figure.n} right` };
  const { tp, fp, fn } = figure;
  if (!(tp + fp + fn)) return null;
  return { share: (2 * tp) / (2 * tp + fp + fn), wrong: fp + fn, short: percentOf(2 * tp, 2 * tp + fp + fn), what: "F1", words: `${tp} true positives, ${fp} false positives, ${fn} false negatives` };
}

function plainNumber(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

/** What stands above a column: the system, its figure, how many marks come to what. */
export function columnHead(label, figure, counts, place) {
  const met = reached(figure);
  return h("div", { class: `doc-head c${place}` }, h("h2", null, systemName(label)),
    met ? h("p", { class: "doc-figure", title: met.words }, h("b", null, met.short), ` % ${met.what}`, h("span", { class: "hidden" }, `, ${met.words}`)) : h("p", { class: "doc-figure fine" }, "nothing to score"),
    h("ul", { class: "doc-counts", "aria-label": `Marks of ${label}` }, Object.keys(VERDICTS).filter((verdict) => counts[verdict]).map((verdict) =>
      h("li", { class: `v-${verdict}`, title: VERDICTS[verdict][0] }, h("span", { class: "sign-still", "aria-hidden": "true" }, VERDICTS[verdict][1]), h("span", { class: "hidden" }, `${VERDICTS[verdict][0]}: `), String(counts[verdict])))));
}
