// One mention, or one end-to-end case: where it stands, what is gold, what systems said, and why that counts as it does.

import { joinLabels } from "./documents.js";
import { DATA, count, h, own, score, systemName, typeName } from "./dom.js";
import { entityLink } from "./entity_links.js";
import { smallTree } from "./tree.js";

export const VERDICT_MARKS = { r: "✓", p: "◐", w: "✕", n: "○", x: "–" };
export const VERDICT_CLASSES = { r: "right", p: "partly", w: "wrong", n: "none", x: "none" };
const MOST_PLACES = 4; // of one answer that are said

export function outcomeName(verdict) {
  return DATA.outcomes[verdict] || "not scored";
}

/** Where in the hierarchy a mismatch lies, by its number: `mismatches.place_of` of the program. */
function placeOf(number) {
  const [{ length }, cells] = [DATA.locations, DATA.distances.length * DATA.locations.length];
  return { kind: Object.keys(DATA.mismatches)[Math.floor(number / cells)], distance: DATA.distances[Math.floor((number % cells) / length)] };
}

/** Where in the hierarchy a wrong answer lies, in words. */
function placesSaid(numbers) {
  const said = [...new Set(numbers.map(placeOf).map(({ kind, distance }) => (kind === "outside" ? DATA.mismatches[kind]
    : `${kind === "virtual root" ? `orthogonal, ${DATA.mismatches[kind]}` : kind}, distance ${distance}`)))];
  const more = said.length - MOST_PLACES;
  return said.length ? ` In the hierarchy: ${said.slice(0, MOST_PLACES).join("; ")}${more > 0 ? `; and ${more} more` : ""}.` : null;
}

/**
 * One mention: where it stands, what is gold, where that and the answers lie, what each system said and what that is worth.
 * `systems` are those of its corpus, `asked` those that come first, `corpus` is its cohort where there are several;
 * `only(document)` shows the mentions of a document.
 */
export function mentionCard(entry, { app, systems, asked = [], slices, corpus = null, only }) {
  const first = asked.map((label) => systems.indexOf(label.slice(1))).filter((at) => at >= 0);
  const order = [...new Set([...first, ...systems.keys()])];
  const entity = (id) => entityLink(id, entry.names);
  return [
    cardMeta(entry, { app, only, shown: first.map((at) => systems[at]), corpus, type: entry.type, tags: entry.slices.map((name) => slices[name] || name), of: "Slices" }),
    inContext(entry),
    h("div", { class: "gold" }, h("h2", null, "Gold"),
      h("ul", null, entry.gold.map((ids) => h("li", null, ids.length
        ? ids.flatMap((id, index) => [index ? h("span", { class: "joint" }, " with ") : null, entity(id)]) : "removed from the knowledge base")),
      entry.gold.length ? null : h("li", null, "none: the corpus gives no id")),
      entry.gold.some((ids) => ids.length > 1) ? h("p", { class: "fine" }, "Composite: any of its entities counts as right.") : null,
      entry.gold.length > 1 ? h("p", { class: "fine" }, "Alternatives: any of them is right.") : null,
      entry.changed.map(([old, now]) => h("p", { class: "fine" }, "The corpus says ", own(old), now.length
        ? [", now ", own(now.join(", ")), "."] : ", which is no longer in the knowledge base."))),
    entry.tree ? smallTree(entry, systems) : null,
    h("div", { class: "answers" }, order.map((index) => answerCard(entry.answers[index], systems[index], entity))),
  ];
}

/** Type, document and further properties of what a card is about; in the document it is shown for `shown` systems. */
function cardMeta(entry, { app, only, shown, nil = "", corpus = null, type = null, tags, of }) {
  const open = app.address("documents", { id: entry.document, at: entry.id, systems: joinLabels(shown), nil, ...(corpus ? { corpus: "=" + corpus.key } : {}) });
  return h("div", { class: "meta" }, type === null ? null : h("span", { class: "tag type" }, own(typeName(type))),
    h("span", { class: "whence" }, "document ", own(entry.document), corpus ? [" of ", own(corpus.title)] : null, entry.section ? [", ", own(entry.section)] : null),
    h("a", { class: "out", href: open }, "open the document"),
    h("button", { type: "button", class: "link", onclick: () => only(entry.document) }, "only this document"),
    tags.length ? h("ul", { class: "tags", "aria-label": of }, tags.map((name) => h("li", { class: "tag" }, own(name)))) : null);
}

function answerCard(answer, system, entity) {
  const verdict = answer?.verdict || "x";
  const label = h("h2", null, systemName(system), h("span", { class: `verdict ${VERDICT_CLASSES[verdict]}` }, `${VERDICT_MARKS[verdict]} ${outcomeName(verdict)}`));
  if (!answer) {
    return h("section", { class: "answer" }, label, h("p", { class: "why" }, "Gold has no current id in its knowledge base."));
  }
  const hidden = answer.candidates - answer.groups.reduce((sum, group) => sum + group.size, 0);
  return h("section", { class: "answer" }, label, h("p", { class: "why" }, answer.why, placesSaid(answer.places || [])),
    answer.gold ? h("p", { class: "fine" }, "Gold in its knowledge base: ", answer.gold.flatMap((id, index) => [index ? ", " : null, entity(id)])) : null,
    answer.groups.length ? h("ol", { class: "candidates" }, answer.groups.map((group) => candidateRow(group, entity))) : null,
    hidden > 0 ? h("p", { class: "fine" }, `${count(hidden)} further candidates are not shown.`) : null);
}

/** Candidates at one rank: those tied share the row. */
function candidateRow(group, entity) {
  const rank = group.size === 1 ? String(group.rank) : `${group.rank}–${group.rank + group.size - 1}`;
  const more = group.size - group.ids.length;
  return h("li", { class: group.right ? "has-gold" : null },
    h("span", { class: "rank" }, rank),
    h("span", { class: "ids" }, group.ids.map((id, index) =>
      h("span", { class: index < group.right ? "candidate is-gold" : "candidate" },
        index < group.right ? h("span", { class: "mark right", role: "img", "aria-label": "gold" }, "✓") : null, entity(id))),
    more > 0 ? h("span", { class: "fine" }, `and ${count(more)} more, tied`) : null),
    h("span", { class: "score" }, group.score === null ? null : [h("span", { class: "hidden" }, "score "), score(group.score)]));
}

function inContext(entry) {
  if (!entry.context.length) return h("p", { class: "fine" }, "The text of this corpus is not shown here.");
  return h("p", { class: "context", dir: "auto" }, entry.context.map(([text, marked]) => (marked ? h("mark", null, text) : text)));
}

/** What the lower three bits of a case's counts stand for: name, mark, class. */
export const COUNTED = { 1: ["true positive", "✓", "right"], 2: ["false positive", "✕", "wrong"], 4: ["false negative", "○", "none"],
  6: ["false negative and false positive", "✕", "wrong"], 3: ["true and false positive", "◐", "partly"], 0: ["counts nothing", "–", "none"] };

/** Whether a bit of a number of up to 53 bits is set. */
export function hasBit(bits, bit) {
  return Math.floor(bits / 2 ** bit) % 2 === 1;
}

/** What a case counts for, in linking and in recognition. */
export function countedAs(bits) {
  return [["linking", COUNTED[bits % 8] || COUNTED[0]], ["recognition", COUNTED[Math.floor(bits / 8) % 8] || COUNTED[0]]];
}

/** One end-to-end case: a gold label, or a prediction where there is none. `errors` and `avoided` are categories in words. */
export function caseCard(entry, { app, system, nil, errors, avoided, only }) {
  const entity = (id) => entityLink(id, entry.names);
  const ids = (those, none, joint) => (those === null ? none : those.length ? those.flatMap((id, index) => [index ? h("span", { class: "joint" }, joint) : null, entity(id)]) : "NIL: not in the knowledge base");
  return [
    cardMeta(entry, { app, only, shown: [system], nil, tags: errors, of: "Categories of errors" }),
    inContext(entry),
    h("div", { class: "gold" }, h("h2", null, "Gold"), h("p", null, ids(entry.gold, "no mention here", " with "))),
    h("section", { class: "answer" }, h("h2", null, systemName(system)),
      h("p", null, ids(entry.said, "nothing predicted here", " tied with ")), h("p", { class: "why" }, entry.why),
      h("dl", { class: "counted" }, countedAs(entry.bits).map(([task, [said, mark, kind]]) =>
        h("div", null, h("dt", null, task), h("dd", { class: `verdict ${kind}` }, `${mark} ${said}`))))),
    avoided.length ? h("p", { class: "fine" }, h("b", null, "Errors avoided: "), avoided.join("; "), ".") : null,
  ];
}
