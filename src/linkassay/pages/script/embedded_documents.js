// Documents as the page holds them: the list with what each system reached in them, and one with all its marks.

import { bitSet, pageOf } from "./embedded_columns.js";

/** What annotations may be; the place of a word is its bit. */
const FLAG_WORDS = ["optional", "nil", "coreference", "part", "alternative", "stray"];
/** Bits of linking of a case on an annotation → verdict; and of letters of outcomes. */
const CASE_VERDICTS = { 1: "right", 2: "wrong", 3: "partly", 4: "missed", 6: "wrong" };
const LETTER_VERDICTS = { r: "right", p: "partly", w: "wrong", n: "missed" };

/** What a system reached in a document, null where there is nothing to reach. */
function figureOf({ data: { documents } }, system, document, way) {
  const { right, n, ...counts } = documents.figures[system];
  if (right) return n[document] ? { right: right[document], n: n[document] } : null;
  return Object.fromEntries(Object.entries(counts).map(([name, ways]) => [name, ways[way][document]]));
}

/** What went wrong in a document, over all systems; of one that was given mentions all errors are false negatives. */
function errorsIn(held, document, way, kinds) {
  return held.about.systems.reduce((sum, _, system) => {
    const found = figureOf(held, system, document, way);
    if (!found) return sum;
    if ("n" in found) return kinds.includes("fn") ? sum + Math.round((found.n - found.right) * 1e4) / 1e4 : sum;
    return kinds.reduce((both, kind) => both + found[kind], sum);
  }, 0);
}

/** The request `documents`. */
export function documentList(held, params) {
  const { find = "", section = "any", nil = held.about.nil[0], sort = "" } = params;
  const { documents, sections } = held.data;
  const way = Math.max(0, held.about.nil.indexOf(nil));
  const text = find.toLowerCase();
  const kind = sections.indexOf(section);
  const every = held.once("documents", () => documents.id.map((_, at) => at));
  const rows = every.filter((at) => (!section || section === "any" || documents.passages[at].some((each, place) => place % 3 === 0 && each === kind))
    && (!text || documents.id[at].toLowerCase().includes(text) || documents.title[at].toLowerCase().includes(text)));
  const keys = {
    id: (at) => documents.id[at], errors: (at) => -errorsIn(held, at, way, ["fn", "fp"]), fn: (at) => -errorsIn(held, at, way, ["fn"]), fp: (at) => -errorsIn(held, at, way, ["fp"]), differ: (at) => -documents.differ[at], mentions: (at) => -documents.mentions[at],
    chars: (at) => -documents.chars[at],
  };
  const page = pageOf(held.ordered(`documents ${way}`, every.length, rows, sort, keys), params, (at) => documents.id[at]);
  return {
    total: rows.length, offset: page.offset,
    rows: page.rows.map((at) => ({
      id: documents.id[at], title: documents.title[at], chars: documents.chars[at], mentions: documents.mentions[at],
      systems: held.about.systems.map((_, system) => figureOf(held, system, at, way)),
    })),
  };
}

/** The request `document`; of some systems only, if any are named. */
export function oneDocument(held, number, params) {
  const { about, data } = held;
  const way = Math.max(0, about.nil.indexOf(params.nil ?? about.nil[0]));
  const wanted = [params.systems || []].flat().map((label) => about.systems.indexOf(label)).filter((at) => at >= 0);
  const systems = wanted.length ? wanted : about.systems.map((_, at) => at);
  const { id, title, chars, passages } = data.documents;
  const triples = passages[number].flatMap((_, at, flat) => (at % 3 ? [] : [[data.sections[flat[at]], flat[at + 1], flat[at + 2]]]));
  const marks = marksOf(held, number, systems, way);
  const used = marks.flatMap((mark) => [...(mark.gold || []).flat(), ...mark.answers.flatMap((answer) => (answer && answer.said) || [])]);
  return {
    id: id[number], title: title[number], length: chars[number], pieces: held.documents.held(number).map(({ offset, text }) => [offset, text]), passages: triples,
    systems: systems.map((system) => about.systems[system]), marks,
    figures: systems.map((system) => figureOf(held, system, number, way)), previous: id[number - 1] ?? null, next: id[number + 1] ?? null,
    names: held.names(used), left_out: data.left_out,
  };
}

/** Annotations and predictions on none, in the order in which they are read. */
function marksOf(held, number, systems, way) {
  const { about, data } = held;
  const { mentions } = data;
  const cases = systems.map((system) => about.found.indexOf(about.systems[system]));
  const onLabel = cases.map((found) => (found < 0 ? null : new Map()));
  const alone = new Map(); // of all systems, by id
  cases.forEach((found, place) => {
    if (found < 0) return;
    const columns = data.cases[found];
    for (const row of held.rowsOf(number, columns.places.document)) {
      if (columns.bits[way][row] < 0) continue;
      if (columns.label[row] >= 0) onLabel[place].set(columns.label[row], row);
      else {
        const id = held.caseId(found, row);
        if (!alone.has(id)) {
          const places = held.cases(found);
          alone.set(id, { id, spans: places.spans(row), text: places.text(row), type: "", gold: null, flags: [], parent: null, answers: systems.map(() => null) });
        }
        alone.get(id).answers[place] = caseAnswer(held, found, row, way, [], id);
      }
    }
  });
  const annotations = held.rowsOf(number, mentions.places.document).map((row) => {
    const id = held.mentionId(row);
    const parent = mentions.parent ? mentions.parent[row] : -1;
    const flags = FLAG_WORDS.filter((_, bit) => mentions.flags && bitSet(mentions.flags[row], bit));
    const answers = systems.map((system, place) => {
      if (cases[place] < 0) return parent < 0 ? givenAnswer(held, system, row, flags, id) : null;
      const mine = onLabel[place].get(row);
      return mine === undefined ? null : caseAnswer(held, cases[place], mine, way, flags, id);
    });
    const gold = data.golds[mentions.gold[row]][0].map((numbers) => held.ids(numbers));
    return { id, spans: held.mentions.spans(row), text: held.mentions.text(row), type: mentions.types[mentions.type[row]], gold, flags,
      parent: parent < 0 ? null : held.mentionId(parent), answers };
  });
  const place = ({ spans, gold }) => (spans.length ? [spans[0][0], -Math.max(...spans.map(([, end]) => end)), gold === null ? 1 : 0] : [-1, 0, 0]);
  const placed = [...annotations, ...alone.values()].map((mark) => /** @type {[any, number[]]} */ ([mark, place(mark)]));
  return placed.sort(([, a], [, b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]).map(([mark]) => mark);
}

/** What a system that found mentions says of a mark. */
function caseAnswer(held, found, row, way, flags, id) {
  const { about, data } = held;
  const columns = data.cases[found];
  const [bits, said, isAlone] = [columns.bits[way][row], held.set(columns.said[row]), columns.label[row] < 0];
  const unscored = flags.includes("optional") ? "optional" : flags.includes("nil") ? "nil" : "unscored";
  const counted = bits % 8;
  const verdict = counted ? (isAlone ? "spurious" : CASE_VERDICTS[counted]) : isAlone ? (said && !said.length ? "nil" : "unscored") : unscored;
  return {
    verdict, said, why: data.sentences[columns.why[way][row]], categories: about.errors.filter(([bit]) => bitSet(bits, bit)).map(([, words]) => words),
    at: { part: "cases", system: `=${about.found[found]}`, nil: about.nil[way], at: id },
  };
}

/** What a system that was given a mention says of it. */
function givenAnswer(held, system, row, flags, id) {
  const { about, data } = held;
  const codes = data.combinations[data.mentions.combination[row]][2];
  const letter = codes[about.width * system];
  const outcome = data.answers[system].outcome[row];
  const groups = outcome < 0 ? [] : held.answers(system).groups(row);
  const none = about.systems.every((_, at) => codes[about.width * at] === "x");
  return {
    verdict: LETTER_VERDICTS[letter] || (flags.includes("nil") ? "nil" : "unscored"), said: groups.length ? held.ids(groups[0].numbers) : null,
    why: outcome < 0 ? "" : data.sentences[data.answers[system].outcomes[outcome][0]], categories: [],
    at: { part: "mentions", ...(letter === "x" ? {} : { system: `=${about.systems[system]}` }), outcome: letter === "x" && none ? "left" : "any", at: id },
  };
}
