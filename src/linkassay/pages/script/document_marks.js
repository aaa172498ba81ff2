// Where marks stand in a text: rows of text, lanes for marks that overlap, and segments that the same marks cover. Nothing
// here is drawn. Places are code points.

import { codePoints, countBelow } from "./code_points.js";

/** What an answer may come to: its word, its sign, whether it is an error, what it means. */
export const VERDICTS = {
  right: ["right", "✓", false, "The answer is the gold entity."],
  partly: ["partly", "◐", true, "Gold is among several answers at the first rank."],
  wrong: ["wrong", "✕", true, "The mention was found, and linked to another entity."],
  missed: ["missed", "○", true, "Nothing was answered where gold has a mention."],
  spurious: ["spurious", "+", true, "An answer where gold has no mention."],
  optional: ["optional", "◇", false, "A mention that need not be found: it counts nothing."],
  nil: ["NIL", "∅", false, "No entity of the knowledge base: it counts nothing as NIL is handled here."],
  unscored: ["unscored", "–", false, "Shown, and counted in no figure."],
};

const NEAR = 160; // code points between two pieces of a mention that are tied by a line
const MOST_LANES = 6;

/**
 * The text as rows: a row is a line of a passage, in stretches without a gap; where `before` (or `after`, of a row) is
 * true, text was left out.
 * @returns {{kind: string, first: boolean, after: boolean, stretches: {start: number, end: number, before: boolean, text: ReturnType<typeof codePoints>}[]}[]}
 */
export function documentRows({ length, pieces, passages, marks }) {
  const sections = [...passages].sort((one, other) => one[1] - other[1]);
  const starts = sections.map(([, offset]) => offset);
  const rows = [];
  let [reached, section, row] = [0, -1, null];
  for (const [offset, string] of heldPieces(pieces, marks)) {
    const text = codePoints(string);
    const lines = new Set([...string.matchAll(/\n+/g)].map((found) => offset + text.place(found.index + found[0].length)));
    const cuts = [...new Set([...starts, ...lines, offset, offset + text.length])]
      .filter((place) => place >= offset && place <= offset + text.length).sort((one, other) => one - other);
    for (let at = 0; at < cuts.length - 1; at += 1) {
      const [start, end] = [cuts[at], cuts[at + 1]];
      const here = countBelow(starts, (place) => place <= start) - 1;
      if (!row || here !== section || row.ended) {
        row = { kind: here < 0 ? "" : sections[here][0], first: here >= 0 && here !== section, after: false, stretches: [] };
        rows.push(row);
      }
      row.ended = lines.has(end);
      row.stretches.push({ start, end, before: start > reached, text: codePoints(text.slice(start - offset, end - offset)) });
      [section, reached] = [here, end];
    }
  }
  if (row && reached < length) row.after = true;
  return rows;
}

/** The pieces of text in order, none twice; of marks that stand in none of them their own text. */
function heldPieces(pieces, marks) {
  const held = inOrder(pieces);
  const ends = held.map(([offset, string]) => offset + codePoints(string).length);
  const lost = marks.filter(({ spans }) => spans.some(([start, end]) => {
    const at = countBelow(held, ([offset]) => offset <= start) - 1;
    return end > start && (at < 0 || ends[at] < end);
  }));
  return lost.length ? inOrder([...held, ...lost.flatMap(ownPieces)]) : held;
}

function inOrder(pieces) {
  const found = [];
  let reached = 0;
  for (const [offset, string] of [...pieces].sort((one, other) => one[0] - other[0])) {
    const text = codePoints(string);
    const end = offset + text.length;
    if (end > reached) {
      found.push(offset >= reached ? [offset, string] : [reached, text.slice(reached - offset)]);
      reached = end;
    }
  }
  return found;
}

/** A mark's text at its spans, where the two fit together; blocks where they do not. */
function ownPieces({ spans, text }) {
  const own = codePoints(text || "");
  const fits = own.length === spans.reduce((sum, [start, end]) => sum + end - start + 1, -1);
  let at = 0;
  return spans.map(([start, end]) => {
    const piece = fits ? own.slice(at, at + end - start) : "░".repeat(Math.max(0, end - start));
    at += end - start + 1;
    return [start, piece];
  });
}

/** The stretches that a mark takes in its lane: pieces that stand near each other are tied. */
function taken(spans) {
  const found = [];
  for (const [start, end] of spans) {
    const last = found.at(-1);
    if (last && start - last[1] <= NEAR) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found.filter(([start, end]) => end > start);
}

/**
 * A lane for each mark, so that no two in one lane overlap; short marks come first, so that what is inside stands nearer to
 * the text. Past the last lane they share it.
 * @param {{spans: number[][]}[]} marks
 * @returns {number[]}
 */
export function lanesOf(marks) {
  const all = marks.map(({ spans }) => taken(spans));
  const size = all.map((list) => list.reduce((sum, [start, end]) => sum + end - start, 0));
  const order = [...marks.keys()].sort((one, other) => size[one] - size[other] || marks[one].spans[0][0] - marks[other].spans[0][0] || one - other);
  const lanes = [];
  const found = marks.map(() => 0);
  for (const mark of order) {
    let lane = 0;
    while (lane < MOST_LANES - 1 && lanes[lane] && all[mark].some((stretch) => overlaps(lanes[lane], stretch))) lane += 1;
    found[mark] = lane;
    lanes[lane] ||= [];
    for (const stretch of all[mark]) lanes[lane].splice(countBelow(lanes[lane], ([start]) => start < stretch[0]), 0, stretch);
  }
  return found;
}

/** Does a stretch overlap one of a lane, which are in order? */
function overlaps(lane, stretch) {
  const [start, end] = stretch;
  const next = countBelow(lane, ([from]) => from < end);
  return next > 0 && lane[next - 1][1] > start;
}

/**
 * What each row is made of, in one pass over the ends of marks: `{before: true}` where text was left out, else a `text`
 * with what `covers` it, the lowest lane last (of a tie between two pieces `tie` is true), and `signs`: the marks that
 * end here, each once.
 * @param {ReturnType<typeof documentRows>} rows
 * @param {{spans: number[][]}[]} marks
 * @param {number[]} lanes
 */
export function segmentRows(rows, marks, lanes) {
  const edges = [];
  for (const [mark, { spans }] of marks.entries()) {
    for (const [at, [start, end]] of spans.entries()) {
      const next = spans[at + 1]?.[0];
      if (end > start) edges.push({ start, end, mark, tie: false, on: next !== undefined && next - end > NEAR });
      if (next > end && next - end <= NEAR) edges.push({ start: end, end: next, mark, tie: true, on: false });
    }
  }
  const opened = edges.sort((one, other) => one.start - other.start);
  const closing = edges.map(({ end }) => end).sort((one, other) => one - other);
  const signs = [...marks.keys()].sort((one, other) => lastPlace(marks[one]) - lastPlace(marks[other]) || lanes[one] - lanes[other]);
  let [nextOpened, nextClosing, nextSign, active] = [0, 0, 0, []];
  const ended = (place) => {
    const from = nextSign;
    while (nextSign < signs.length && lastPlace(marks[signs[nextSign]]) <= place) nextSign += 1;
    return signs.slice(from, nextSign);
  };
  const found = rows.map(({ stretches, after }) => {
    const items = [];
    for (const { start, end, text, before } of stretches) {
      if (before) items.push({ before: true });
      const early = ended(start);
      if (early.length) items.push({ text: "", covers: [], signs: early });
      for (let place = start; place < end;) {
        while (nextOpened < opened.length && opened[nextOpened].start <= place) active.push(opened[nextOpened++]);
        while (nextClosing < closing.length && closing[nextClosing] <= place) nextClosing += 1;
        active = active.filter((edge) => edge.end > place);
        const sign = nextSign < signs.length ? lastPlace(marks[signs[nextSign]]) : end; // of an empty mark nothing else ends there
        const next = Math.min(end, sign, opened[nextOpened]?.start ?? end, closing[nextClosing] ?? end);
        items.push({
          text: text.slice(place - start, next - start), signs: ended(next),
          covers: active.map((edge) => ({ mark: edge.mark, tie: edge.tie, lane: lanes[edge.mark], first: edge.start === place, last: edge.end === next, on: edge.on }))
            .sort((one, other) => other.lane - one.lane || one.mark - other.mark),
        });
        place = next;
      }
    }
    if (after) items.push({ before: true });
    return items;
  });
  const late = ended(Infinity);
  if (late.length && found.length) found.at(-1).push({ text: "", covers: [], signs: late });
  return found;
}

/** Where the sign of a mark stands: behind its last piece. */
function lastPlace({ spans }) {
  return spans.at(-1)[1];
}
