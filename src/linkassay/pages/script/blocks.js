// Sections and what they consist of. What is in a section is decided when the report is written.

import { addressFor } from "./address.js";
import { chart } from "./charts.js";
import { DATA, count, h, own, shownNow, systemName, unbroken } from "./dom.js";
import { table } from "./tables.js";

/** The address of the mentions, or cases, that pass these filters. */
export function addressOf({ part = "mentions", ...filters }, corpus) {
  return inCorpus(addressFor(part, filters), corpus);
}

/** Views of the runs of one corpus; of the others a report may show several. */
const OF_ONE_CORPUS = /^#(?:mentions|cases|documents)\b/;

/** An address with the corpus it is meant for, or with the runs that were chosen; the first corpus need not be said. */
export function inCorpus(address, corpus) {
  if (address.includes("&run=")) return address;
  if (shownNow.runs.length) {
    const mine = OF_ONE_CORPUS.test(address) && DATA.corpora.find(({ key }) => key === corpus)?.runs;
    const of = mine && shownNow.runs.filter((run) => mine.includes(run));
    const runs = addressFor("", { run: of || shownNow.runs }).slice(1);
    return address + runs + (of || !needsSaying(corpus) ? "" : corpusSaid(corpus));
  }
  return needsSaying(corpus) && !address.includes("&corpus=") ? address + corpusSaid(corpus) : address;
}

function needsSaying(corpus) {
  return corpus && DATA.corpora.length && corpus !== DATA.corpora[0].key;
}

function corpusSaid(corpus) {
  return `&corpus=${encodeURIComponent("=" + corpus)}`;
}

/** A link from a figure to its mentions; which corpus is shown is known when it is followed. */
export function opener(filters, properties, ...children) {
  return h("a", { ...properties, href: addressOf(filters, shownNow.corpus.key) }, children);
}

export const BLOCKS = {
  table: (block) => table(block),
  chart: (block) => chart(block, shownNow.corpus.key),
  systems: (block) => h("ul", { class: "explained" }, block.items.map(([label, text]) => h("li", null, systemName(label), h("span", null, text)))),
  text: (block) => h("p", { class: "fine" }, block.text),
  heading: (block) => h("h3", null, block.text),
  facts: (block) => h("dl", { class: "facts" }, block.items.map(([name, { text, open }]) =>
    h("div", null, h("dt", null, name), h("dd", null, open ? opener(open, { class: "figure", "aria-label": `${name} ${text}: show its mentions` }, text) : text)))),
  details: (block) => {
    const element = h("details", null, h("summary", null, block.summary));
    // made when it is first opened: a page of many corpora stays quick
    element.addEventListener("toggle", () => element.append(...block.blocks.map(shown).flat()), { once: true });
    return element;
  },
  choice: (block) => {
    const place = h("div", { class: "chosen" });
    const show = (blocks) => place.replaceChildren(...blocks.map(shown).flat());
    show(block.options[0][1]);
    if (block.options.length === 1) return place;
    if (block.options.length > MOST_BUTTONS) {
      const box = h("select", { onchange: () => show(block.options[box.selectedIndex][1]) }, block.options.map(([label]) => h("option", null, label)));
      return [h("label", { class: "chooser-of-many" }, h("span", null, block.label), box), place];
    }
    const name = `choice-${++made}`;
    return [h("fieldset", { class: "choice" }, h("legend", { class: "hidden" }, block.label),
      block.options.map(([label, blocks], index) => h("label", null,
        h("input", { type: "radio", name, value: label, checked: index === 0, onchange: () => show(blocks) }), h("span", null, label)))), place];
  },
  cards: (block) => h("div", { class: "abouts" }, block.cards.map(({ title, entries }) => h("div", { class: "about" }, title ? h("h3", null, title) : null,
    h("dl", null, entries.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, own(typeof value === "number" ? count(value) : value)))))))),
};
const MOST_BUTTONS = 6; // of a choice; more are a list
let made = 0;

function shown(block) {
  return BLOCKS[block.kind](block);
}

/** What it shows, how to read it, and what the terms mean. */
function explained({ shows, read, terms }) {
  if (!shows) return null;
  return h("div", { class: "note" }, h("p", null, h("b", null, "What it shows. "), unbroken(shows)), h("p", null, h("b", null, "How to read it. "), unbroken(read)),
    terms.length ? h("details", null, h("summary", null, "Definitions"),
      h("dl", null, terms.map((term) => h("div", null, h("dt", null, term), h("dd", null, DATA.definitions[term]))))) : null);
}

export function part(section, ...content) {
  return h("section", { id: section.id, class: "part", "data-short": section.short, "aria-labelledby": `${section.id}-title` },
    h("h2", { id: `${section.id}-title`, tabindex: "-1" }, section.title), content, ...besides(section));
}

/** The words that explain a section follow its first picture, or all of it. */
function besides(section) {
  const at = section.blocks.findIndex((block) => block.kind === "chart" && block.spec);
  const made = section.blocks.map(shown);
  made.splice(at < 0 ? made.length : at + 1, 0, explained(section));
  return made.flat();
}
