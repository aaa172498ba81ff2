// The application around the views: tabs, the address, keys, scrolling, what takes long and what went wrong.

import { addressFor, go, readAddress, rewrite } from "./address.js";
import { askAbout, makeFeed } from "./feed.js";
import { keyHelp, showTheme } from "./chrome.js";
import { DATA, HOLDS_DATA, announce, around, h, look, own, shownNow, useData } from "./dom.js";
import { reportView } from "./report.js";
import { VIEWS } from "./views.js";
import { busyWith, errorBox, watchedFeed } from "./waiting.js";

const main = document.getElementById("main");
const FIELDS = "input:not([type=checkbox]):not([type=radio]), textarea, [contenteditable]";

/** What views know of the application. */
const app = { feed: null, about: null, scope: {}, cohort: null, navigate, announce, busy, address };
/** What is shown: the view, what it gave when it was opened, and of what. */
let current = { view: null, opened: null, scope: "" };
let turn = 0;
let known = null; // the answer to `runs`, on a server
const remembered = {}; // view → its filters, for the way back by its tab

// ---- the address

/** The view that an address asks for, of what, and with which filters. Any other name is a part of the report. */
function asked() {
  const { view: name, params: { run = [], corpus, ...params } } = readAddress();
  const view = VIEWS.find((each) => each.name === name) || (name || HOLDS_DATA ? reportView : tabs()[0]);
  if (view === reportView && name !== "report") params.part = name;
  if (view.name === "runs") params.run = run;
  return { view, params, scope: scopeOf(run, corpus) };
}

function scopeOf(run, corpus) {
  if (!HOLDS_DATA) return { ...(run.length ? { run } : {}), ...(corpus ? { corpus } : {}) };
  const held = DATA.corpora.find(({ key }) => "=" + key === corpus) || DATA.corpora[0];
  return held ? { corpus: "=" + held.key } : {};
}

/**
 * The scope as addresses say it: the first corpus of a page need not be said.
 * @param {{run?: string[], corpus?: string}} scope
 */
function saidScope({ run, corpus }) {
  return { run, corpus: HOLDS_DATA && DATA.corpora[0] && corpus === "=" + DATA.corpora[0].key ? null : corpus };
}

function address(view, params = {}, scope = app.scope) {
  return addressFor(view, { ...params, ...saidScope({ ...scope, ...params }) });
}

/** Go to a view with these filters; `replace`: only say that they are shown now. */
function navigate(view, params = {}, replace = false) {
  const given = { ...params, ...saidScope({ ...app.scope, ...params }) };
  if (!replace) {
    keepPlace();
    return go(view, given);
  }
  rewrite(view, given);
  if (!HOLDS_DATA && params.run) chooseRuns(params.run);
  if (current.view?.name !== view) return void route();
  remember(view, params);
  showTitle();
}

/** The runs that all views are about are chosen in one of them. */
function chooseRuns(run) {
  const { run: _, corpus: __, ...rest } = app.scope;
  app.scope = run.length ? { ...rest, run } : rest;
  app.cohort = null;
  shownNow.runs = run;
  current.scope = JSON.stringify(app.scope);
  for (const name of Object.keys(remembered)) if (name !== "runs") delete remembered[name];
  showTabs();
}

/** Filters of a view, without what the scope says. */
function remember(view, params) {
  const { part: _, run, ...filters } = /** @type {Record<string, any>} */ (params);
  remembered[view] = HOLDS_DATA && run ? { ...filters, run } : filters;
  const tab = /** @type {HTMLAnchorElement} */ (document.querySelector(`#tabs a[data-view="${view}"]`));
  if (tab) tab.setAttribute("href", address(view, remembered[view]));
}

/** Show what the address asks for. `top`: how far it was scrolled when it was left; `moved`: somebody went there. */
async function route({ top = null, moved = true } = {}) {
  const mine = ++turn;
  const { view, params, scope } = asked();
  const of = JSON.stringify(scope);
  const same = current.view === view && current.opened && (view.free || current.scope === of);
  if (current.scope !== of) app.cohort = null;
  app.scope = scope;
  shownNow.runs = scope.run || [];
  if (same) {
    current.scope = of;
    await current.opened.restore(params);
  } else {
    current.opened?.close();
    current = { view, opened: null, scope: of };
    showTabs();
    showTitle();
    if (moved && top === null) window.scrollTo({ top: 0, behavior: "instant" });
    const opened = await opening(view, params, mine).catch((error) => notice(errorBox(error, () => route({ moved: false }))));
    if (mine !== turn) return void opened?.close();
    current.opened = opened;
  }
  if (mine !== turn) return;
  remember(view.name, params);
  showTabs();
  showSections();
  showTitle();
  if (top !== null) return scrollBack(top, mine);
  if (!moved || current.opened.arrive?.(params) || same) return;
  if (!around({ target: document.activeElement }, "header")) main.focus({ preventScroll: true });
}

/** Open a view, once it is known what there is to show; or say what is missing. */
async function opening(view, params, mine) {
  const missing = await whatIsMissing(view);
  if (mine !== turn) return null;
  if (missing) return notice(missing);
  if (!view.free && !app.cohort) {
    const place = h("div", { class: "view loading" });
    main.replaceChildren(place);
    const cohort = await busy(place, app.feed.request("cohort", app.scope));
    if (cohort === null || mine !== turn) return notice(null);
    app.cohort = cohort;
    if (!HOLDS_DATA) useData({ systems: cohort.systems, looks: cohort.systems.map((_, at) => look(at)), types: cohort.type_names, slices: cohort.slice_names });
  }
  const opened = view.open(app, params);
  main.replaceChildren(opened.element);
  await opened.ready;
  return opened;
}

/** Something in the place of a view. */
function notice(element) {
  if (element) main.replaceChildren(element);
  return { element, restore: () => route(), title: () => current.view.label, keys: {}, close() {} };
}

/** On a server most views need runs, and all but the report runs of one corpus: which, is asked for here. */
async function whatIsMissing(view) {
  if (HOLDS_DATA || view.name === "runs") return null;
  await app.feed.request("runs");
  const chosen = known.rows.filter((row) => (app.scope.run || []).includes(`${row.corpus}/${row.run}`));
  if (chosen.length && (view.free || new Set(chosen.map(cohortOf)).size === 1)) return null;
  const groups = Map.groupBy(chosen.length ? chosen : known.rows.filter(({ state }) => state === "ready"), cohortOf);
  return h("div", { class: "view asking" }, h("h1", null, view.label),
    h("p", { class: "lead" }, chosen.length ? "These runs are of several corpora or splits. This view shows one: choose it."
      : groups.size ? "Choose the runs to look at: all of a corpus here, or any in the view Runs." : "There is no run yet. “linkassay link LINKER CORPUS” makes one."),
    h("ul", { class: "asked" }, [...groups].map(([name, rows]) => h("li", null,
      h("a", { href: addressFor(view.name, { run: rows.map((row) => `${row.corpus}/${row.run}`) }) }, own(name)), h("span", { class: "fine" }, `${rows.length} ${rows.length === 1 ? "run" : "runs"}`)))));
}

function cohortOf(row) {
  return `${row.corpus}, ${row.split}`;
}

// ---- scrolling: every step of the history knows how far it was scrolled

function keepPlace() {
  if (history.state?.top !== Math.round(scrollY)) history.replaceState({ ...history.state, top: Math.round(scrollY) }, "");
}

/** Scroll to where it was, as soon as what is shown is long enough. */
function scrollBack(top, mine) {
  const end = performance.now() + 3000;
  const step = () => {
    if (mine !== turn) return;
    window.scrollTo({ top, behavior: "instant" });
    if (Math.abs(scrollY - top) > 2 && performance.now() < end) requestAnimationFrame(step);
  };
  for (const kind of ["wheel", "touchstart", "keydown", "pointerdown"]) window.addEventListener(kind, () => { top = scrollY; }, { once: true, passive: true });
  step();
}

// ---- the bar

/** The tabs: on a server the runs come first; cases are of systems that found mentions. */
function tabs() {
  const order = HOLDS_DATA ? VIEWS : [...VIEWS].sort((a, b) => Number(b.name === "runs") - Number(a.name === "runs"));
  return order.filter((view) => view.name !== "cases" || app.cohort?.found?.length || foundInScope());
}

function foundInScope() {
  const rows = known?.rows || DATA.runs?.rows || [];
  const runs = new Set(app.scope.run || DATA.corpora.find(({ key }) => "=" + key === app.scope.corpus)?.runs || []);
  return rows.some((row) => row.task === "found" && runs.has(`${row.corpus}/${row.run}`));
}

function showTabs() {
  const place = document.getElementById("tabs");
  const wanted = tabs();
  if ([...place.children].map((item) => /** @type {HTMLElement} */ (item.firstChild).dataset.view).join() !== wanted.map(({ name }) => name).join()) {
    place.replaceChildren(...wanted.map((view) => h("li", null, h("a", { "data-view": view.name }, view.label))));
  }
  for (const link of place.querySelectorAll("a")) {
    link.setAttribute("href", address(link.dataset.view, remembered[link.dataset.view]));
    if (link.dataset.view === current.view.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  place.closest("nav").hidden = wanted.length < 2;
}

/** The sections of a long view, in a line below the tabs. */
function showSections() {
  const sections = current.opened.sections?.() || [];
  const place = document.getElementById("nav");
  place.closest("nav").hidden = !sections.length;
  const flat = sections.flat().join("\n");
  if (place.dataset.of === flat) return;
  place.dataset.of = flat;
  place.replaceChildren(...sections.map(([id, href, text]) => h("li", null, h("a", { href, "data-part": id }, text))));
  showSection();
}

/** Mark the section that is being read. */
function showSection() {
  const links = [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#nav a"))];
  const line = 0.3 * innerHeight;
  const begun = links.filter((link) => document.getElementById(link.dataset.part)?.getBoundingClientRect().top < line);
  const here = begun.at(-1);
  for (const link of links) {
    if (link === here) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  const list = document.getElementById("nav");
  if (here && list.scrollWidth > list.clientWidth) list.scrollLeft = here.offsetLeft - list.clientWidth / 2;
}

function showTitle() {
  const title = current.opened?.title() || current.view.label;
  document.title = `${title} · linkassay`;
}

// ---- waiting, errors

/**
 * Show in an element that something is under way, and what went wrong if it does. Gives what the promise gives, and null
 * if it failed or was stopped.
 */
function busy(element, promise) {
  return busyWith(element, promise, () => route({ moved: false }));
}

// ---- keys

function keysOf() {
  return current.opened?.keys || {};
}

/** Whether a key means something to a box of options: arrows, Enter, or a letter that one of them begins with. */
function isForOptions(event) {
  const options = /** @type {HTMLSelectElement} */ (around(event, "select"))?.options;
  return options && (event.key.length > 1 || event.key === " " || [...options].some(({ text }) => text.toLowerCase().startsWith(event.key.toLowerCase())));
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || isForOptions(event) || around(event, `${FIELDS}, dialog, details[open][data-own-keys]`)) return;
  const act = event.key === "?" ? () => keyHelp(current.view.label, keysOf()) : keysOf()[event.key]?.[1];
  if (!act) return;
  event.preventDefault();
  act();
});

// ---- start

async function start() {
  history.scrollRestoration = "manual";
  showTheme();
  document.getElementById("help").addEventListener("click", () => keyHelp(current.view?.label || "", keysOf()));
  // a link, the browser's Back and Forward: the last two know where they were
  window.addEventListener("hashchange", () => route({ top: history.state?.top ?? null }));
  document.addEventListener("click", (event) => {
    const link = around(event, "a[href^='#']");
    if (!link) return;
    if (link.classList.contains("skip")) {
      event.preventDefault();
      main.focus();
    } else if (link.getAttribute("href") === location.hash) route();
    else keepPlace();
  });
  let timer = 0;
  window.addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(() => { keepPlace(); showSection(); }, 120);
  }, { passive: true });
  try {
    app.about = await askAbout();
    const feed = watchedFeed(makeFeed(app.about));
    app.feed = { ...feed, request: async (name, params, how) => {
      const answer = await feed.request(name, params, how);
      if (name === "runs") known = answer;
      return answer;
    } };
    if (app.about.words) useData(app.about.words);
    document.getElementById("footer").append(HOLDS_DATA
      ? `${DATA.best} Made by linkassay ${DATA.version}. ${app.about.note || "This file is complete."} It needs no network and sends nothing.`
      : `linkassay ${app.about.version}. ${app.about.note}`);
    await route({ top: history.state?.top ?? null, moved: Boolean(location.hash) });
  } catch (error) {
    main.replaceChildren(errorBox(error, () => location.reload()));
  }
}

start();
