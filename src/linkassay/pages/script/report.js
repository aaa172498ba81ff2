// The report: what is said of all corpora, then the chosen corpus. One long page with a line of its sections above.

import { BLOCKS, inCorpus, part } from "./blocks.js";
import { DATA, HOLDS_DATA, h, own, shownNow, unbroken, useData } from "./dom.js";

function head(level, title, over, sentence, facts) {
  return h("div", { class: "head" }, over ? h("p", { class: "over" }, over) : null, h(level, { class: level === "h2" ? "title" : null }, own(title)),
    h("p", { class: "lead" }, unbroken(sentence)), facts ? BLOCKS.facts({ items: facts }) : null);
}

/** The place of the chosen corpus, shown anew when another is chosen. */
function corpusPart(corpus) {
  const several = DATA.corpora.length > 1;
  return [
    several ? h("div", { class: "chooser" }, chooser(), head("h2", corpus.title, null, corpus.sentence, corpus.facts)) : null,
    ...[...corpus.before, ...corpus.after].map((section) => part(section)),
  ];
}

function chooser() {
  const box = h("select", { id: "corpus-choice", onchange: () => { location.hash = inCorpus("#corpus", box.value); } },
    DATA.corpora.map((corpus) => h("option", { value: corpus.key, selected: corpus.key === shownNow.corpus.key }, `${corpus.title}, ${corpus.split}`)));
  return h("label", { class: "corpus-choice" }, h("span", null, "Corpus"), box);
}

/** What is doubtful about the figures, before any of them. */
function warnings() {
  if (!DATA.warnings.length) return null;
  return h("aside", { class: "warnings", "aria-labelledby": "warnings-title" },
    h("h2", { id: "warnings-title" }, DATA.warnings.length === 1 ? "A warning" : `${DATA.warnings.length} warnings`),
    h("ul", null, DATA.warnings.map(({ kind, about, message, cure }) => h("li", { "data-kind": kind },
      h("strong", null, about), `: ${unbroken(message)}${cure ? "; " : /[.…]$/.test(message) ? "" : "."}`, cure ? h("span", { class: "cure" }, cure.split(/(--[\w-]+)/).map((part) => (part.startsWith("--") ? h("span", { class: "whole" }, part) : part))) : null))));
}

function termsPart() {
  return h("section", { id: "terms", class: "part", "aria-labelledby": "terms-title" }, h("h2", { id: "terms-title", tabindex: "-1" }, "Terms"),
    h("dl", { class: "terms" }, Object.entries(DATA.definitions).map(([term, text]) => h("div", null, h("dt", null, term), h("dd", null, text)))));
}


/** All parts that do not change with the corpus; those of the corpus stand in `place`. */
function wholeReport(place) {
  const several = DATA.corpora.length > 1;
  const [only] = DATA.corpora;
  return [
    head("h1", DATA.title, several || !only ? `Entity linking report · ${DATA.corpora.length} corpora` : ["Entity linking report · ", own(only.split), " split"],
      DATA.sentence, several || !only ? null : only.facts),
    warnings(), ...DATA.failed.map((section) => part(section)), ...DATA.overview.map((section) => part(section)),
    place, ...DATA.plan.map((section) => part(section)), termsPart()].filter(Boolean);
}

export const reportView = {
  name: "report", label: "Report", free: true,

  open(app, params) {
    const element = h("div", { class: "view report" });
    const place = h("div", { id: "corpus" });
    let made = null; // the runs that it is made of
    let corpus = null;

    /** Show what the address asks for; the report itself is there in a page, and asked for on a server. */
    async function restore(_asked) {
      const runs = (app.scope.run || []).join(" ");
      if (made !== runs) {
        if (!HOLDS_DATA) {
          const told = await app.busy(element, app.feed.request("report", { run: app.scope.run }));
          if (told === null) return;
          useData(told);
        }
        shownNow.corpus = DATA.corpora[0] || { key: "" };
        [made, corpus] = [runs, null];
        element.replaceChildren(...wholeReport(place));
      }
      const wanted = DATA.corpora.find(({ key }) => "=" + key === app.scope.corpus) || DATA.corpora[0];
      if (wanted && wanted !== corpus) {
        shownNow.corpus = corpus = wanted;
        place.replaceChildren(...corpusPart(wanted).filter(Boolean));
      }
    }

    /** To the part after the one that is being read, or before it. */
    function step(by) {
      const parts = [...element.querySelectorAll("section.part")];
      const edge = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) + 8;
      const at = parts.findIndex((section) => section.querySelector("h2") === document.activeElement);
      const begun = at >= 0 ? at : parts.filter((section) => section.getBoundingClientRect().top < edge).length - 1;
      const to = parts[Math.max(0, Math.min(begun + by, parts.length - 1))];
      to?.scrollIntoView({ behavior: "instant" });
      /** @type {HTMLElement} */ (to?.querySelector("h2"))?.focus({ preventScroll: true });
    }

    return {
      element, restore, ready: restore(params), close() {},
      title: () => DATA.title,
      keys: { j: ["next part", () => step(1)], k: ["previous part", () => step(-1)] },
      sections: () => [.../** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll("section.part"))].map((section) =>
        [section.id, inCorpus(`#${section.id}`, shownNow.corpus.key), section.dataset.short || section.querySelector("h2").textContent]),
      /** Bring the part that was asked for into view. */
      arrive({ part: asked }) {
        const there = asked && document.getElementById(asked);
        if (!there || !element.contains(there)) return false;
        there.scrollIntoView({ behavior: "instant" });
        document.getElementById(`${asked}-title`)?.focus({ preventScroll: true });
        return true;
      },
    };
  },
};
