// Sections and what they consist of. What is in a section is decided when the report is written.

/** The address of the mentions, or cases, that pass these filters. */
function addressOf({ part = "mentions", ...filters }, corpus) {
  const parts = Object.entries(filters).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  return inCorpus("#" + [part, ...parts].join("&"), corpus);
}

/** An address of the page with the corpus it is meant for; the first one need not be said. */
function inCorpus(address, corpus) {
  const said = corpus && corpus !== DATA.corpora[0].key && !address.includes("&corpus=");
  return said ? `${address}&corpus=${encodeURIComponent("=" + corpus)}` : address;
}

/** A link from a figure to its mentions; which corpus is shown is known when it is followed. */
function opener(filters, properties, ...children) {
  return h("a", { ...properties, href: addressOf(filters, current.key) }, children);
}

const BLOCKS = {
  table: (block) => table(block),
  chart: (block) => chart(block, current.key),
  text: (block) => h("p", { class: "fine" }, block.text),
  heading: (block) => h("h3", null, block.text),
  cases: (block) => {
    browsers.cases = caseBrowser(block, current);
    return h("div", { id: "cases", class: "cases" }, h("h3", { id: "cases-title", tabindex: "-1" }, "Labels and predictions, one by one"), browsers.cases.element);
  },
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
    const name = `choice-${++made}`;
    return [h("fieldset", { class: "choice" }, h("legend", { class: "hidden" }, block.label),
      block.options.map(([label, blocks], index) => h("label", null,
        h("input", { type: "radio", name, value: label, checked: index === 0, onchange: () => show(blocks) }), h("span", null, label)))), place];
  },
  cards: (block) => h("div", { class: "abouts" }, block.cards.map(({ title, entries }) => h("div", { class: "about" }, title ? h("h3", null, title) : null,
    h("dl", null, entries.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, own(typeof value === "number" ? count(value) : value)))))))),
};
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

function part(section, ...content) {
  return h("section", { id: section.id, class: "part", "data-short": section.short, "aria-labelledby": `${section.id}-title` },
    h("h2", { id: `${section.id}-title`, tabindex: "-1" }, section.title), content, ...besides(section));
}

/** The first chart has the words that explain it at its side, where there is room. */
function besides(section) {
  const at = section.blocks.findIndex((block) => block.kind === "chart");
  const made = section.blocks.map(shown);
  if (at < 0) return [...made.flat(), explained(section)];
  made[at] = h("div", { class: "beside" }, made[at], explained(section));
  return made.flat();
}
