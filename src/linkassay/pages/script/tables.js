// Tables: sortable by click and keyboard, copied as TSV, Markdown or LaTeX.
//
// A column is {label, form, interval, system}. A cell is a value, or {v: value, key, low, high, difference, mark, open,
// system, strip, strong, weak, pieces (text, and whether it is marked)}; `key` is that of the figure which it is a number
// of, `open` are filters of the mentions behind it.
// All text was written with the report: `shown` has it for each cell, of rows and then of foot, as the value, as
// [value, interval, difference], or null for words that are shown as they are; `copy` has for each format the lines
// above the rows, of each row, and below.

import { opener } from "./blocks.js";
import { strip } from "./charts.js";
import { announce, h, own, systemName } from "./dom.js";

export function cellOf(cell) {
  return cell !== null && typeof cell === "object" ? cell : { v: cell };
}

/** A table with its tools; `foot` are rows that stay below whatever the order. */
export function table({ caption, columns, rows, foot = [], shown, copy, sort = null, class: kind = "" }) {
  const state = { column: sort ? sort[0] : -1, down: sort ? sort[1] : true, order: rows.map((_, at) => at) };
  const body = h("tbody");
  const heads = columns.map((column, index) => header(column, () => sortBy(index)));
  const element = h("table", { class: kind || null }, h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, heads)), body,
    foot.length ? h("tfoot", null, foot.map((row, at) => line(row, shown[rows.length + at]))) : null);

  function line(row, texts) {
    const name = row.filter((_, index) => columns[index].form === "text").slice(0, 2).map((cell) => cellOf(cell).v).join(", ");
    return h("tr", null, row.map((given, index) => {
      const cell = cellOf(given);
      const tag = index === 0 ? "th" : "td";
      const place = h(tag, { class: [columns[index].form === "text" ? "" : "number", tint(cell)].join(" ").trim() || null,
        scope: tag === "th" ? "row" : null, "data-key": cell.key }, shownCell(cell, texts[index], columns[index], name));
      if (cell.difference !== undefined) place.style.setProperty("--depth", `${Math.min(44, Math.round(110 * Math.abs(cell.difference)))}%`);
      return place;
    }));
  }

  /** Places of the rows in the order of a column. */
  function ordered(column, down) {
    const missing = (value) => value === null || value === undefined;
    const values = rows.map((row) => cellOf(row[column]).v);
    return rows.map((_, at) => at).sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y));
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    });
  }

  function sortBy(index) {
    state.down = state.column === index ? !state.down : columns[index].form !== "text";
    state.column = index;
    state.order = ordered(index, state.down);
    show();
    announce(`${caption}: sorted by ${columns[index].label}, ${state.down ? "largest" : "smallest"} first`);
  }

  function show() {
    body.replaceChildren(...state.order.map((at) => line(rows[at], shown[at])));
    heads.forEach((head, index) =>
      head.setAttribute("aria-sort", index !== state.column ? "none" : state.down ? "descending" : "ascending"));
  }

  show();
  const wide = h("div", { class: "scroll", role: "region", "aria-label": `Table: ${caption}`, tabindex: "0" }, element);
  return h("div", { class: "table" }, wide, copyTools(caption, copy, () => state.order));
}

function tint(cell) {
  return cell.difference === undefined ? "" : cell.difference < 0 ? "tint worse" : "tint better";
}

/** What stands in a cell: the value, what belongs to it underneath, and the way to its mentions. */
function shownCell(cell, texts, column, name) {
  const [text, interval = "", difference = ""] = [texts ?? cell.v].flat();
  if (cell.system) return systemName(cell.system);
  if (cell.pieces) return cell.pieces.map(([part, marked]) => (marked ? h("mark", null, part) : part));
  if (column.form === "text") return own(text);
  const mark = { "≈": ", not told apart from the best", "*": ", not by chance" }[cell.mark];
  const parts = [h("span", { class: cell.strong ? "big strong" : "big" }, text, mark ? [h("span", { class: "sign", "aria-hidden": "true" }, cell.mark), unseen(mark)] : null),
    difference ? [unseen(", "), h("span", { class: "difference" }, difference), unseen(" points to all mentions")] : null,
    interval ? [unseen(", interval "), h("span", { class: "small" }, interval)] : null,
    cell.strip ? strip(cell) : null];
  const kind = ["figure", cell.strip ? "lead" : "", cell.weak ? "weak" : ""].join(" ").trim();
  if (!cell.open) return parts.slice(1).some(Boolean) ? h("span", { class: kind }, parts) : [parts[0]];
  return opener(cell.open, { class: kind }, unseen(`${name}, ${column.label} `), parts, unseen(": show its mentions"));
}

/** Words for those who hear the page. */
export function unseen(text) {
  return h("span", { class: "hidden" }, text);
}

function header(column, act) {
  const label = column.system ? systemName(column.system) : breakable(column.label);
  return h("th", { scope: "col", class: column.form === "text" ? null : "number" },
    h("button", { type: "button", class: "sort", onclick: act }, h("span", null,
      column.system && column.label !== column.system ? [label, column.label.slice(column.system.length)] : label)));
}

/** "recall@1" may break before the "@" on a narrow screen. */
function breakable(label) {
  const [head, ...rest] = label.split("@");
  return h("span", null, head, rest.map((part) => [h("wbr"), "@" + part]));
}

function copyTools(caption, formats, order) {
  const buttons = Object.entries(formats).map(([name, [head, rows, tail]]) => h("button", {
    type: "button", class: "quiet", "aria-label": `Copy the table “${caption}” as ${name}`,
    onclick: (event) => copy([...head, ...order().map((at) => rows[at]), ...tail, ""].join("\n"), event.currentTarget, name),
  }, name));
  return h("div", { class: "copy" }, h("span", { "aria-hidden": "true" }, "Copy as"), buttons);
}

export async function copy(text, button, name) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    done = copyBySelection(text, button);
  }
  announce(done ? `Copied as ${name}` : "The browser did not allow copying");
  button.classList.toggle("done", done);
  setTimeout(() => button.classList.remove("done"), 1500);
}

function copyBySelection(text, button) {
  const area = h("textarea", { class: "hidden", "aria-hidden": "true" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  button.focus();
  return done;
}
