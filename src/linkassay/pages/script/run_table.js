// Tables of runs: one row for each, or corpora against systems. Rows are made once and then only put in order.

import { strip } from "./charts.js";
import { h, own, systemName } from "./dom.js";
import { COPIED, intervalText, numberText, tableText } from "./number_texts.js";
import { cellFor, runName } from "./run_columns.js";
import { copy, unseen } from "./tables.js";

/** Buttons that copy a table; what it is made of is asked when it is copied. */
export function copyButtons(caption, made) {
  return h("div", { class: "copy" }, h("span", { "aria-hidden": "true" }, "Copy as"), COPIED.map((format) => h("button", {
    type: "button", class: "quiet", "aria-label": `Copy the table “${caption}” as ${format}`,
    onclick: (event) => copy(tableText(format, ...made()), event.currentTarget, format) }, format)));
}

/**
 * A number with its interval; what leads its row is drawn.
 * @param {any} cell @param {any} column
 * @param {{system?: string, leads?: boolean, href?: string, said?: string, strong?: boolean}} how
 */
export function figureCell(cell, column, how) {
  const { system, leads, href, said, strong } = how;
  const text = numberText(column.form, cell.v);
  const interval = column.interval ? intervalText(column.form, cell) : "";
  if (!interval && !href && !leads) return h("span", { class: strong ? "strong" : null }, text);
  const parts = [h("span", { class: strong ? "big strong" : "big" }, text), interval || leads ? h("span", { class: "small" }, interval) : null,
    leads ? stripOf(cell, system) : null, cell.said ? h("span", { class: "small of" }, cell.said) : null];
  const kind = leads ? "figure lead" : "figure";
  return href ? h("a", { class: kind, href }, unseen(`${said}, ${column.label} `), parts, unseen(": show what is behind it"))
    : h("span", { class: kind }, parts);
}

function stripOf(cell, system) {
  if (cell.v === null) return null;
  return strip({ ...cell, low: cell.low ?? undefined, strip: system });
}

/**
 * The table. `onsort(key)`, `onchoose(ids, chosen)`; `linked(column, run)` is the address behind a figure, or null.
 */
export function runTable({ onsort, onchoose, linked }) {
  const every = /** @type {HTMLInputElement} */ (h("input", { type: "checkbox", "aria-label": "Choose all runs that are shown", onchange: () => onchoose(visible.map(({ id }) => id), every.checked) }));
  const head = h("thead");
  const table = h("table", { class: "runs" }, h("caption", { class: "hidden" }, "Runs"), head);
  const element = h("div", { class: "scroll", role: "region", "aria-label": "Table: runs", tabindex: "0" }, table);
  let kept = new Map();
  let stamp = null;
  let visible = [];

  function heads(columns, sort) {
    head.replaceChildren(h("tr", null, h("th", { scope: "col", class: "choose" }, every), columns.map((column) => {
      const way = sort === column.key ? "ascending" : sort === `-${column.key}` ? "descending" : "none";
      return h("th", { scope: "col", class: column.form === "text" ? null : "number", "aria-sort": way, "data-column": column.key },
        h("button", { type: "button", class: "sort", onclick: () => onsort(column, way) }, h("span", null, column.label)));
    })));
  }

  function line(run, columns) {
    const { row, id } = run;
    const box = h("input", { type: "checkbox", "aria-label": `Choose ${runName(run)}`, onchange: (event) => onchoose([id], event.target.checked) });
    return { box, line: h("tr", { class: row.state === "ready" ? null : `state-${row.state}`, "data-run": id }, h("td", { class: "choose" }, h("label", { class: "choose-area" }, box)),
      columns.map((column) => {
        const cell = cellFor(column, run);
        const place = { "data-column": column.key, class: column.form === "text" ? null : "number" };
        if (column.key === "system") return h("th", { scope: "row", title: row.name, "data-column": column.key }, systemName(row.label), h("span", { class: "under" }, own(`${row.corpus}, ${row.split}`)));
        if (column.key === "leading" && row.state !== "ready") return h("td", place, stateText(row));
        if (column.form === "text") return h("td", { ...place, title: column.brief ? cell.v : null }, own(String(column.brief ? column.brief(cell.v ?? "") : cell.v ?? "")));
        return h("td", place, figureCell(cell, column, { system: row.label, leads: column.key === "leading", href: linked(column, run), said: runName(run) }));
      })) };
  }

  return {
    element,
    /** Show groups of runs; `data` stands for what rows are made of: where it is the same, they are kept. */
    show({ groups, columns, sort, chosen, data }) {
      const now = [data, columns.map(({ key, label }) => `${key} ${label}`).join("\n")];
      if (!stamp || stamp.some((part, at) => part !== now[at])) [stamp, kept] = [now, new Map()];
      visible = groups.flatMap(([, runs]) => runs);
      const ticked = new Set(chosen);
      const focused = /** @type {HTMLElement} */ (document.activeElement);
      const bodies = groups.map(([name, runs]) => h("tbody", null,
        name ? h("tr", { class: "group" }, h("th", { scope: "rowgroup", colspan: columns.length + 1 }, own(name), " ", h("span", { class: "fine" }, runs.length === 1 ? "1 run" : `${runs.length} runs`))) : null,
        runs.map((run) => {
          if (!kept.has(run.id)) kept.set(run.id, line(run, columns));
          const { box, line: made } = kept.get(run.id);
          box.checked = ticked.has(run.id);
          made.classList.toggle("chosen", box.checked);
          return made;
        })));
      const column = document.activeElement?.closest?.("th[data-column]")?.getAttribute("data-column");
      heads(columns, sort);
      table.replaceChildren(table.caption, head, ...bodies);
      const ofVisible = visible.filter(({ id }) => ticked.has(id)).length;
      every.checked = visible.length > 0 && ofVisible === visible.length;
      every.indeterminate = ofVisible > 0 && ofVisible < visible.length;
      if (column) /** @type {HTMLElement} */ (head.querySelector(`[data-column="${CSS.escape(column)}"] button`))?.focus({ preventScroll: true });
      else if (focused !== document.activeElement && table.contains(focused)) focused.focus({ preventScroll: true });
    },
    /** To the box of the next row, or of the previous one. */
    step(by) {
      const boxes = visible.map(({ id }) => kept.get(id).box);
      const at = boxes.findIndex((box) => box.closest("tr").contains(document.activeElement));
      const to = boxes[at < 0 ? (by > 0 ? 0 : boxes.length - 1) : Math.min(Math.max(at + by, 0), boxes.length - 1)];
      to?.focus({ preventScroll: true });
      to?.scrollIntoView({ block: "nearest", behavior: "instant" });
    },
  };
}

function stateText({ state, why }) {
  return state === "waiting" ? h("span", { class: "fine" }, "not computed yet") : h("span", { class: "failed-why", title: why }, "failed: ", own(why));
}

/** Corpora against systems: the latest run of each, the best of a corpus strong. */
export function runMatrix(runs, column, linked) {
  const systems = [...new Set(runs.map(({ row }) => row.label))];
  const corpora = Map.groupBy(runs, ({ row }) => `${row.corpus}, ${row.split}`);
  const cells = /** @type {[string, any[]][]} */ ([...corpora].map(([name, mine]) => [name, systems.map((system) => {
    const found = mine.filter((run) => run.row.label === system).sort((a, b) => (b.row.finished || 0) - (a.row.finished || 0));
    return found.find((run) => cellFor(column, run).v !== null) || found[0] || null;
  })]));
  const alike = (mine) => new Set(mine.filter(Boolean).map((run) => cellFor(column, run).said || "")).size < 2; // else no one is the best
  const best = (mine) => (alike(mine) ? Math.max(...mine.map((run) => (run ? cellFor(column, run).v ?? -Infinity : -Infinity))) : NaN);
  const caption = `${column.label}: corpora and systems`;
  const columns = [{ label: "corpus", form: "text" }, ...systems.map((system) => ({ label: system, form: column.form, interval: column.interval }))];
  const rows = () => cells.map(([name, mine]) => [{ v: name }, ...mine.map((run) => (run ? cellFor(column, run) : { v: null }))]);
  return h("div", { class: "table" },
    h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, h("table", { class: "matrix" }, h("caption", { class: "hidden" }, caption),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "corpus"), systems.map((system) => h("th", { scope: "col", class: "number" }, systemName(system))))),
      h("tbody", null, cells.map(([name, mine]) => h("tr", null, h("th", { scope: "row" }, own(name)), mine.map((run) => h("td", { class: "number" }, run
        ? figureCell(cellFor(column, run), column, { href: linked(column, run), said: runName(run), strong: column.interval && cellFor(column, run).v === best(mine) }) : "–"))))))),
    copyButtons(caption, () => [columns, rows()]));
}
