// A list to look through, a page at a time, and beside it what was chosen of it. What is shown is in the address, so that
// a view can be kept and sent on; what answers a question that is no longer asked is not shown.

import { count, h, own } from "./dom.js";
import { errorBox } from "./waiting.js";

/** Rows that are asked for at a time, and the most that the list shows at once. */
export const PAGE_ROWS = 100;
const UNDER_BAR = 80; // px from above where the bar may hide something
const TYPING_PAUSE = 150; // ms without a key until what was typed is looked for

/**
 * @typedef {{id: string, text: string, document: string, [more: string]: any}} Row
 * @typedef {{rows: Row[], total: number, all: number, held: number, offset: number, matching?: number}} Listed
 * @typedef {Record<string, string>} State
 * @typedef {{
 *   app: any, name: string, title: string, what: string, nouns: [string, string], list: string, entry: string,
 *   defaults: State, controls: (state: State) => Record<string, [string, string[][]]>, all: string[],
 *   settled?: (state: State, change: State) => State, asked: (state: State) => object, scope: (state: State) => string,
 *   head: (state: State) => any, row: (row: Row, state: State) => any, card: (entry: any, state: State, row: Row) => any[],
 *   identity: (row: Row, state: State) => object, key?: (row: Row) => string, prepared?: Promise<any>,
 * }} Shape
 */

/**
 * A list of things to look through, as a view. `list` and `entry` are the requests for its rows and for one of them;
 * `defaults` is the state to begin with; `controls(state)` are its boxes, key → [label, options of value, text and group],
 * in the order of `all`; `settled` makes a state consistent; `asked` is the part of a request that the state makes;
 * `scope` says what it is all of; `identity` is what is asked about one row, `key` its name in the
 * address; `head` stands over the rows, `row` and `card` show one; nothing is asked before it is `prepared`.
 * @param {Shape} shape
 * @param {State} params
 */
export function listBrowser(shape, params) {
  const { app, name, title, nouns, defaults, controls, settled = (state) => state, key = (row) => row.id } = shape;
  /** @type {State} */
  let state = { ...defaults };
  /** @type {Listed | null} */
  let listed = null;
  let place = 0; // of the one that is shown, among all that pass
  let written = ""; // the question that the list answers
  /** @type {Record<string, {box: HTMLSelectElement, label: HTMLElement, offered: string}>} */
  const boxes = {};
  let typing = 0;

  const search = h("input", { type: "search", placeholder: "text, id, name", oninput: () => {
    clearTimeout(typing);
    typing = setTimeout(() => set(), TYPING_PAUSE);
  } });
  const tally = h("p", { class: "tally", "aria-live": "polite" });
  const chips = h("div", { class: "chips" });
  const head = h("div", { class: "list-head" });
  const list = h("ol", { class: "list", "aria-label": nouns[1], onkeydown: listKeys });
  const pager = h("nav", { class: "pager", "aria-label": `Pages of ${nouns[1]}` });
  const detail = h("article", { class: "detail", "aria-label": nouns[0], "aria-busy": "false" });
  const back = h("button", { type: "button", onclick: () => step(-1) }, "← Previous");
  const on = h("button", { type: "button", onclick: () => step(1) }, "Next →");
  const where = h("span", { class: "where" });
  const steps = h("div", { class: "steps" }, back, where, on);
  const pane = h("div", { class: "pane" }, steps, detail);
  const more = h("button", { type: "button", class: "quiet more-filters", "aria-expanded": "false", onclick: () => {
    more.setAttribute("aria-expanded", String(form.classList.toggle("unfolded")));
  } }, "Filters");
  for (const filter of shape.all) {
    const box = h("select", { onchange: () => set({ [filter]: box.value, at: "" }) });
    const caption = h("span");
    boxes[filter] = { box, label: h("label", { class: "folding", hidden: true }, caption, box), offered: "" };
  }
  const form = h("form", { class: "filters", "aria-label": `Filter ${nouns[1]}`, onsubmit: (event) => {
    event.preventDefault();
    set();
  } },
    Object.values(boxes).map(({ label }) => label), h("label", null, h("span", null, "Find"), search), more,
    h("button", { type: "button", class: "quiet", onclick: () => set({ ...defaults }) }, "Reset"));
  const scroller = h("div", { class: "list-scroll" }, head, list);
  const listPane = h("div", { class: "list-pane", "aria-busy": "false" }, pager, scroller);
  const [listing, reading] = [latestOnly(listPane), latestOnly(detail)];
  const element = h("section", { id: name, class: "view browser", "aria-labelledby": `${name}-title` },
    h("div", { class: "browser-head" }, h("h1", { id: `${name}-title`, tabindex: "-1" }, title), h("p", { class: "fine" }, `${shape.what} `, own(app.cohort.title), ", ", own(app.cohort.split))), form, h("div", { class: "tally-line" }, tally, chips),
    h("div", { class: "panes" }, listPane, pane));

  /** Change the state, also by what was typed, show it, and write it into the address. */
  function set(change = {}) {
    clearTimeout(typing);
    if (search.value !== state.find) change = { find: search.value, at: "", ...change };
    const shown = take({ ...state, ...change }, change);
    write();
    return shown;
  }

  function write() {
    app.navigate(name, Object.fromEntries(Object.entries(state).filter(([part, value]) => value !== defaults[part])), true);
  }

  /** Take a state and show it; anything unknown in it is ignored. */
  function take(wanted, change = {}, focused = false) {
    const known = Object.fromEntries(Object.entries(defaults).map(([part, first]) => [part, typeof wanted[part] === "string" ? wanted[part] : first]));
    const asked = settled(known, change);
    const offered = controls(asked);
    for (const [filter, each] of Object.entries(boxes)) {
      const [caption, options] = offered[filter] || ["", [[defaults[filter], ""]]];
      each.label.hidden = !offered[filter];
      each.label.firstChild.textContent = caption;
      const flat = options.map((option) => option.join("\n")).join("\n\n");
      if (each.offered !== flat) {
        each.box.replaceChildren(...boxOptions(options));
        each.offered = flat;
      }
      if (!options.some(([value]) => value === asked[filter])) asked[filter] = defaults[filter];
      each.box.value = asked[filter];
    }
    state = asked;
    if (search.value !== state.find) search.value = state.find;
    const changed = Object.keys(boxes).filter((filter) => state[filter] !== defaults[filter]).length;
    more.textContent = changed ? `Filters (${changed})` : "Filters";
    chips.replaceChildren(...(state.document ? [documentChip(state.document)] : []));
    if (question() !== written || !listed) return load({ at: state.at }, focused);
    const at = state.at ? listed.rows.findIndex((row) => key(row) === state.at) : 0;
    if (at < 0 || (!state.at && listed.offset > 0)) return load({ at: state.at }, focused);
    return open(listed.offset + at, focused);
  }

  /** What the list is asked, as text: while it is the same, the rows stay. */
  function question() {
    return JSON.stringify([app.scope, shape.asked(state)]);
  }

  function documentChip(id) {
    return h("button", { type: "button", class: "chip", onclick: () => set({ document: "", at: "" }), "aria-label": `Only document ${id}: show all documents` },
      "document ", own(id), h("span", { "aria-hidden": "true" }, " ✕"));
  }

  /** Ask for the rows from an offset, or for those around a row, and show them; `to`: which of all is opened then. */
  async function load({ at = "", to = 0 }, focused = false) {
    const said = question();
    const fresh = said !== written;
    const offset = to - (to % PAGE_ROWS);
    reading.stop();
    await listing.ask(async (signal) => {
      const answer = await app.feed.request(shape.list, { ...app.scope, ...shape.asked(state), ...(at ? { at } : { offset: String(offset) }), limit: String(PAGE_ROWS) }, { signal });
      return () => {
        written = said;
        listed = answer;
        if (fresh) scroller.scrollTop = 0;
        rows();
        const found = answer.rows.findIndex((row) => key(row) === at);
        open(found >= 0 ? answer.offset + found : Math.max(answer.offset, Math.min(to, answer.total - 1)), focused);
      };
    }, (error) => {
      listed = null;
      list.replaceChildren();
      head.replaceChildren();
      pager.replaceChildren();
      tally.textContent = "";
      steps.hidden = true;
      detail.replaceChildren(errorBox(error, () => load({ at, to })));
    });
  }

  /** Show the rows that there are now. */
  function rows() {
    const { offset, total } = listed;
    head.replaceChildren(...[shape.head(state)].flat().filter(Boolean));
    head.hidden = total === 0;
    list.replaceChildren(...listed.rows.map((row, index) => h("li", { "aria-setsize": total, "aria-posinset": offset + index + 1 },
      h("button", { type: "button", tabindex: "-1", onclick: () => choose(offset + index) }, shape.row(row, state)))));
    tally.replaceChildren(...said());
    steps.hidden = total === 0;
    const last = offset + listed.rows.length;
    const turn = (label, text, to, possible) => h("button", { type: "button", "aria-label": label, disabled: !possible, onclick: () => turned(to) }, text);
    pager.hidden = total <= PAGE_ROWS;
    pager.replaceChildren(
      turn("First page", "«", 0, offset > 0), turn("Previous page", "‹", Math.max(0, offset - PAGE_ROWS), offset > 0),
      h("span", null, `${count(offset + 1)}–${count(last)} of ${count(total)}`),
      turn("Next page", "›", last, last < total), turn("Last page", "»", total - 1 - ((total - 1) % PAGE_ROWS), last < total));
  }

  /** How many there are: of all, or of those that the page holds. */
  function said() {
    const { total, all, held, matching = total } = listed;
    const of = (n) => `${count(n)} ${n === 1 ? nouns[0] : nouns[1]}`;
    const what = shape.scope(state);
    if (held === all) return [h("b", null, of(total)), ` of ${count(all)}${what}.`];
    const holds = `the page holds ${count(held)} of ${count(all)}${what} ${nouns[1]}.`;
    return [h("b", null, of(total)), state.find || state.document ? ` found; ${holds}` : ` shown of ${count(matching)} that match; ${holds}`];
  }

  /** Show the one at a place that is among the rows. */
  async function open(to, focused = false) {
    place = to;
    const { rows, offset, total } = listed;
    const at = to - offset;
    [...list.children].forEach((item, index) => {
      const button = /** @type {HTMLElement} */ (item.firstChild);
      button.tabIndex = index === at ? 0 : -1;
      if (index === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    back.disabled = to === 0;
    on.disabled = to >= total - 1;
    where.textContent = total ? `${count(to + 1)} of ${count(total)}` : "";
    const row = rows[at];
    if (!row) {
      reading.stop();
      detail.replaceChildren(h("p", { class: "empty" }, listed.held === listed.all ? `No ${nouns[0]} passes these filters.` : `No ${nouns[0]} that the page holds passes these filters.`));
      return;
    }
    const current = /** @type {HTMLElement} */ (list.children[at]);
    const [above, below] = [current.offsetTop - head.offsetHeight, current.offsetTop + current.offsetHeight - scroller.clientHeight];
    scroller.scrollTop = Math.min(Math.max(scroller.scrollTop, below), above);
    if (focused) /** @type {HTMLElement} */ (current.firstChild).focus({ preventScroll: true });
    await reading.ask(async (signal) => {
      const entry = await app.feed.request(shape.entry, { ...app.scope, ...shape.identity(row, state) }, { signal });
      return () => detail.replaceChildren(...shape.card(entry, state, row).filter(Boolean));
    }, (error) => detail.replaceChildren(errorBox(error, () => open(to))));
  }

  /** Go to a place; rows that are not there yet are asked for. */
  async function goTo(to, focused) {
    if (!listed || to < 0 || to >= listed.total || to === place || question() !== written) return;
    const here = to >= listed.offset && to < listed.offset + listed.rows.length;
    const shown = here ? open(to, focused) : load({ to }, focused);
    if (!here) await shown;
    if (!listed || place !== to) return;
    state.at = to === 0 ? "" : key(listed.rows[to - listed.offset]);
    write();
    if (!focused) app.announce(`${where.textContent}: ${listed.rows[to - listed.offset].text}`);
  }

  function step(by) {
    goTo(place + by, list.contains(document.activeElement));
    if (steps.getBoundingClientRect().top < UNDER_BAR) pane.scrollIntoView({ behavior: "instant", block: "start" });
  }

  function choose(to) {
    goTo(to, true);
  }

  /** Another page of the list: its first row is opened, and what was pressed keeps the focus if it can. */
  async function turned(to) {
    const pressed = document.activeElement?.getAttribute("aria-label");
    await goTo(to, false);
    const again = /** @type {HTMLButtonElement[]} */ ([...pager.querySelectorAll("button")]);
    (again.find((button) => button.getAttribute("aria-label") === pressed && !button.disabled) || again.find((button) => !button.disabled))?.focus();
  }

  function listKeys(event) {
    if (!listed || event.altKey || event.ctrlKey || event.metaKey) return;
    const last = listed.total - 1;
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: last, PageDown: Math.min(last, place + 10), PageUp: Math.max(0, place - 10) }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    goTo(to, true);
  }

  const ready = shape.prepared ? shape.prepared.then(() => take(params)) : take(params);
  return {
    element, ready,
    restore: (wanted) => (shape.prepared || Promise.resolve()).then(() => take(wanted)),
    keys: {
      j: [`next ${nouns[0]}`, () => step(1)], ArrowRight: [`next ${nouns[0]}`, () => step(1)],
      k: [`previous ${nouns[0]}`, () => step(-1)], ArrowLeft: [`previous ${nouns[0]}`, () => step(-1)],
      "/": ["find", () => { search.focus(); search.select(); }],
    },
    set,
    title: () => title,
    /** Somebody came here from elsewhere: what there is is said, and reading begins at its title. */
    arrive() {
      window.scrollTo({ top: 0, behavior: "instant" });
      document.getElementById(`${name}-title`)?.focus({ preventScroll: true });
      app.announce(tally.textContent);
      return true;
    },
    close() {
      clearTimeout(typing);
      listing.stop();
      reading.stop();
    },
  };
}

/** Options of a box; those that name the same group stand together under it. */
function boxOptions(options) {
  const made = [];
  let group = null;
  for (const [value, text, of = ""] of options) {
    const option = h("option", { value }, text);
    if (!of) made.push(option);
    else if (group?.label === of) group.append(option);
    else made.push(group = h("optgroup", { label: of }, option));
  }
  return made;
}

/**
 * Asks one thing at a time: a new question ends the one before, whose answer, or error, is then not heeded. While one is
 * open, the element is busy; the style shows that only where it lasts.
 */
function latestOnly(element) {
  /** @type {AbortController | null} */
  let open = null;
  const stop = () => {
    open?.abort();
    open = null;
    element.setAttribute("aria-busy", "false");
  };
  return {
    stop,
    /** @param {(signal: AbortSignal) => Promise<() => void>} question @param {(error: any) => void} failed */
    async ask(question, failed) {
      stop();
      const mine = (open = new AbortController());
      element.setAttribute("aria-busy", "true");
      const show = await question(mine.signal).catch((error) => () => failed(error));
      if (open !== mine) return;
      stop();
      show();
    },
  };
}
