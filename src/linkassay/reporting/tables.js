// Tables: sortable by click and keyboard, copied as TSV, Markdown or LaTeX.
//
// A column is {label, numeric, sort (default true), interval (its cells have low and high)}.
// A cell is {value (sorted and copied), text (shown), node (shown instead), low, high}.

/** A table with its tools; `foot` are rows that stay below whatever the order. */
function table({ caption, columns, rows, foot = [], sorted = null, first = "row" }) {
  const state = { column: sorted ? sorted[0] : -1, down: sorted ? sorted[1] : true };
  const body = h("tbody");
  const heads = columns.map((column, index) => header(column, () => sortBy(index)));
  const element = h("table", null, h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, heads)), body,
    foot.length ? h("tfoot", null, foot.map((row) => line(row))) : null);

  function line(row) {
    return h("tr", null, row.map((cell, index) => {
      const tag = index === 0 && first === "row" ? "th" : "td";
      const place = h(tag, { class: [columns[index].numeric ? "number" : "", cell.class || ""].join(" ").trim() || null,
        scope: tag === "th" ? "row" : null }, cell.node || (cell.text === undefined ? cell.value : cell.text));
      for (const [name, value] of Object.entries(cell.style || {})) place.style.setProperty(name, value);
      return place;
    }));
  }

  function ordered() {
    if (state.column < 0) return rows;
    const missing = (value) => value === null || value === undefined;
    return [...rows].sort((a, b) => {
      const [x, y] = [a[state.column].value, b[state.column].value];
      if (missing(x) || missing(y)) return missing(x) - missing(y);
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y));
      return state.down ? -order : order;
    });
  }

  function sortBy(index) {
    state.down = state.column === index ? !state.down : Boolean(columns[index].numeric);
    state.column = index;
    show();
    announce(`${caption}: sorted by ${columns[index].label}, ${state.down ? "largest" : "smallest"} first`);
  }

  function show() {
    body.replaceChildren(...ordered().map(line));
    heads.forEach((head, index) => {
      if (columns[index].sort === false) return;
      head.setAttribute("aria-sort", index !== state.column ? "none" : state.down ? "descending" : "ascending");
    });
  }

  show();
  const wide = h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, element);
  return h("div", { class: "table" }, wide, copyTools(caption, () => ({ columns, rows: [...ordered(), ...foot] })));
}

function header(column, act) {
  const label = column.node || column.label;
  return h("th", { scope: "col", class: column.numeric ? "number" : null },
    column.sort === false ? label : h("button", { type: "button", class: "sort", onclick: act }, h("span", null, label)));
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

/** As shown: percentages to one decimal, the interval beside them. */
function shown(cell, column, interval) {
  const text = String(cell.text === undefined ? cell.value ?? "" : cell.text).replace(/\s+/g, " ").trim();
  return column.interval && cell.low != null ? text + interval(percent(cell.low), percent(cell.high)) : text;
}

const COPY = {
  // unrounded, each end of an interval in a column of its own: for a spreadsheet or a program
  TSV({ columns, rows }) {
    const plain = (value) => String(value ?? "").replace(/\s+/g, " ").trim();
    const heads = columns.flatMap((c) => (c.interval ? [c.label, `${c.label} low`, `${c.label} high`] : [c.label]));
    const lines = rows.map((row) => row.flatMap((cell, i) =>
      columns[i].interval ? [cell.value, cell.low, cell.high] : [cell.value]).map(plain));
    return [heads.map(plain), ...lines].map((line) => line.join("\t")).join("\n") + "\n";
  },
  Markdown({ columns, rows }) {
    const safe = (text) => text.replace(/[\\|`*_<>[\]]/g, "\\$&");
    const lines = rows.map((row) => row.map((cell, i) => safe(shown(cell, columns[i], (a, b) => ` (${a}–${b})`))));
    const rule = columns.map((c) => (c.numeric ? "---:" : "---"));
    return [columns.map((c) => safe(c.label)), rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n") + "\n";
  },
  LaTeX({ columns, rows }) {
    const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
      "–": "--", "\u2212": "$-$", "±": "$\\pm$" };
    const safe = (text) => text.replace(/[\\~^–\u2212±&%$#_{}]/g, (c) => special[c] || "\\" + c);
    const lines = rows.map((row) => row.map((cell, i) =>
      safe(shown({ ...cell, low: undefined }, columns[i])) +
      (columns[i].interval && cell.low != null
        ? ` {\\scriptsize [${percent(cell.low)}, ${percent(cell.high)}]}` : "")).join(" & ") + " \\\\");
    return [`\\begin{tabular}{${columns.map((c) => (c.numeric ? "r" : "l")).join("")}}`, "\\toprule",
      columns.map((c) => safe(c.label)).join(" & ") + " \\\\", "\\midrule", ...lines, "\\bottomrule",
      "\\end{tabular}"].join("\n") + "\n";
  },
};
