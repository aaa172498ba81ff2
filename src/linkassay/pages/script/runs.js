// The runs: all that there are, what they cost and how good they are; found, grouped, computed anew, drawn, and chosen to
// look into.

import { addressFor } from "./address.js";
import { DATA, HOLDS_DATA, count, h, look, systemName, useData } from "./dom.js";
import { isStopped } from "./feed.js";
import { runChart } from "./run_chart.js";
import { cellFor, groupedRuns, knownRuns, numericColumns, sortedRuns, runFilter, shownColumns } from "./run_columns.js";
import { NO_FIGURES, commandBox, figureForm, figuresAsked, scoreCommand, usualCommands } from "./run_options.js";
import { copyButtons, runMatrix, runTable } from "./run_table.js";

const AGAIN = 10000; // milliseconds until new runs are looked for
const RUNS_AT_ONCE = 40; // runs that one request for figures names
const PLAIN = { find: "", regex: "", sort: "", group: "", hide: "", columns: "", show: "", figure: "leading", x: "link", y: "leading", mark: "", nil: "", compute: "", ...NO_FIGURES };
const LOOKS = [["", "Table"], ["matrix", "Matrix"], ["chart", "Chart"]];

/** Measures that cases count for, and slices that cases are grouped by. */
const [OF_CASES, GROUP] = [/^(?:all|ner|disamb)_/, /^(?:type|mention-kind)=/];

/** The evaluation set that a measure of given mentions names; a unique one weighs the mentions of another; those that are filters. */
const [OF_SET, UNIQUE, FILTERED_SETS] = [/[(,]set=([^,)]+)/, /-unique$/, ["novel", "unseen-entity", "unseen-synonym", "unseen-synonym-of-entity"]];

/** Values that there are, of what has few. */
const KNOWN = { show: LOOKS.map(([key]) => key), group: ["", "corpus", "system"], mark: ["", "bar"], nil: ["", "ignored", "required"], task: ["", "end-to-end"] };

/** A list in one word of the address. */
function joinedList(list) {
  return list.map(encodeURIComponent).join(",");
}

function listIn(text) {
  return text.split(",").filter(Boolean).map((each) => { try { return decodeURIComponent(each); } catch { return each; } });
}

/** A box that opens to a list of things to tick. */
function checklist(label) {
  const list = h("ul", { class: "ticks" });
  const said = h("summary", null, label);
  const box = h("div", { class: "menu-box" }, list);
  const element = h("details", { class: "menu", "data-own-keys": "" }, said, box);
  element.addEventListener("toggle", () => { // it stays on the screen
    box.style.left = "0";
    const over = box.getBoundingClientRect().right + 8 - innerWidth;
    if (over > 0) box.style.left = `${-over}px`;
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !element.hasAttribute("open")) return;
    element.removeAttribute("open");
    said.focus();
  });
  let offered = "";
  return {
    element,
    show(items, ticked, onchange, words) {
      said.textContent = words;
      const flat = items.map(([key, text]) => `${key}\n${text}`).join("\n");
      if (flat !== offered) {
        offered = flat;
        list.replaceChildren(...items.map(([key, text, shown]) => h("li", null, h("label", null,
          h("input", { type: "checkbox", value: key, onchange: () => onchange([.../** @type {NodeListOf<HTMLInputElement>} */ (list.querySelectorAll("input:checked"))].map((box) => box.value)) }), shown || h("span", null, text)))));
      }
      for (const box of list.querySelectorAll("input")) box.checked = ticked.includes(box.value);
    },
  };
}

function choice(label, options, onchange) {
  const box = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => onchange(box.value) }, options.map(([value, text]) => h("option", { value }, text))));
  return { box, element: h("label", null, h("span", null, label), box), show(value, offered) {
    if (offered && offered.flat().join("\n") !== box.dataset.offered) {
      box.dataset.offered = offered.flat().join("\n");
      box.replaceChildren(...offered.map(([key, text]) => h("option", { value: key }, text)));
    }
    box.value = value;
  } };
}

/** Buttons of which one is pressed. */
function segments(label, options, onchange) {
  const buttons = options.map(([value, text]) => h("button", { type: "button", value, onclick: () => onchange(value) }, text));
  return { element: h("div", { class: "segments", role: "group", "aria-label": label }, buttons),
    show: (value) => buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.getAttribute("value") === value))) };
}

export const runsView = {
  name: "runs", label: "Runs", free: true,

  open(app, params) {
    let state = { ...PLAIN };
    let chosen = [];
    let answer = { rows: [], corpora: [], kbs: [] };
    let computed = { rows: [], command: "", notes: [] };
    let known = knownRuns(answer, [], "");
    let closed = false;
    let work = null; // what ends the work on figures

    const search = /** @type {HTMLInputElement} */ (h("input", { type: "search", placeholder: "corpus, system, knowledge base …", oninput: () => set({ find: search.value }) }));
    const regex = h("button", { type: "button", class: "quiet toggle", title: "regular expression", "aria-label": "Find by a regular expression", onclick: () => set({ regex: state.regex ? "" : "1" }) }, ".*");
    const wrong = h("span", { class: "wrong-find", role: "status" });
    const groups = choice("Group by", [["", "no groups"], ["corpus", "corpus"], ["system", "system"]], (group) => set({ group }));
    const nil = choice("NIL", [["ignored", "ignored"], ["required", "required"]], (value) => set({ nil: value }));
    const systems = checklist("Systems");
    const columns = checklist("Columns");
    const lead = h("p", { class: "lead" });
    const late = h("p", { class: "fine late", role: "status" });
    const tally = h("span", { class: "tally-of-chosen" });
    const buttons = Object.fromEntries([["report", "Report"], ["documents", "Documents"], ["mentions", "Mentions"], ["agreement", "Compare"]].map(([key, text]) =>
      [key, h("a", { class: "act" }, text)]));
    const clear = h("button", { type: "button", class: "quiet", onclick: () => choose([]) }, "Choose none");
    const look3 = segments("Show as", LOOKS, (show) => set({ show }));
    const table = runTable({ onsort: sortBy, onchoose: tick, linked });
    const tableBox = h("div", { class: "table" }, table.element, copyButtons("Runs", copied));
    const figure = choice("Figure", [], (value) => set({ figure: value }));
    const [across, up] = [choice("Horizontal", [], (x) => set({ x })), choice("Vertical", [], (y) => set({ y }))];
    const marks = choice("As", [["", "points"], ["bar", "bars"]], (mark) => set({ mark }));
    const picture = h("div", { class: "picture-box" });
    const picking = h("div", { class: "filters picking" }, figure.element, marks.element, up.element, across.element);
    const notes = h("ul", { class: "fine notes" });
    const command = commandBox();
    const place = h("section", { class: "part runs-part", "aria-label": "Runs" });
    const more = h("details", { class: "more-figures" }, h("summary", null, "Figures: any measure, set, slice"));
    let form = null;
    const element = h("div", { class: "view runs-view" },
      h("div", { class: "head" }, h("h1", null, "Runs"), lead, late),
      h("form", { class: "filters run-filters", role: "search", "aria-label": "Find runs", onsubmit: (event) => event.preventDefault() },
        h("div", { class: "finding" }, h("label", null, h("span", null, "Find"), search), regex, wrong), groups.element, nil.element, systems.element, columns.element,
        h("button", { type: "button", class: "quiet", onclick: () => { computed = { rows: [], command: "", notes: [] }; set({ ...PLAIN }); } }, "Reset")),
      more,
      h("div", { class: "acts" }, h("div", { class: "chosen-acts" }, Object.values(buttons), tally, clear), look3.element),
      place);
    place.append(picking, tableBox, picture, command.element, notes);

    // ---- state

    /** Change the state, show it, and say it in the address. */
    function set(change) {
      state = { ...state, ...change };
      show();
      say();
    }

    function say() {
      const said = Object.fromEntries(Object.entries(state).filter(([key, value]) => value !== PLAIN[key]));
      app.navigate("runs", { ...said, run: chosen }, true);
    }

    async function restore(asked) {
      const { run = [], ...rest } = asked;
      state = { ...PLAIN };
      for (const key of Object.keys(PLAIN)) if (typeof rest[key] === "string" && (!KNOWN[key] || KNOWN[key].includes(rest[key]))) state[key] = rest[key];
      chosen = run;
      more.open ||= Object.entries(NO_FIGURES).some(([key, value]) => state[key] !== value);
      show();
      if (state.compute && !computed.command && app.about.can.compute) await compute();
    }

    // ---- data

    async function load() {
      const told = await app.feed.request("runs");
      if (closed || told === answer) return;
      answer = told;
      const names = [...new Set(told.rows.map(({ label }) => label))].sort();
      if (!HOLDS_DATA) {
        const kept = [...DATA.systems.filter((name) => names.includes(name)), ...names.filter((name) => !DATA.systems.includes(name))];
        useData({ systems: kept, looks: kept.map((_, at) => look(at)), types: Object.assign({}, ...told.kbs.map(({ types }) => types), DATA.types) });
      }
      known = null;
    }

    /** New runs appear while the page is looked at. */
    async function again() {
      if (document.hidden || closed) return;
      try {
        const before = answer;
        await load();
        late.textContent = "";
        if (before !== answer) show();
      } catch (error) {
        late.textContent = `${error.message} What is shown may be old.`;
      }
    }

    function ways() {
      return [...new Set(answer.rows.flatMap(({ figures }) => figures.map((row) => (row.mode || row.nil || "").toLowerCase())).filter(Boolean))];
    }

    let stamp = "";
    function data() {
      const way = state.nil || ways()[0] || "";
      if (!known || stamp !== way) {
        [known, stamp] = [knownRuns(answer, computed.rows, way), way];
        oneMeasure(known);
      }
      return known;
    }

    // ---- what passes

    function passing() {
      const { runs, columns: every } = data();
      let filter = runFilter({ find: "", regex: "", hide: listIn(state.hide) });
      wrong.textContent = "";
      search.removeAttribute("aria-invalid");
      try {
        filter = runFilter({ ...state, hide: listIn(state.hide) });
      } catch {
        wrong.textContent = "That is no regular expression: all runs are shown.";
        search.setAttribute("aria-invalid", "true");
      }
      return sortedRuns(runs.filter(filter), every, state.sort);
    }

    function copied() {
      const shown = shownColumns(data().columns, listIn(state.columns), state.group);
      return [shown, groupedRuns(passing(), state.group).flatMap(([, runs]) => runs).map((run) => shown.map((column) => cellFor(column, run)))];
    }

    /** What is behind a figure: the mentions or cases that it counts. */
    function linked(column, { row, id, figures }) {
      if (row.state !== "ready") return null;
      const system = `=${labelOf(row.system, id)}`;
      const scope = HOLDS_DATA ? { corpus: `=${row.corpus}@${row.split}` } : { run: [id] };
      const { measure = "", slice, set, nil: way, preset, under, hierarchy } = column.key === "leading" ? { measure: "all_f1", slice: "all", nil: row.task === "found" ? stamp : "" } : figures.get(column.key) || {};
      if (!column.interval && !(way && OF_CASES.test(measure))) return null;
      if (slice === undefined || under || hierarchy) return null; // of other mentions, or counted in another way
      if (preset && preset !== row.leading?.preset) return null; // cases are those of the usual preset
      if (way) {
        const group = slice === "all" ? {} : GROUP.test(slice) ? { group: slice } : null;
        return group && !set ? addressFor("cases", { system, nil: stamp, counted: measure.replace("_macro", ""), ...group, ...scope }) : null;
      }
      const by = slice === "all" ? {} : slice.startsWith("type=") ? { type: `=${slice.slice(5)}` } : { slice };
      const weighed = (OF_SET.exec(measure)?.[1] || "global").replace(UNIQUE, "");
      if (weighed !== "global" && !FILTERED_SETS.includes(weighed)) return null;
      return addressFor("mentions", { system, outcome: "any", ...by, ...(weighed === "global" ? {} : { set: weighed }), ...scope });
    }

    // ---- acts

    function sortBy(column, way) {
      const first = column.form === "text" ? "" : "-";
      const sort = way === "none" ? first + column.key : way === (first ? "descending" : "ascending") ? (first ? "" : "-") + column.key : "";
      set({ sort });
      app.announce(sort ? `Sorted by ${column.label}, ${sort.startsWith("-") ? "largest" : "smallest"} first` : "Sorted by corpus");
    }

    function tick(ids, ticked) {
      choose(ticked ? [...new Set([...chosen, ...ids])] : chosen.filter((id) => !ids.includes(id)));
    }

    function choose(ids) {
      chosen = ids;
      show();
      say();
    }

    /** Ask for the figures of the chosen runs, else of those that are shown. */
    async function compute() {
      work?.abort();
      const control = work = new AbortController();
      const runs = runsAsked();
      const told = await app.busy(place, figuresOfAll(runs, control.signal).catch((error) => { if (isStopped(error) && control !== work) return null; throw error; }));
      if (!told || closed) return;
      computed = { rows: told.flatMap(({ figures, rows }) => figures || rows), notes: told.flatMap((each) => each.notes),
        command: told.length === 1 ? told[0].command : scoreCommand(runs, state) };
      known = null;
      set({ compute: "1" });
      app.announce(`${count(computed.rows.length)} figures`);
    }

    /** Figures of many runs are asked for in parts: no request names them all. */
    async function figuresOfAll(runs, signal) {
      const [asked, answers] = [figuresAsked(state), []];
      for (let at = 0; at < runs.length; at += RUNS_AT_ONCE) answers.push(await app.feed.request("figures", { run: runs.slice(at, at + RUNS_AT_ONCE), ...asked }, { signal }));
      return answers;
    }

    function runsAsked() {
      const fit = ({ row }) => row.state !== "failed" && (!state.task || row.task === "found");
      const runs = passing().filter(fit).map(({ id }) => id);
      const asked = chosen.filter((id) => runs.includes(id));
      return asked.length ? asked : runs;
    }

    // ---- showing

    function show() {
      const { runs, columns: every } = data();
      const passed = passing();
      const shown = shownColumns(every, listIn(state.columns), state.group);
      if (search.value !== state.find) search.value = state.find;
      regex.setAttribute("aria-pressed", String(Boolean(state.regex)));
      groups.show(state.group);
      nil.element.hidden = ways().length < 2;
      nil.show(stamp, ways().map((way) => [way, way]));
      showLists(runs, every, shown);
      showChosen(runs);
      look3.show(state.show);
      lead.textContent = leadWords(runs, passed);
      const numeric = numericColumns(every).map(({ key, label }) => [key, label]);
      figure.show(state.figure, numeric);
      across.show(state.x, numeric);
      const drawable = numericColumns(every, state.show === "chart" && state.mark === "bar");
      up.show(state.y, drawable.map(({ key, label }) => [key, label]));
      marks.show(state.mark);
      up.element.firstChild.textContent = state.mark === "bar" ? "Number" : "Vertical";
      figure.element.hidden = state.show !== "matrix";
      up.element.hidden = marks.element.hidden = state.show !== "chart";
      across.element.hidden = state.show !== "chart" || state.mark === "bar";
      picking.hidden = !state.show;
      tableBox.hidden = Boolean(state.show);
      picture.hidden = !state.show;
      const column = (key) => drawable.find((each) => each.key === key) || every.find(({ key: usual }) => usual === "leading");
      if (!state.show) table.show({ groups: groupedRuns(passed, state.group), columns: shown, sort: state.sort, chosen, data: known });
      else if (state.show === "matrix") picture.replaceChildren(runMatrix(passed, column(state.figure), linked));
      else picture.replaceChildren(runChart(passed, { x: column(state.x), y: column(state.y), mark: state.mark, linked }));
      form?.show(state, runs.filter(({ row }) => row.task === "found").map(({ id }) => id), answer.kbs.map(({ name }) => name));
      const asked = runsAsked();
      command.element.hidden = !asked.length;
      const usual = Object.entries(NO_FIGURES).every(([key, value]) => state[key] === value);
      command.show(state.compute && computed.command ? computed.command
        : usual ? usualCommands(passed.filter(({ id }) => asked.includes(id)), stamp) : scoreCommand(asked, state));
      notes.replaceChildren(...(state.compute ? computed.notes : []).map((note) => h("li", null, typeof note === "string" ? note : `${note.run}: ${note.note}`)));
    }

    function showLists(runs, every, shown) {
      const hidden = listIn(state.hide);
      const names = [...new Set(runs.map(({ row }) => row.label))].sort();
      systems.element.hidden = names.length < 2;
      systems.show(names.map((name) => [name, name, systemName(name)]), names.filter((name) => !hidden.includes(name)),
        (ticked) => set({ hide: joinedList(names.filter((name) => !ticked.includes(name))) }), hidden.length ? `Systems: ${names.length - hidden.length} of ${names.length}` : "Systems");
      columns.show(every.map(({ key, label }) => [key, label]), shown.map(({ key }) => key),
        (ticked) => set({ columns: joinedList(ticked) }), "Columns");
    }

    /** Where the chosen runs lead to; what cannot be shown of them says why. */
    function showChosen(runs) {
      const mine = runs.filter(({ id }) => chosen.includes(id));
      const cohorts = new Set(mine.map(({ row }) => `${row.corpus}@${row.split}`));
      const ready = mine.filter(({ row }) => row.state !== "failed");
      const why = !mine.length ? "Choose runs to look into." : !ready.length ? "They failed: there is nothing to look into." : "";
      const one = cohorts.size > 1 ? "They are of several corpora or splits: only a report shows them together." : "";
      tally.textContent = why || `${count(mine.length)} ${mine.length === 1 ? "run" : "runs"} chosen. ${one}`.trim();
      clear.hidden = !mine.length;
      const scope = HOLDS_DATA ? { corpus: cohorts.size === 1 ? `=${[...cohorts][0]}` : null } : { run: ready.map(({ id }) => id) };
      for (const [key, link] of Object.entries(buttons)) {
        const open = !why && (key === "report" || !one) && (key !== "agreement" || ready.length > 1);
        if (open) link.setAttribute("href", addressFor(key, scope));
        else link.removeAttribute("href");
        link.setAttribute("aria-disabled", String(!open));
        link.setAttribute("role", "link");
      }
    }

    function leadWords(runs, passed) {
      const many = (n, one, more) => `${count(n)} ${n === 1 ? one : more}`;
      const of = (key) => new Set(passed.map(({ row }) => row[key])).size;
      if (!runs.length) return "There is no run yet. “linkassay link LINKER CORPUS” makes one.";
      const all = passed.length === runs.length ? many(runs.length, "run", "runs") : `${count(passed.length)} of ${many(runs.length, "run", "runs")}`;
      return passed.length ? `${all}: ${many(of("system"), "system", "systems")} on ${many(of("corpus"), "corpus", "corpora")}.` : `No run passes these filters; there are ${count(runs.length)}.`;
    }

    /** The form of figures, once it is known what can be chosen; a page holds figures and computes none. */
    async function offerFigures() {
      if (!app.about.can.compute) {
        more.append(h("p", { class: "fine" }, "This page holds the figures that it was made with. The command below computes others, and “linkassay serve” does so in the browser."));
        return;
      }
      const choices = await app.feed.request("choices");
      form = figureForm(choices, { onchange: (change) => set({ ...change, compute: "" }), compute });
      more.append(form.element);
    }

    async function begin() {
      await load();
      known ||= knownRuns(answer, [], "");
      await offerFigures();
      await restore(params);
    }

    const timer = HOLDS_DATA ? 0 : setInterval(again, AGAIN);
    const seen = () => { if (!document.hidden) again(); };
    if (!HOLDS_DATA) document.addEventListener("visibilitychange", seen);
    const outside = (event) => { for (const menu of element.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.removeAttribute("open"); };
    document.addEventListener("pointerdown", outside);
    return {
      element, restore, ready: app.busy(element, begin()), title: () => "Runs",
      keys: {
        j: ["next run", () => table.step(1)], ArrowDown: ["next run", () => table.step(1)],
        k: ["previous run", () => table.step(-1)], ArrowUp: ["previous run", () => table.step(-1)],
        x: ["choose the run", () => { const box = document.activeElement; if (table.element.contains(box) && box.matches("input")) /** @type {HTMLInputElement} */ (box).click(); }],
        "/": ["find runs", () => search.focus()],
      },
      close() {
        closed = true;
        work?.abort();
        clearInterval(timer);
        document.removeEventListener("visibilitychange", seen);
        document.removeEventListener("pointerdown", outside);
      },
    };
  },
};

/** What a run is called among those of its corpus; on a server it is looked at alone. */
function labelOf(system, id) {
  const corpus = HOLDS_DATA && DATA.corpora.find(({ runs }) => runs?.includes(id));
  return corpus ? corpus.systems[corpus.runs.indexOf(id)] : system;
}

/** Where all leading figures are of one measure its name heads their column, else it stands with each. */
function oneMeasure({ runs, columns }) {
  const words = new Set(runs.map(({ leading }) => leading.words).filter(Boolean));
  const at = columns.findIndex(({ key }) => key === "leading");
  if (words.size === 1) columns[at] = { ...columns[at], label: [...words][0] };
  for (const { leading } of runs) leading.said = words.size > 1 ? leading.words : "";
}
