// Puts the page together: what is said of all corpora, then the chosen corpus; which one, and where, is in the address.

let current = DATA.corpora[0] || { key: "" };
let browsers = {}; // by their place: `mentions`, and `cases` where a corpus has them
let used = "mentions"; // the one that keys are for
const main = document.getElementById("main");

/** A range and a percentage stay on one line. */
function unbroken(text) {
  return text.replace(/(\d)–(\d)/g, "$1\u2060–\u2060$2").replaceAll(" %", "\u00a0%").replaceAll("p = ", "p\u00a0=\u00a0").replace(/p ([<≥]) /g, "p\u00a0$1\u00a0");
}

function head(level, title, over, sentence, facts) {
  return h("div", { class: "head" }, over ? h("p", { class: "over" }, over) : null, h(level, { class: level === "h2" ? "title" : null }, own(title)),
    h("p", { class: "lead" }, unbroken(sentence)), facts ? BLOCKS.facts({ items: facts }) : null);
}

/** The place of the chosen corpus, shown anew when another is chosen. */
function corpusPart(corpus) {
  browsers = { mentions: mentionBrowser(corpus) };
  const several = DATA.corpora.length > 1;
  return [
    several ? h("div", { class: "chooser" }, chooser(), head("h2", corpus.title, null, corpus.sentence, corpus.facts)) : null,
    ...paired(corpus.before), part(DATA.mentions, browsers.mentions.element), ...corpus.after.map((section) => part(section)),
  ];
}

/** Sections that are narrow stand side by side. */
function paired(sections) {
  const narrow = ["curve", "failures", "unseen", "cost"];
  const found = [];
  for (let at = 0; at < sections.length; at += 1) {
    const [one, other] = [sections[at], sections[at + 1]];
    if (other && narrow.includes(one.id) && narrow.includes(other.id)) {
      found.push(h("div", { class: "columns" }, part(one), part(other)));
      at += 1;
    } else found.push(part(one));
  }
  return found;
}

function chooser() {
  const box = h("select", { id: "corpus-choice", onchange: () => { location.hash = inCorpus("#corpus", box.value) || "#corpus"; } },
    DATA.corpora.map((corpus) => h("option", { value: corpus.key, selected: corpus.key === current.key }, `${corpus.title}, ${corpus.split}`)));
  return h("label", { class: "corpus-choice" }, h("span", null, "Corpus"), box);
}

/** What is doubtful about the figures, before any of them. */
function warnings() {
  if (!DATA.warnings.length) return null;
  return h("aside", { class: "warnings", "aria-labelledby": "warnings-title" },
    h("h2", { id: "warnings-title" }, DATA.warnings.length === 1 ? "A warning" : `${DATA.warnings.length} warnings`),
    h("ul", null, DATA.warnings.map(({ kind, about, message, cure }) => h("li", { "data-kind": kind },
      h("strong", null, about), ` ${unbroken(message)}${/[.…]$/.test(message) ? "" : "."}`, cure ? h("span", { class: "cure" }, ` ${cure}`) : null))));
}

function termsPart() {
  return h("section", { id: "terms", class: "part", "aria-labelledby": "terms-title" }, h("h2", { id: "terms-title", tabindex: "-1" }, "Terms"),
    h("dl", { class: "terms" }, Object.entries(DATA.definitions).map(([term, text]) => h("div", null, h("dt", null, term), h("dd", null, text)))));
}

function navigation() {
  const links = [...main.querySelectorAll("section.part")].map((section) =>
    h("li", null, h("a", { href: inCorpus(`#${section.id}`, current.key) }, section.dataset.short || section.querySelector("h2").textContent)));
  document.getElementById("nav").replaceChildren(...links);
}

function theme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    button.textContent = dark() ? "Light" : "Dark";
  };
  // private windows may refuse storage; the choice then lasts as long as the page
  const storage = (act) => { try { return act(localStorage); } catch { return null; } };
  const kept = storage((s) => s.getItem("linkassay-theme"));
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    storage((s) => s.setItem("linkassay-theme", root.dataset.theme));
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

/** What an address asks for: a part of the page, a corpus, filters of mentions. */
function asked() {
  const [part, ...rest] = location.hash.slice(1).split("&");
  const filters = {};
  for (const each of rest) {
    const [key, ...value] = each.split("=");
    try {
      filters[key] = decodeURIComponent(value.join("="));
    } catch {
      continue;
    }
  }
  const corpus = DATA.corpora.find(({ key }) => "=" + key === filters.corpus) || DATA.corpora[0];
  delete filters.corpus;
  return { part, corpus, filters };
}

/** Show what the address asks for; `moved`: the reader went there, so it is brought into view. */
function route(moved) {
  const { part, corpus, filters } = asked();
  if (corpus && (corpus !== current || !browsers.mentions)) {
    current = corpus;
    document.getElementById("corpus").replaceChildren(...corpusPart(corpus).filter(Boolean));
    navigation();
  }
  browsers[part]?.restore(filters);
  if (browsers[part]) used = part;
  const place = part && document.getElementById(part);
  if (!place || !moved) return;
  place.scrollIntoView({ behavior: "instant" });
  if (browsers[part]) announce(browsers[part].tally());
  document.getElementById(`${part}-title`)?.focus({ preventScroll: true });
}

theme();
const several = DATA.corpora.length > 1;
const [only] = DATA.corpora;
main.append(...[
  head("h1", DATA.title, several || !only ? `Entity linking report · ${DATA.corpora.length} corpora` : ["Entity linking report · ", own(only.split), " split"],
    DATA.sentence, several || !only ? null : only.facts),
  warnings(), ...DATA.failed.map((section) => part(section)), ...DATA.overview.map((section) => part(section)),
  h("div", { id: "corpus" }), ...DATA.plan.map((section) => part(section)), termsPart()].filter(Boolean));
document.getElementById("footer").append(`${DATA.best} Made by linkassay ${DATA.version}. This file is complete: it needs no network and sends nothing.`);
route(Boolean(location.hash));
navigation();
// The list of mentions writes its own address without moving; a link or the browser's Back moves.
window.addEventListener("hashchange", () => route(true));
document.addEventListener("pointerdown", ({ target }) => { used = target.closest?.("#cases, #mentions")?.id || used; });
document.addEventListener("focusin", ({ target }) => { used = target.closest?.("#cases, #mentions")?.id || used; });
document.addEventListener("keydown", (event) => {
  const act = { j: (browser) => browser.step(1), k: (browser) => browser.step(-1), "/": (browser) => browser.find() }[event.key];
  const browser = browsers[used] || browsers.mentions;
  if (!act || !browser || event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea")) return;
  event.preventDefault();
  act(browser);
  browser.element.scrollIntoView({ behavior: "instant", block: "nearest" });
});
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href^='#']");
  if (link && link.getAttribute("href") === location.hash) route(true);
});
