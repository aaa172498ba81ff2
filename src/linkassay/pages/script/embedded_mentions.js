// Mentions with given spans, as the page holds them: filtered, listed, and one by one with gold and answers.

import { DATA } from "./dom.js";
import { bitSet, byPoints, matching, pageOf } from "./embedded_columns.js";
import { mentionTree, parentsById } from "./embedded_trees.js";

/** What a mention is worth by the letter of its outcome. */
const OUTCOME_WORTH = { r: 2, p: 1, w: 0, n: 0 };
/** Outcomes that are asked of two systems: whether what each is worth passes. */
const PAIR_PASSES = {
  ahead: (a, b) => a > b, differ: (a, b) => a !== b, both: (a, b) => a > 0 && b > 0, either: (a, b) => a > 0 || b > 0,
  neither: (a, b) => a < 2 && b < 2,
};
/** Outcomes of one system, by the letters of outcome and stage. */
const OUTCOME_PASSES = {
  any: () => true, missed: (verdict) => verdict !== "r", answered: (verdict) => verdict !== "n",
  credited: (verdict) => verdict === "r" || verdict === "p", right: (verdict) => verdict === "r", partly: (verdict) => verdict === "p",
  wrong: (verdict) => verdict === "w", none: (verdict) => verdict === "n",
  generation: (_, stage) => stage === "g" || stage === "b", disambiguation: (_, stage) => stage === "d" || stage === "b",
};
const NO_FILTER = { system: "any", outcome: "any", against: "any", type: "any", slice: "any", distance: "any", location: "any", set: "any", find: "", document: "", sort: "" };

/** Whether mismatches at some places in the hierarchy pass the filters of outcome, distance and location. */
function placesPass({ outcome, distance, location }) {
  const kinds = Object.keys(DATA.mismatches);
  const [{ length }, cells] = [DATA.locations, DATA.distances.length * DATA.locations.length];
  return (numbers) => numbers.some((number) => {
    const kind = kinds[Math.floor(number / cells)];
    return (kind === outcome || (kind === "virtual root" && outcome === "orthogonal"))
      && (distance === "any" || distance === DATA.distances[Math.floor((number % cells) / length)])
      && (location === "any" || location === DATA.locations[number % length]);
  });
}

/** The number of a system that is named `=LABEL`, −1 if it is not of the corpus. */
function systemNumber({ systems }, name) {
  return name.startsWith("=") ? systems.indexOf(name.slice(1)) : -1;
}

/** What the filters ask of combinations of type, slices and codes, worked out once. */
function combinationFilter({ about }, { system: asked, outcome, against: other, type, slice: part, distance, location, set: weighed }) {
  const { width, systems } = about;
  const [system, against] = [systemNumber(about, asked), systemNumber(about, other)];
  const typed = about.types.map((types) => types.split("|").includes(type.slice(1)));
  const [slice, set] = [about.slices.indexOf(part), about.sets.indexOf(weighed)];
  if (weighed !== "any" && set < 0) return () => false;
  if ((asked.startsWith("=") && system < 0) || (type !== "any" && !typed.includes(true)) || (part !== "any" && slice < 0)) return () => false;
  const there = Object.hasOwn(DATA.mismatches, outcome) ? about.places.map(placesPass({ outcome, distance, location })) : null;
  const each = systems.map((_, index) => index);
  const pass = (codes) => (index) => {
    const [verdict, stage] = [codes[width * index], codes[width * index + 1]];
    if (verdict === "x") return false;
    if (Object.hasOwn(PAIR_PASSES, outcome)) {
      const second = codes[width * against];
      return second !== undefined && second !== "x" && PAIR_PASSES[outcome](OUTCOME_WORTH[verdict], OUTCOME_WORTH[second]);
    }
    if (Object.hasOwn(OUTCOME_PASSES, outcome)) return OUTCOME_PASSES[outcome](verdict, stage);
    return there !== null && there[parseInt(codes.slice(width * index + 2, width * (index + 1)), 36)];
  };
  return ([given, slices, codes]) => {
    if (type !== "any" && !typed[given]) return false;
    if (slice >= 0 && !bitSet(slices, slice)) return false;
    if (set >= 0 && !bitSet(slices, about.slices.length + set)) return false;
    if (outcome === "left") return each.every((index) => codes[width * index] === "x");
    if (system >= 0) return pass(codes)(system);
    return asked === "every" ? each.every(pass(codes)) : each.some(pass(codes));
  };
}

/** The texts of mentions in small letters. */
function mentionTexts(held) {
  return held.lower("mentions", (row) => held.mentions.whole(row));
}

/** Which mentions have a text in their text, id, document, or the ids and names of gold. */
function textFilter(held, find) {
  const text = find.toLowerCase();
  const { golds, ids, names, mentions } = held.data;
  const golden = held.once("gold texts", () => golds.map(([ways]) => ways.flat().flatMap((number) => [ids[number], names[number] ?? ""]).map((each) => each.toLowerCase())));
  const gold = golden.map((texts) => texts.some((each) => each.includes(text)));
  const document = held.data.documents.id.map((id) => id.toLowerCase().includes(text));
  const whole = mentionTexts(held);
  const id = held.lower("mention ids", (row) => held.mentionId(row));
  return (row) => gold[mentions.gold[row]] || document[mentions.places.document[row]] || whole(row).includes(text) || id(row).includes(text);
}

/** Those of the mentions of a corpus that pass the filters, and how many there are. */
function lookedUp(held, filters) {
  const { combinations, mentions } = held.data;
  const left = filters.outcome === "left"; // then those that are scored by no system count as well
  const passes = combinations.map(combinationFilter(held, filters));
  const number = filters.document === "" ? null : held.documents.number.get(filters.document) ?? -1;
  const possible = number === null ? held.once("mentions", () => mentions.places.document.map((_, row) => row)) : number < 0 ? [] : held.rowsOf(number, mentions.places.document);
  let rows = possible.filter((row) => passes[mentions.combination[row]]);
  if (filters.find) rows = rows.filter(textFilter(held, filters.find));
  const { scored, left: unscored } = held.about.sizes;
  const whole = scored + (left ? unscored : 0);
  const mine = heldSizes(held);
  const known = mine.scored + (left ? mine.left : 0);
  const exact = !filters.find && number === null;
  const passing = exact ? combinations.reduce((sum, each, at) => (passes[at] ? sum + each[3] : sum), 0) : rows.length;
  return { rows, all: whole, held: known, passing };
}

/** How many of the mentions that are scored, and of the others, are held. */
function heldSizes(held) {
  return held.once("sizes", () => {
    const unscored = held.data.combinations.map(([, , codes]) => !/[rpwn]/.test(codes));
    const sizes = { scored: 0, left: 0 };
    for (const combination of held.data.mentions.combination) if (combination >= 0) sizes[unscored[combination] ? "left" : "scored"] += 1;
    return sizes;
  });
}

const SORT_KEYS = {
  text: mentionTexts,
  type: (held) => (row) => typeOf(held, row),
  document: (held) => (row) => held.mentions.document(row),
  rank: (held) => (row) => {
    const worst = held.data.mentions.worst[row];
    return worst === -2 ? 1 : worst === -1 ? -(2 ** 60) : -worst;
  },
};

function typeOf({ data: { mentions } }, row) {
  return mentions.types[mentions.type[row]];
}

function slicesOf({ about, data: { combinations, mentions } }, row) {
  const [, bits] = combinations[mentions.combination[row]];
  return about.slices.filter((_, bit) => bitSet(bits, bit));
}

function listed(held, row) {
  const { data } = held;
  return {
    id: held.mentionId(row), document: held.mentions.document(row), text: held.mentions.text(row), type: typeOf(held, row), slices: slicesOf(held, row),
    codes: data.combinations[data.mentions.combination[row]][2], section: data.sections[data.mentions.section[row]],
  };
}

/** The request `mentions`; of several corpora each row says its own. */
export function mentionList(corpora, params) {
  const filters = { ...NO_FILTER, ...params };
  const found = corpora.map((corpus) => ({ corpus, ...lookedUp(corpus, filters) }));
  const sum = (name) => found.reduce((n, each) => n + each[name], 0);
  const every = mentionsInOrder(found, filters.sort);
  const elsewhere = ({ about: { key } }) => params.from === "all" && params.corpus !== `=${key}`; // then its name begins with the corpus
  const { offset, rows } = pageOf(every, params, ([held, row]) => (elsewhere(held) ? `${held.about.key} ` : "") + held.mentionId(row));
  return {
    total: every.length, all: sum("all"), held: sum("held"), ...matching(every.length, sum("passing")), offset,
    rows: rows.map(([held, row]) => ({ ...(params.from === "all" ? { corpus: held.about.key } : {}), ...listed(held, row) })),
  };
}

/** Mentions of one corpus or of several, each with its corpus. */
function mentionsInOrder(found, sort) {
  const sorted = found.map(({ corpus: held, rows }) => {
    const keys = Object.fromEntries(Object.entries(SORT_KEYS).map(([name, key]) => [name, key(held)]));
    const key = keys[sort.replace(/^-/, "")];
    return held.ordered("mentions", held.data.mentions.combination.length, rows, sort, keys).map((row) => [held, row, key?.(row)]);
  });
  const every = sorted.flat();
  if (!sort || found.length === 1) return every;
  const way = sort.startsWith("-") ? -1 : 1;
  return every.sort(([, , a], [, , b]) => way * (typeof a === "string" ? byPoints(a, b) : a - b));
}

/** The request `mention`. */
export function oneMention(held, row) {
  const { about, data, mentions } = held;
  const [ways, changed] = data.golds[data.mentions.gold[row]];
  const { codes, ...entry } = listed(held, row);
  const gold = ways.map((numbers) => held.ids(numbers));
  const answers = about.systems.map((_, system) => answerOf(held, row, system, codes, new Set(gold.flat())));
  const tree = data.hierarchy && mentionTree(gold.flat(), wrongFirst(answers), held.once("parents", () => parentsById(data.hierarchy, data.ids)));
  const used = [...gold.flat(), ...answers.flatMap((answer) => (answer ? [...(answer.gold || []), ...answer.groups.flatMap(({ ids }) => ids)] : [])),
    ...(tree ? tree.nodes.map(({ id }) => id) : [])];
  return { ...entry, codes, spans: mentions.spans(row), context: mentions.context(row), gold, changed, answers, tree, names: held.names(used) };
}

function answerOf(held, row, system, codes, gold) {
  const columns = held.data.answers[system];
  const outcome = columns.outcome[row];
  if (outcome < 0) return null;
  const { width, places } = held.about;
  const code = codes.slice(width * system, width * (system + 1));
  const [why, first, fifth, candidates, rank] = columns.outcomes[outcome];
  const own = columns.gold[row] && held.ids(columns.gold[row]);
  const right = own ? new Set(own) : gold;
  const groups = held.answers(system).groups(row).map(({ numbers, ...group }) => {
    const ids = held.ids(numbers);
    return { ...group, ids, right: ids.filter((id) => right.has(id)).length };
  });
  return {
    verdict: code[0], stage: code[1], places: places[parseInt(code.slice(2), 36)], why: held.data.sentences[why], hits: [first, fifth],
    candidates, rank, ...(own ? { gold: own } : {}), groups,
  };
}

/** Of each system the ids of its first group that are not gold. */
function wrongFirst(answers) {
  const found = new Map();
  answers.forEach((answer, system) => {
    if (answer && answer.groups.length) found.set(system, answer.groups[0].ids.slice(answer.groups[0].right));
  });
  return found;
}
