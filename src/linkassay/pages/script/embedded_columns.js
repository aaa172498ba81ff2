// What the page holds of its corpora: opened, and read row by row. `explorer.embedded` says what each column is.

import { codePoints, countBelow } from "./code_points.js";

const SHOWN_TEXT = 120; // code points of a mention's text that are shown, at most
const SHOWN_CONTEXT = 320; // of a piece of its context
const GROUP_IDS = 12; // ids that are held of a group of tied candidates, at most

/** The columns of the page: base64 of gzip of JSON. */
export async function openColumns(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const opened = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(opened).text());
}

/** A text, its middle left out if it is longer than some code points. */
function clipped(text, longest) {
  if (text.length <= longest) return text;
  const points = codePoints(text);
  const half = longest / 2;
  return points.length <= longest ? text : `${points.slice(0, half)} … ${points.slice(points.length - half)}`;
}

/** Where the parts of each row begin in columns of all parts; `counts` null: `each` of every row. */
function begins(rows, counts, each = 1) {
  const found = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row += 1) found[row + 1] = found[row] + (counts ? counts[row] : each);
  return found;
}

/** Whether a bit of a number of up to 53 bits is set. */
export function bitSet(bits, bit) {
  return Math.floor(bits / 2 ** bit) % 2 === 1;
}

/** Texts in the order of their code points, which is not always that of their units. */
export function byPoints(one, other) {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return (a >= 0xd800 && a < 0xe000) === (b >= 0xd800 && b < 0xe000) ? a - b : a >= 0xd800 && a < 0xe000 ? 1 : -1;
  }
  return one.length - other.length;
}

/** The part of some rows that is asked for, 100 of them if nothing is said, 1000 at most; or that which the row with an id is in. */
export function pageOf(rows, { offset = 0, limit = 100, at = "" }, idOf) {
  const many = Math.min(1000, Math.max(1, Number(limit)));
  const place = at ? Math.max(0, rows.findIndex((row) => idOf(row) === at)) : 0;
  const first = at ? place - (place % many) : Math.max(0, Number(offset));
  return { offset: first, rows: rows.slice(first, first + many) };
}

/** How many there are beside those that are held, where a sample is. */
export function matching(total, passing) {
  return total === passing ? {} : { matching: passing };
}

/** The documents of a corpus: their ids and what is held of their texts. */
class HeldDocuments {
  constructor(columns) {
    this.columns = columns;
    this.number = new Map(columns.id.map((id, at) => [id, at]));
    this.pieces = new Map(); // of the documents that were looked into
  }

  /** The pieces of a document's text that are held, each with its offset. */
  held(document) {
    if (!this.pieces.has(document)) {
      const flat = this.columns.pieces[document];
      const found = [];
      for (let at = 0; at < flat.length; at += 2) found.push({ offset: flat[at], text: flat[at + 1], points: codePoints(flat[at + 1]) });
      this.pieces.set(document, found);
    }
    return this.pieces.get(document);
  }

  /** A part of the text, "" where it is not held. */
  text(document, start, end) {
    const piece = this.held(document).find(({ offset, points }) => offset <= start && end <= offset + points.length);
    return piece ? piece.points.slice(start - piece.offset, end - piece.offset) : "";
  }
}

/** Where mentions or cases stand, and their contexts. */
class HeldPlaces {
  constructor(columns, documents) {
    this.columns = columns;
    this.documents = documents;
    this.begins = begins(columns.document.length, columns.pieces);
  }

  spans(row) {
    const { start, end } = this.columns;
    const found = [];
    for (let at = this.begins[row]; at < this.begins[row + 1]; at += 1) found.push([start[at], end[at]]);
    return found;
  }

  /** The spans as ids have them. */
  said(row) {
    return this.spans(row).map(([start, end]) => `${start}-${end}`).join(",");
  }

  document(row) {
    return this.documents.columns.id[this.columns.document[row]];
  }

  whole(row) {
    const { document, text } = this.columns;
    return text[row] ?? this.spans(row).map(([start, end]) => this.documents.text(document[row], start, end)).join(" ");
  }

  text(row) {
    return clipped(this.whole(row), SHOWN_TEXT);
  }

  /** Pieces of text, and whether each belongs to the mention. */
  context(row) {
    const { document, before, after, cut } = this.columns;
    const parts = [];
    const add = (text, marked) => { if (text) parts.push([text, marked]); };
    if (before[row] < 0) {
      add(clipped(this.whole(row), SHOWN_CONTEXT), true);
      return parts;
    }
    const spans = this.spans(row);
    const text = (start, end) => this.documents.text(document[row], start, end);
    const [first, last] = [spans[0][0], Math.max(...spans.map(([, end]) => end))];
    const ways = cut ? cut[row] : 0;
    add((ways & 1 ? "…" : "") + text(first - before[row], first), false);
    let at = first;
    for (const [start, end] of spans) {
      if (start > at) add(clipped(text(at, start), SHOWN_CONTEXT), false);
      add(clipped(text(start, end), SHOWN_CONTEXT), true);
      at = end;
    }
    add(text(last, last + after[row]) + (ways & 2 ? "…" : ""), false);
    return parts;
  }
}

/** What one system said of the mentions. */
class HeldAnswers {
  constructor(columns) {
    this.columns = columns;
    this.groupBegins = begins(columns.outcome.length, columns.groups, columns.most);
    const groups = this.groupBegins[columns.outcome.length];
    this.idBegins = begins(groups, columns.sizes && columns.sizes.map((size) => Math.min(size, GROUP_IDS)));
  }

  /** The groups of candidates that are shown: rank, size, score, and numbers of ids. */
  groups(row) {
    const { ids, ranks, scores, sizes } = this.columns;
    const found = [];
    let rank = 1;
    for (let at = this.groupBegins[row]; at < this.groupBegins[row + 1]; at += 1) {
      const size = sizes ? sizes[at] : 1;
      found.push({ rank: ranks[row] ? ranks[row][found.length] : rank, size, score: scores ? scores[at] : null, numbers: ids.slice(this.idBegins[at], this.idBegins[at + 1]) });
      rank += size;
    }
    return found;
  }
}

/** All that is held of one corpus; what is large is prepared when it is first asked for. */
export class HeldCorpus {
  constructor(data) {
    this.data = data;
    this.about = data.cohort;
    this.documents = new HeldDocuments(data.documents);
    this.mentions = new HeldPlaces(data.mentions.places, this.documents);
    this.parts = new Map();
  }

  once(name, make) {
    if (!this.parts.has(name)) this.parts.set(name, make());
    return this.parts.get(name);
  }

  answers(system) {
    return this.once(`answers ${system}`, () => new HeldAnswers(this.data.answers[system]));
  }

  /** Where the cases of a system that found mentions stand. */
  cases(found) {
    return this.once(`cases ${found}`, () => new HeldPlaces(this.data.cases[found].places, this.documents));
  }

  mentionId(row) {
    const { id, type, types } = this.data.mentions;
    return id[row] || `${this.mentions.document(row)}:${this.mentions.said(row)}:${types[type[row]]}`;
  }

  caseId(found, row) {
    const { id, label } = this.data.cases[found];
    const places = this.cases(found);
    return id[row] || (label[row] >= 0 ? this.mentionId(label[row]) : `${places.document(row)} ${places.said(row)} alone`);
  }

  /** The row of a mention with this id, undefined if it is not held. */
  mentionRow(id) {
    return this.once("mention rows", () => new Map(this.data.mentions.places.document.map((_, row) => [this.mentionId(row), row]))).get(id);
  }

  caseRow(found, id) {
    return this.once(`case rows ${found}`, () => new Map(this.data.cases[found].places.document.map((_, row) => [this.caseId(found, row), row]))).get(id);
  }

  /** The rows of a document in a column of documents' numbers, which ascends. */
  rowsOf(document, column) {
    const [first, end] = [document, document + 1].map((number) => countBelow(column, (each) => each < number));
    return Array.from({ length: end - first }, (_, at) => first + at);
  }

  ids(numbers) {
    return numbers.map((number) => this.data.ids[number]);
  }

  /** A set of ids: none for NIL, null where there is nothing. */
  set(number) {
    return number === -2 ? null : number === -1 ? [] : this.ids(this.data.sets[number]);
  }

  /** Names of ids, null for those that are not in the knowledge base. */
  names(ids) {
    const number = this.once("numbers", () => new Map(this.data.ids.map((id, at) => [id, at])));
    return Object.fromEntries([...new Set(ids)].map((id) => [id, number.has(id) ? this.data.names[number.get(id)] : null]));
  }

  /**
   * Some rows of a list in an order: by what `keys` say of each, those that are equal as they come; `-` before the name:
   * all the other way round. The whole list is put in order once.
   * @param {string} name of the list
   * @param {number[]} rows
   * @param {Record<string, (row: number) => string | number>} keys
   */
  ordered(name, size, rows, sort, keys) {
    const by = sort.replace(/^-/, "");
    let found = rows;
    if (by) {
      if (!Object.hasOwn(keys, by)) throw new Error(`There is no order ${by}.`);
      const { order, place } = this.once(`${name} by ${by}`, () => {
        const known = Array.from({ length: size }, (_, row) => keys[by](row));
        const compare = typeof known[0] === "string" ? byPoints : (a, b) => a - b;
        const order = Uint32Array.from(known.keys()).sort((a, b) => compare(known[a], known[b]) || a - b);
        const place = new Uint32Array(size);
        order.forEach((row, at) => { place[row] = at; });
        return { order, place };
      });
      found = Array.from(Uint32Array.from(rows, (row) => place[row]).sort(), (at) => order[at]);
    }
    return sort.startsWith("-") ? [...found].reverse() : found;
  }

  /** The texts of a list in small letters, each made once. */
  lower(name, text) {
    const known = this.once(`lower ${name}`, () => []);
    return (row) => (known[row] ??= text(row).toLowerCase());
  }
}
