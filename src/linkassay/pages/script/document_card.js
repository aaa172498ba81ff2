// What is known of one mark: gold, what each system said, why that counts as it does, and where to read more.

import { VERDICTS } from "./document_marks.js";
import { verdictOf } from "./document_text.js";
import { h, own, systemName, typeName } from "./dom.js";
import { entityLink } from "./entity_links.js";

const FLAG_SAID = {
  optional: "optional", nil: "NIL", coreference: "coreference", part: "part of a composite", alternative: "alternative to a longer mention", stray: "belongs to no mention",
};
const LEADS_TO = { mentions: "All candidates", cases: "The case" };

/**
 * The card of a mark; `others` are further marks at its place, `select` opens one of them, `close` puts the card away.
 * @param {{found: any, labels: string[], mark: number, column: number, others: number[], address(view: string, params: object): string, select(mark: number): void, close(): void}} what
 */
export function markCard({ found, labels, mark: number, column, others, address, select, close }) {
  const { marks, names } = found;
  const mark = marks[number];
  const parent = mark.parent === null ? -1 : marks.findIndex(({ id }) => id === mark.parent);
  const tags = [...(mark.type ? mark.type.split("|").map(typeName) : []), ...mark.flags.map((flag) => FLAG_SAID[flag] || flag), ...(mark.spans.length > 1 ? [`${mark.spans.length} pieces`] : [])];
  const leads = (at) => h("button", { type: "button", class: "quiet", onclick: () => select(at) }, own(marks[at].text || "…"));
  return [
    h("div", { class: "card-head" }, h("p", { class: "card-text", dir: "auto" }, mark.text || "text left out"),
      h("button", { type: "button", class: "card-close", "aria-label": "Close", title: "Close (Esc)", onclick: close }, "×")),
    tags.length ? h("ul", { class: "tags", "aria-label": "Type and kind" }, tags.map((tag) => h("li", { class: "tag" }, own(tag)))) : null,
    goldPart(mark, names),
    h("ul", { class: "card-answers" }, labels.map((label, at) => answerPart(mark, at, label, { names, address, here: at === column && labels.length > 1 }))),
    parent >= 0 ? h("p", { class: "fine" }, "Belongs to ", leads(parent)) : null,
    others.length ? h("p", { class: "fine" }, "Also here: ", others.flatMap((at) => [leads(at), " "])) : null,
  ].filter(Boolean);
}

function goldPart({ gold }, names) {
  if (gold === null) return h("p", { class: "card-gold none" }, "Gold has no mention here.");
  if (!gold.length) return h("p", { class: "card-gold" }, h("span", { class: "card-label" }, "Gold "), "NIL: no entity of the knowledge base");
  return h("div", { class: "card-gold" }, h("span", { class: "card-label" }, gold.length > 1 ? "Gold, any of" : "Gold"),
    h("ul", null, gold.map((ids) => h("li", null, ids.length ? ids.flatMap((id, at) => [at ? h("span", { class: "joint" }, " with ") : null, entityLink(id, names)]) : "removed from the knowledge base"))));
}

function answerPart(mark, column, label, { names, address, here }) {
  const answer = mark.answers[column];
  const verdict = verdictOf(mark, column);
  const [word, sign] = verdict ? VERDICTS[verdict] : ["nothing here", ""];
  const { part, ...filters } = answer?.at || { part: "" };
  return h("li", { class: `card-answer v-${verdict || "unscored"}${here ? " is-here" : ""}` },
    h("h3", null, systemName(label), h("span", { class: "card-verdict" }, sign ? h("span", { "aria-hidden": "true" }, `${sign} `) : null, word)),
    answer ? h("p", { class: "card-said" }, !answer.said ? "no answer" : answer.said.length ? answer.said.flatMap((id, at) => [at ? h("span", { class: "joint" }, " tied with ") : null, entityLink(id, names)]) : "NIL: no entity of the knowledge base") : null,
    h("p", { class: "why" }, answer ? answer.why : mark.gold === null ? "It predicted nothing on this span." : "It counts for nothing by itself.",
      part ? [" ", h("a", { class: "card-more", href: address(part, filters) }, `${LEADS_TO[part] || "More"} →`)] : null),
    answer?.categories.length ? h("ul", { class: "tags", "aria-label": "Error categories" }, answer.categories.map((category) => h("li", { class: "tag error" }, own(category)))) : null);
}
