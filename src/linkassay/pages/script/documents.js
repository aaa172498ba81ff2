// Documents in full, with every mark of up to four systems side by side. What is shown is in the address.

import { markChooser } from "./document_choice.js";
import { DOCUMENT_ORDERS, documentNavigator } from "./document_list.js";
import { VERDICTS, documentRows } from "./document_marks.js";
import { columnHead, markedRows, passesIn, verdictOf } from "./document_text.js";
import { MARK_MODES, MOST_COLUMNS, comparesSystems, documentTools } from "./document_tools.js";
import { count, h } from "./dom.js";

const FIRST_COLUMNS = 2; // if the address does not say which systems
const NOTHING_ASKED = { id: "", systems: "", nil: "", mode: "all", hide: "", type: "", category: "", at: "", find: "", sort: "", section: "any" };

/** Labels as one value of the address; a comma in a label is escaped. */
export function joinLabels(labels) {
  return labels.map((label) => label.replace(/[%,]/g, encodeURIComponent)).join(",");
}

function splitLabels(text, known) {
  const asked = text.split(",").map((label) => label.replaceAll("%2C", ",").replaceAll("%25", "%"));
  return [...new Set(asked)].filter((label) => known.includes(label)).slice(0, MOST_COLUMNS);
}

export const documentsView = {
  name: "documents",
  label: "Documents",
  /** @returns {{element: HTMLElement, ready: Promise<void>, arrive(): boolean, restore(params: object): Promise<void>, keys: Record<string, [string, () => void]>, title(): string, close(): void}} */
  open(app, params) {
    return openDocuments(app, params);
  },
};

/** @returns {ReturnType<typeof documentsView.open>} */
function openDocuments(app, given) {
  const { systems, found: finders = [], nil: ways, sections = [] } = app.cohort;
  const start = { ...NOTHING_ASKED, nil: ways[0] || "", systems: joinLabels(systems.slice(0, FIRST_COLUMNS)) };
  /** @type {Record<string, string>} */
  let state = { ...start };
  let found = null; // the document that is shown, with the systems it was asked for
  let rows = [];
  let drawn = null;
  let asking = null;
  let active = 0; // the column that a narrow screen shows

  const drawer = h("button", { type: "button", class: "quiet doc-drawer", "aria-expanded": "false", onclick: () => openDrawer(!element.classList.contains("has-drawer")) }, "Documents");
  const list = documentNavigator({
    request: (asked) => app.feed.request("documents", { ...app.scope, ...asked }), set, several: systems.length > 1, finders: finders.length > 0, sections, address: app.address, failed: (error) => tell(error.message),
  });
  const tools = documentTools({ cohort: app.cohort, set, turn, drawer, tab: (at) => { active = at; element.dataset.active = String(at); stepper(); } });
  const steps = h("p", { class: "doc-steps" });
  const heads = h("div", { class: "doc-heads" });
  const message = h("p", { class: "notice doc-message", role: "status", hidden: true });
  const body = h("div", { class: "doc-body" });
  const sheet = h("div", { class: "doc-sheet" }, heads, message, body);
  const chooser = markChooser({ body, sheet, address: app.address, now: () => ({ found, drawn }), told: chose, announce: app.announce });
  const side = h("div", { class: "doc-side", onkeydown: (event) => { if (event.key === "Escape") openDrawer(false); } }, list.element);
  const element = h("div", { class: "documents" }, side,
    h("section", { class: "doc-main", "aria-label": "Document" }, tools.top, tools.filters, h("div", { class: "doc-signs" }, tools.legend, tools.tabs, steps), sheet));
  const bar = document.querySelector(".bar");
  const watch = new ResizeObserver(() => element.style.setProperty("--under-bar", `${/** @type {HTMLElement} */ (bar).offsetHeight}px`));
  if (bar) watch.observe(bar);

  const labelsShown = () => splitLabels(state.systems, systems);
  const hiddenNow = () => new Set(state.hide.split(",").filter((key) => Object.hasOwn(VERDICTS, key)));

  /** What the address has to say: whatever is not as it is to begin with. */
  function said(of = state) {
    return Object.fromEntries(Object.entries(of).filter(([key, value]) => value !== start[key]));
  }

  /** Change something; `opens`: the browser's Back returns to what was before. */
  function set(change, opens = false) {
    const wanted = { ...state, ...change };
    app.navigate("documents", said(wanted), !opens);
    return take(wanted);
  }

  /** Show a state; what is unknown in it is as it is to begin with. */
  async function take(wanted) {
    const before = state;
    state = Object.fromEntries(Object.keys(start).map((key) => [key, String(wanted[key] ?? start[key])]));
    if (!ways.includes(state.nil)) state.nil = start.nil;
    if (!sections.includes(state.section)) state.section = start.section;
    if (!DOCUMENT_ORDERS.some(([value]) => value === state.sort)) state.sort = start.sort;
    if (!labelsShown().length) state.systems = start.systems;
    if (!Object.hasOwn(MARK_MODES, state.mode) || (labelsShown().length < 2 && comparesSystems(state.mode))) state.mode = "all";
    controls();
    const listed = list.show({ ...state, said: said(), labels: labelsShown().map((label) => [label, systems.indexOf(label)]) });
    if (!state.id) {
      await listed;
      if (state.id) return;
      if (list.first()) return set({ id: list.first() });
      if (message.hidden) tell(state.find ? "No document is found." : "There is no document.");
      return;
    }
    if (found?.asked !== askedNow()) return fetchDocument();
    if (["mode", "hide", "type", "category"].some((key) => state[key] !== before[key])) draw();
    reselect();
  }

  function askedNow() {
    return JSON.stringify([state.id, state.nil, labelsShown()]);
  }

  async function fetchDocument() {
    asking?.abort("left");
    const mine = asking = new AbortController();
    const [labels, asked] = [labelsShown(), askedNow()];
    const answer = await app.busy(sheet, app.feed.request("document", { ...app.scope, id: state.id, nil: state.nil, systems: labels }, { signal: mine.signal }));
    if (mine !== asking) return;
    if (!answer) return clear();
    const another = found?.id !== answer.id;
    found = { ...answer, asked, labels };
    rows = documentRows(found);
    message.hidden = true;
    controls();
    draw();
    if (another) {
      openDrawer(false);
      if (sheet.getBoundingClientRect().top < 0) element.scrollIntoView({ behavior: "instant" });
      app.announce(`Document ${answer.id}`);
    }
    reselect();
  }

  /** No document is shown. */
  function clear() {
    chooser.forget();
    drawn?.stop();
    [found, drawn] = [null, null];
    body.replaceChildren();
    heads.replaceChildren();
    message.hidden = true;
    controls();
    stepper();
  }

  /** Say something in the place of a document. */
  function tell(text) {
    clear();
    message.textContent = text;
    message.hidden = false;
  }

  function controls() {
    const labels = labelsShown();
    if (active >= labels.length) active = 0;
    element.dataset.active = String(active);
    tools.show(state, found, labels, active, (wanted) => set({ systems: joinLabels(wanted) }));
  }

  /** How many marks come to what, in each column; those that the legend hides are counted as well. */
  function counted(columns) {
    const passes = passesIn({ ...state, hidden: new Set() }, columns);
    return columns.map((column) => {
      const counts = {};
      for (const mark of found.marks) if (passes(mark, column)) counts[verdictOf(mark, column)] = (counts[verdictOf(mark, column)] || 0) + 1;
      return counts;
    });
  }

  function draw() {
    const columns = found.labels.map((_, column) => column);
    const counts = counted(columns);
    chooser.forget();
    drawn?.stop();
    drawn = markedRows(found, rows, found.labels, passesIn({ ...state, hidden: hiddenNow() }, columns));
    heads.className = `doc-heads cols-${columns.length}`;
    heads.replaceChildren(...found.labels.map((label, at) => columnHead(label, found.figures[at], counts[at], at)));
    tools.explain(counts, hiddenNow());
    body.replaceChildren(...[found.left_out ? h("p", { class: "notice doc-left" }, found.left_out) : null,
      rows.length ? drawn.element : h("p", { class: "empty" }, "There is no text to show.")].filter(Boolean));
    const first = drawn.shown[0];
    if (first && rows.length) drawn.sign(first.mark, first.column).tabIndex = 0;
    stepper();
  }

  /** Marks in reading order, each once; a narrow screen has those of its column. */
  function stops(errors) {
    if (!drawn) return [];
    const narrow = found.labels.length > 1 && getComputedStyle(tools.tabs).display !== "none";
    const wanted = drawn.shown.filter(({ verdict, column }) => (!errors || VERDICTS[verdict][2]) && (!narrow || column === active));
    return wanted.filter((each, at) => !at || wanted[at - 1].mark !== each.mark);
  }

  function stepper() {
    const errors = stops(true);
    const at = errors.findIndex(({ mark }) => mark === chooser.chosen()?.mark);
    steps.hidden = !found;
    const button = (label, key, sign, by) => h("button", { type: "button", class: "quiet", title: `${label} (${key})`, "aria-label": label, disabled: !errors.length, onclick: () => step(by, true) }, sign);
    steps.replaceChildren(button("Previous error", "k", "↑", -1),
      h("span", { class: "doc-at" }, `${at >= 0 ? `${count(at + 1)} of ` : ""}${errors.length ? count(errors.length) : "no"} ${errors.length === 1 ? "error" : "errors"}`),
      button("Next error", "j", "↓", 1));
  }

  /** Go to the next mark, or error; where nothing is chosen to the first one. */
  function step(by, errors) {
    if (!drawn) return;
    const all = stops(errors);
    const what = errors ? "error" : "mark";
    const from = chooser.chosen()?.mark ?? (by > 0 ? -1 : found.marks.length);
    const to = by > 0 ? all.find(({ mark }) => mark > from) : all.findLast(({ mark }) => mark < from);
    if (!to) return app.announce(all.length ? `No further ${what} in this document.` : `There is no ${what} in this document.`);
    drawn.sign(to.mark, to.column).focus({ preventScroll: true });
    chooser.choose(to);
    chooser.reveal(to);
  }

  async function turn(by) {
    const id = found && await list.beside(by, by < 0 ? found.previous : found.next);
    if (id) await set({ id, at: "" }, true);
    else app.announce(by < 0 ? "This is the first document." : "This is the last document.");
  }

  /** The reader chose a mark, or none: the address says so. */
  function chose(mark) {
    state = { ...state, at: mark === null ? "" : found.marks[mark].id };
    app.navigate("documents", said(), true);
    stepper();
  }

  /** The mark that the address names, in the first column that shows it. */
  function reselect() {
    const chosen = chooser.chosen();
    if (chosen && found.marks[chosen.mark].id === state.at) return;
    const to = state.at ? drawn.shown.find(({ mark }) => found.marks[mark].id === state.at) : null;
    if (!to && !chosen) return;
    chooser.show(to || null);
    stepper();
    if (to) chooser.reveal(to);
  }

  function openDrawer(on) {
    if (!on && side.contains(document.activeElement) && getComputedStyle(drawer).display !== "none") drawer.focus();
    element.classList.toggle("has-drawer", on);
    drawer.setAttribute("aria-expanded", String(on));
    if (on) list.focus();
  }

  const ready = take({ ...start, ...given });
  return {
    element, ready,
    arrive: () => chooser.isOpen(),
    restore: (params) => take({ ...start, ...params }),
    title: () => (state.id ? `${state.id} · Documents` : "Documents"),
    keys: {
      j: ["next error", () => step(1, true)],
      k: ["previous error", () => step(-1, true)],
      n: ["next mark", () => step(1, false)],
      p: ["previous mark", () => step(-1, false)],
      ArrowRight: ["next document", () => turn(1)],
      ArrowLeft: ["previous document", () => turn(-1)],
      "/": ["find a document", () => openDrawer(true)],
      Escape: ["close the card", () => (chooser.isOpen() ? chooser.close() : openDrawer(false))],
    },
    close() {
      asking?.abort("left");
      drawn?.stop();
      chooser.end();
      watch.disconnect();
    },
  };
}
