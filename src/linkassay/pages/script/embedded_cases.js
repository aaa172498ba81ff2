// End-to-end cases as the page holds them: gold labels, and predictions on none, of a system under a way to count NIL.

import { bitSet, matching, pageOf } from "./embedded_columns.js";

/** The number of the system among those that found mentions, and of the way to count NIL; −1 where there is none. */
export function caseColumns({ about: { found, nil: ways } }, { system = "", nil = ways[0] }) {
  return [system ? found.indexOf(system.slice(1)) : 0, ways.indexOf(nil)];
}

/** Whether the bits of a case are what is asked for. */
function countedFilter({ about: { filters } }, counted) {
  const masks = Object.fromEntries(filters.map(([key, , bits]) => [key, bits]));
  const any = (key) => (bits) => (masks[key] || []).some((bit) => bitSet(bits, bit));
  if (counted === "any") return () => true;
  if (counted === "nothing") return (bits) => bits === 0;
  if (!counted.endsWith("_avoided")) return any(counted);
  // The bit of what a category is of comes after that of its errors; one of both may be no filter here.
  const name = counted.slice(0, -"_avoided".length);
  const errors = masks[`${name}_errors`]?.[0] ?? (masks[`${name}_total`] || masks[`${name}_accuracy`])?.[0] - 1;
  return (bits) => errors >= 0 && bitSet(bits, errors + 1) && !bitSet(bits, errors);
}

/** What a case counts for, of its bits and the number of its groups: all, or what it does in one group; −1 if it is not in it. */
function countedIn({ data: { grouped }, about: { groups, of_answer: ofAnswer } }, group) {
  if (group === "any") return (bits) => bits;
  const at = groups.findIndex(([name]) => name === group);
  const sides = grouped.map((each) => each.map((numbers) => numbers.includes(at)));
  return (bits, number) => {
    const [gold, said] = sides[number];
    if (!gold && !said) return -1;
    const answered = ofAnswer.reduce((sum, bit) => sum + (bitSet(bits, bit) ? 2 ** bit : 0), 0);
    return (gold ? bits - answered : 0) + (said ? answered : 0);
  };
}

/** The texts of cases in small letters. */
function caseTexts(held, found) {
  return held.lower(`cases ${found}`, (row) => held.cases(found).whole(row));
}

/** Which cases have a text in their text, document, or the ids and names of gold and answer. */
function caseTextFilter(held, found, find) {
  const text = find.toLowerCase();
  const { cases, documents, ids, names, sets } = held.data;
  const { gold, said, places } = cases[found];
  const texts = held.once("set texts", () => sets.map((numbers) => numbers.flatMap((number) => [ids[number], names[number] ?? ""]).map((each) => each.toLowerCase())));
  const set = texts.map((each) => each.some((one) => one.includes(text)));
  const document = documents.id.map((id) => id.toLowerCase().includes(text));
  const whole = caseTexts(held, found);
  return (row) => set[gold[row]] || set[said[row]] || document[places.document[row]] || whole(row).includes(text);
}

const CASE_SORT_KEYS = {
  text: caseTexts,
  document: (held, found) => (row) => held.cases(found).document(row),
};

/** The request `cases`. */
export function caseList(held, params) {
  const { counted = "any", group = "any", find = "", document = "", sort = "" } = params;
  const [found, way] = caseColumns(held, params);
  const columns = held.data.cases[found];
  if (!columns || way < 0) return { total: 0, all: 0, held: 0, offset: 0, rows: [] };
  const [bits, passes, counting] = [columns.bits[way], countedFilter(held, counted), countedIn(held, group)];
  const kept = (mine, groups) => {
    const counts = counting(mine, groups);
    return counts >= 0 && passes(counts);
  };
  const mine = held.once(`cases ${found} ${way}`, () => bits.map((_, row) => row).filter((row) => bits[row] >= 0));
  let rows = mine.filter((row) => kept(bits[row], columns.groups[row]));
  if (document) rows = rows.filter((row) => held.cases(found).document(row) === document);
  if (find) rows = rows.filter(caseTextFilter(held, found, find));
  const totals = columns.totals[way];
  const sum = (passing) => totals.reduce((n, [each, groups, many]) => (passing(each, groups) ? n + many : n), 0);
  const keys = Object.fromEntries(Object.entries(CASE_SORT_KEYS).map(([name, key]) => [name, key(held, found)]));
  const page = pageOf(held.ordered(`cases ${found}`, bits.length, rows, sort, keys), params, (row) => held.caseId(found, row));
  return {
    total: rows.length, all: sum(() => true), held: mine.length, ...matching(rows.length, find || document ? rows.length : sum(kept)), offset: page.offset,
    rows: page.rows.map((row) => ({ id: held.caseId(found, row), document: held.cases(found).document(row), text: held.cases(found).text(row), bits: bits[row] })),
  };
}

/** The request `case`; undefined if it is not held. */
export function oneCase(held, params) {
  const [found, way] = caseColumns(held, params);
  const columns = held.data.cases[found];
  const row = columns && held.caseRow(found, params.id);
  if (row === undefined || way < 0 || columns.bits[way][row] < 0) return undefined;
  const [places, gold, said] = [held.cases(found), held.set(columns.gold[row]), held.set(columns.said[row])];
  return {
    id: params.id, document: places.document(row), text: places.text(row), spans: places.spans(row), context: places.context(row), gold, said,
    bits: columns.bits[way][row], why: held.data.sentences[columns.why[way][row]], names: held.names([...(gold || []), ...(said || [])]),
  };
}
