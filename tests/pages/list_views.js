// A stand-in for the application around the views of mentions and cases: it answers what a feed would, in a way that tests
// set up, and notes what was asked.

const SETUP = JSON.parse(document.getElementById("setup").textContent);
const CONTROL = { asked: [], wait: {}, deaf: false, fail: "", ...SETUP.control };
window.control = CONTROL;
const VIEW = { mentions: mentionsView, cases: casesView }[SETUP.view];
const { systems: SYSTEMS, width: WIDTH } = SETUP.cohort;

/** The mention of a number: which, and what the systems said, goes by the number. */
function fakeRow(n) {
  const codes = SYSTEMS.map((_, at) => SETUP.codes[(n + at) % SETUP.codes.length]).join("");
  return { id: `m${n}`, document: `doc-${Math.floor(n / 10)}`, text: SETUP.texts[n] ?? `text ${n}`, type: SETUP.cohort.types[n % SETUP.cohort.types.length], slices: n % 2 ? [] : ["zero-shot"], codes, section: "abstract" };
}

function fakeCase(n) {
  return { id: `c${n}`, document: `doc-${Math.floor(n / 10)}`, text: SETUP.texts[n] ?? `text ${n}`, bits: SETUP.bits[n % SETUP.bits.length] };
}

function fakeContext({ text }) {
  return CONTROL.blank ? [] : [["Before ", false], [text, true], [" after.", false]];
}

function paged(make, params, kept) {
  const rows = [];
  let total = 0;
  const [offset, limit] = [Number(params.offset || 0), Number(params.limit || 100)];
  const order = (n) => (params.sort?.startsWith("-") ? SETUP.size - 1 - n : n);
  let place = offset;
  if (params.at) {
    let before = 0;
    for (let n = 0; n < SETUP.size; n += 1) {
      const row = make(order(n));
      if (row.id === params.at) place = before - (before % limit);
      if (kept(row)) before += 1;
    }
  }
  for (let n = 0; n < SETUP.size; n += 1) {
    const row = make(order(n));
    if (!kept(row)) continue;
    if (total >= place && rows.length < limit) rows.push(row);
    total += 1;
  }
  return { total, all: SETUP.size, held: SETUP.size, offset: place, rows };
}

const ANSWERS_OF = {
  mentions: (params) => paged(fakeRow, params, (row) => (!params.find || row.text.includes(params.find)) && (!params.document || row.document === params.document)
    && (params.outcome !== "missed" || [...SYSTEMS.keys()].some((at) => row.codes[WIDTH * at] !== "r")) && (!params.type || "=" + row.type === params.type)),
  mention: ({ id }) => ({ ...SETUP.entry, ...fakeRow(Number(id.slice(1))), context: fakeContext(fakeRow(Number(id.slice(1)))) }),
  cases: (params) => paged(fakeCase, params, (row) => (!params.find || row.text.includes(params.find)) && (params.counted !== "nothing" || row.bits === 0)),
  case: ({ id }) => ({ ...SETUP.entry, ...fakeCase(Number(id.slice(1))), context: fakeContext(fakeCase(Number(id.slice(1)))) }),
};

const APP = {
  about: { feed: "server" }, scope: { run: ["mini/one"] }, cohort: SETUP.cohort,
  feed: {
    async request(name, params, { signal }) {
      CONTROL.asked.push([name, params]);
      const wait = CONTROL.wait[name] ?? CONTROL.wait[params.id] ?? CONTROL.wait[params.find] ?? 0;
      if (wait) {
        await new Promise((done, failed) => {
          setTimeout(done, wait);
          if (!CONTROL.deaf) signal.addEventListener("abort", () => failed(new DOMException("stopped", "AbortError")));
        });
      }
      if (CONTROL.fail) throw new Error(CONTROL.fail);
      return ANSWERS_OF[name](params);
    },
  },
  address: (view, params) => addressFor(view, { ...params, ...APP.scope }),
  navigate: (view, params, replace) => (replace ? rewrite : go)(view, { ...params, ...APP.scope }),
  announce: (text) => { document.getElementById("status").textContent = text; },
};

const OPENED = VIEW.open(APP, readAddress().params);
document.getElementById("main").append(OPENED.element);
window.addEventListener("hashchange", () => OPENED.restore(readAddress().params));
document.addEventListener("keydown", (event) => {
  if (!event.target.closest("input, select") && OPENED.keys[event.key]) {
    event.preventDefault();
    OPENED.keys[event.key][1]();
  }
});
