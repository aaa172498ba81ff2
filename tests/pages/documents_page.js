// A stand-in for the application around the view Documents: it answers what a feed would, from what a test made up, and
// notes what was asked and said.

const answers = JSON.parse(document.getElementById("answers").textContent);
const told = window.told = { asked: [], moves: [], said: [] };
const scope = { corpus: "=made-up" };

/** What belongs to some of the systems. */
function ofSystems(labels, list) {
  return labels.map((label) => list[answers.cohort.systems.indexOf(label)]);
}

function rowsAsked({ find, sort, offset, limit }) {
  const wrong = (row) => row.systems.reduce((sum, f) => sum + (f ? ("n" in f ? f.n - f.right : f.fp + f.fn) : 0), 0);
  const rows = answers.rows.filter((row) => (row.id + row.title).toLowerCase().includes(find.toLowerCase()));
  if (sort === "errors") rows.sort((a, b) => wrong(b) - wrong(a));
  if (sort === "id") rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  return { total: rows.length, rows: rows.slice(offset, offset + limit) };
}

function documentAsked({ id, systems }) {
  const held = answers.documents[id];
  if (!held) throw new Error(`There is no document ${id}.`);
  const at = answers.rows.findIndex((row) => row.id === id);
  const marks = held.marks.map((mark) => ({ ...mark, answers: ofSystems(systems, mark.answers) })).filter((mark) => mark.gold || mark.answers.some(Boolean));
  return {
    previous: answers.rows[at - 1]?.id ?? null, next: answers.rows[at + 1]?.id ?? null, left_out: "", ...held, id, marks,
    figures: ofSystems(systems, answers.rows[at].systems),
  };
}

const app = {
  scope, about: { feed: "page" }, cohort: answers.cohort,
  feed: {
    async request(name, params) {
      told.asked.push([name, params]);
      if (window.slow) await new Promise((done) => setTimeout(done, window.slow));
      return structuredClone(name === "documents" ? rowsAsked(params) : documentAsked(params));
    },
  },
  address: (view, params) => addressFor(view, { ...scope, ...params }),
  navigate(view, params, replace) {
    told.moves.push([view, params, Boolean(replace)]);
    (replace ? rewrite : go)(view, { ...scope, ...params });
  },
  announce: (text) => told.said.push(text),
  busy: (element, promise) => busyWith(element, promise, () => opened.restore(asked())),
};
const asked = () => { const { corpus, ...params } = readAddress().params; return params; };
const opened = documentsView.open(app, asked());
document.getElementById("main").append(opened.element);
window.addEventListener("hashchange", () => opened.restore(asked()));
document.addEventListener("keydown", (event) => {
  const key = opened.keys[event.key];
  if (!key || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input:not([type=radio], [type=checkbox]), select")) return;
  event.preventDefault();
  key[1]();
});
Object.assign(window, { app, opened, codePoints, documentRows, lanesOf, segmentRows, idAddress });
