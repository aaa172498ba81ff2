// Tables: sortable by click and keyboard, copied as TSV, Markdown or LaTeX.
//
// A column is {label, form, interval, system}. A cell is a value, or {v: value, low, high, difference, mark, open,
// system, strip, strong, weak, pieces (text, and whether it is marked)}; `open` are filters of the mentions behind it.

function cellOf(cell) {
  return cell !== null && typeof cell === "object" ? cell : { v: cell };
}

/** A table with its tools; `foot` are rows that stay below whatever the order. */
function table({ caption, columns, rows, foot = [], sort = null, class: kind = "" }) {
  for (const [index, column] of columns.entries()) {
    if (column.form === "weight") column.parts = [...rows, ...foot].some((row) => !Number.isInteger(cellOf(row[index]).v ?? 0));
  }
  const state = { column: sort ? sort[0] : -1, down: sort ? sort[1] : true };
  const body = h("tbody");
  const heads = columns.map((column, index) => header(column, () => sortBy(index)));
  const element = h("table", { class: kind || null }, h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, heads)), body,
    foot.length ? h("tfoot", null, foot.map(line)) : null);

  function line(row) {
    const name = row.filter((_, index) => columns[index].form === "text").slice(0, 2).map((cell) => cellOf(cell).v).join(", ");
    return h("tr", null, row.map((given, index) => {
      const cell = cellOf(given);
      const tag = index === 0 ? "th" : "td";
      const place = h(tag, { class: [columns[index].form === "text" ? "" : "number", tint(cell)].join(" ").trim() || null,
        scope: tag === "th" ? "row" : null }, shownCell(cell, columns[index], name));
      if (cell.difference !== undefined) place.style.setProperty("--depth", `${Math.min(44, Math.round(110 * Math.abs(cell.difference)))}%`);
      return place;
    }));
  }

  function ordered() {
    if (state.column < 0) return rows;
    const missing = (value) => value === null || value === undefined;
    return [...rows].sort((a, b) => {
      const [x, y] = [cellOf(a[state.column]).v, cellOf(b[state.column]).v];
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
      return state.down ? -order : order;
    });
  }

  function sortBy(index) {
    state.down = state.column === index ? !state.down : columns[index].form !== "text";
    state.column = index;
    show();
    announce(`${caption}: sorted by ${columns[index].label}, ${state.down ? "largest" : "smallest"} first`);
  }

  function show() {
    body.replaceChildren(...ordered().map(line));
    heads.forEach((head, index) =>
      head.setAttribute("aria-sort", index !== state.column ? "none" : state.down ? "descending" : "ascending"));
  }

  show();
  const wide = h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, element);
  return h("div", { class: "table" }, wide, copyTools(caption, () => ({ columns, rows: [...ordered(), ...foot] })));
}

function tint(cell) {
  return cell.difference === undefined ? "" : cell.difference < 0 ? "tint worse" : "tint better";
}

function intervalOf(cell, column) {
  const joint = column.form === "points" ? " to " : "–";
  return cell.low === null || cell.low === undefined ? "" : written(cell.low, column) + joint + written(cell.high, column);
}

/** What stands in a cell: the value, what belongs to it underneath, and the way to its mentions. */
function shownCell(cell, column, name) {
  const text = written(cell.v, column);
  if (cell.system) return systemName(cell.system);
  if (cell.pieces) return cell.pieces.map(([part, marked]) => (marked ? h("mark", null, part) : part));
  if (column.form === "text") return own(text);
  const interval = column.interval ? intervalOf(cell, column) : "";
  const parts = [h("span", { class: cell.strong ? "big strong" : "big" }, text, cell.mark ? h("span", { class: "sign", "aria-hidden": "true" }, cell.mark) : null),
    cell.difference === undefined ? null : h("span", { class: "difference" }, points(cell.difference)),
    interval ? h("span", { class: "small" }, interval) : null,
    cell.strip ? strip(cell) : null];
  const kind = ["figure", cell.strip ? "lead" : "", cell.weak ? "weak" : ""].join(" ").trim();
  if (!cell.open) return parts.slice(1).some(Boolean) ? h("span", { class: kind }, parts) : [parts[0]];
  const said = [`${name}, ${column.label} ${text}`, cell.difference === undefined ? "" : `${points(cell.difference)} points to all mentions`,
    { "≈": "not told apart from the best", "*": "not by chance" }[cell.mark] || "", interval ? `interval ${interval}` : ""].filter(Boolean).join(", ");
  return opener(cell.open, { class: kind, "aria-label": `${said}: show its mentions` }, parts);
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

function copyTools(caption, content) {
  const buttons = Object.entries(COPY).map(([name, write]) => h("button", {
    type: "button", class: "quiet", "aria-label": `Copy the table “${caption}” as ${name}`,
    onclick: (event) => copy(write(content()), event.currentTarget, name),
  }, name));
  return h("div", { class: "copy" }, h("span", { "aria-hidden": "true" }, "Copy as"), buttons);
}

async function copy(text, button, name) {
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

/** As shown, on one line. */
function plain(text) {
  return String(text ?? "").replace(/\s+/g, " ").trim();
}

const COPY = {
  // unrounded, each end of an interval in a column of its own: for a spreadsheet or a program
  TSV({ columns, rows }) {
    const heads = columns.flatMap((c) => (c.interval ? [c.label, `${c.label} low`, `${c.label} high`] : [c.label]));
    const lines = rows.map((row) => row.map(cellOf).flatMap((cell, i) => (columns[i].interval ? [cell.v, cell.low, cell.high] : [cell.v])).map(plain));
    return [heads.map(plain), ...lines].map((line) => line.join("\t")).join("\n") + "\n";
  },
  Markdown({ columns, rows }) {
    const safe = (text) => plain(text).replace(/[\\|`*_<>[\]]/g, "\\$&");
    const whole = (cell, column) => {
      const interval = column.interval ? intervalOf(cell, column) : "";
      return safe(written(cell.v, column) + (cell.mark || "") + (interval ? ` (${interval})` : ""));
    };
    const lines = rows.map((row) => row.map((cell, i) => whole(cellOf(cell), columns[i])));
    const rule = columns.map((c) => (c.form === "text" ? "---" : "---:"));
    return [columns.map((c) => safe(c.label)), rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n") + "\n";
  },
  LaTeX({ columns, rows }) {
    const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
      "–": "--", "\u2212": "$-$", "±": "$\\pm$", "≈": "$\\approx$", "<": "$<$", ">": "$>$" };
    const safe = (text) => plain(text).replace(/[\\~^–\u2212±≈<>&%$#_{}]/g, (c) => special[c] || "\\" + c);
    const whole = (cell, column) => {
      const interval = column.interval && cell.low != null
        ? ` {\\scriptsize [${safe(written(cell.low, column))}, ${safe(written(cell.high, column))}]}` : "";
      const value = safe(written(cell.v, column));
      return (cell.strong ? `\\textbf{${value}}` : value) + safe(cell.mark || "") + interval;
    };
    const lines = rows.map((row) => row.map((cell, i) => whole(cellOf(cell), columns[i])).join(" & ") + " \\\\");
    return [`\\begin{tabular}{${columns.map((c) => (c.form === "text" ? "l" : "r")).join("")}}`, "\\toprule",
      columns.map((c) => safe(c.label)).join(" & ") + " \\\\", "\\midrule", ...lines, "\\bottomrule",
      "\\end{tabular}"].join("\n") + "\n";
  },
};
