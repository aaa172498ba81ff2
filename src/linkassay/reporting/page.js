// Puts the page together.

const LEADING = ["coverage", "recall@1", "recall@5"];
const mentions = mentionBrowser();

/** A button that shows a figure and opens its mentions. */
function figure(text, label, filters, ...under) {
  return h("button", { type: "button", class: "figure", "aria-label": `${label}: show its mentions`, onclick: () => mentions.open(filters) },
    h("span", { class: "big" }, text), under);
}

function intervalText(f) {
  return f.low === null ? "–" : `${percent(f.low)}–${percent(f.high)}`;
}

/** "recall@1" may break before the "@" on a narrow screen. */
function breakable(label) {
  const [head, ...rest] = label.split("@");
  return h("span", null, head, rest.map((part) => [h("wbr"), "@" + part]));
}

function leaderboard() {
  const columns = [{ label: "system" }, ...LEADING.map((label) => ({ label, node: breakable(label), numeric: true, interval: true })), { label: "n", numeric: true }];
  const rows = DATA.systems.map((system, index) => [
    { value: system.label, node: systemName(index) },
    ...LEADING.map((measure) => {
      const f = system.figures.all[measure];
      const label = `${system.label}, ${measure} ${percent(f.value)} %, interval ${intervalText(f)}, n ${f.n}`;
      return { value: f.value, text: percent(f.value), low: f.low, high: f.high,
        node: figure(percent(f.value), label, { system: String(index), outcome: "any" },
          h("span", { class: "small" }, intervalText(f)), strip(f, index)) };
    }),
    { value: system.n, text: count(system.n) },
  ]);
  return table({ caption: "Leaderboard", columns, rows, sorted: [2, true] });
}

function curveTable() {
  const measures = Object.keys(DATA.systems[0].figures.all).filter((m) => m.startsWith("recall@"));
  const columns = [{ label: "system" }, ...measures.map((label) => ({ label, node: "@" + label.slice(7), numeric: true, interval: true }))];
  const rows = DATA.systems.map((system, index) => [
    { value: system.label, node: systemName(index) },
    ...measures.map((m) => ({ ...system.figures.all[m], text: percent(system.figures.all[m].value) })),
  ]);
  return h("details", null, h("summary", null, "The figures behind the curve"), table({ caption: "Recall@k", columns, rows }));
}

/** A table of one measure by slice; drawn anew when another measure is chosen. */
function sliceTable(caption, what, slices, measure) {
  const columns = [{ label: what }, { label: "n", numeric: true },
    ...DATA.systems.map((system, index) => ({ label: system.label, node: systemName(index), numeric: true, interval: true }))];
  const line = (slice) => {
    const sizes = DATA.systems.map((system) => system.figures[slice]?.[measure].n ?? 0);
    const n = Math.max(...sizes);
    return [
      { value: sliceName(slice), node: own(sliceName(slice)) },
      { value: n, text: Math.min(...sizes) === n ? count(n) : `${count(Math.min(...sizes))}–${count(n)}` },
      ...DATA.systems.map((system, index) => {
        const f = system.figures[slice]?.[measure];
        if (!f) return { value: null, text: "–" };
        const difference = f.value - system.figures.all[measure].value;
        const label = `${system.label}, ${sliceName(slice)}, ${measure} ${percent(f.value)} %, ${points(difference)} points to all mentions, interval ${intervalText(f)}, n ${f.n}`;
        const filters = { system: String(index), outcome: "any", ...(slice === "all" ? {} : slice.startsWith("type=") ? { type: slice.slice(4) } : { slice }) };
        return { value: f.value, text: percent(f.value), low: f.low, high: f.high,
          class: slice === "all" ? "" : difference < 0 ? "tint worse" : "tint better",
          style: { "--depth": `${Math.min(44, Math.round(110 * Math.abs(difference)))}%` },
          node: figure(percent(f.value), label, filters, slice === "all" ? null : h("span", { class: "difference" }, points(difference)),
            h("span", { class: "small" }, intervalText(f))) };
      }),
    ];
  };
  return table({ caption: `${caption}: ${measure}`, columns, rows: slices.map(line), foot: [line("all")] });
}

function slicesPart() {
  const groups = [["types", "By entity type", "type"], ["training", "By what training showed", "mentions"]].filter(([key]) => DATA.slices[key].length);
  const places = groups.map(([key, title, what]) => ({ place: h("div"), draw: (measure) => sliceTable(title, what, DATA.slices[key], measure), title, key }));
  const draw = (measure) => places.forEach((each) => each.place.replaceChildren(each.draw(measure)));
  const choice = h("fieldset", { class: "choice" }, h("legend", { class: "hidden" }, "Measure"),
    ["recall@1", "recall@5", "coverage"].map((measure, index) => h("label", null,
      h("input", { type: "radio", name: "measure", value: measure, checked: index === 0, onchange: () => draw(measure) }), h("span", null, measure))));
  draw("recall@1");
  return [choice, h("div", { class: DATA.systems.length > 4 ? "columns wide" : "columns" }, places.map((each) => h("div", { class: "block" },
    h("h3", null, each.title), each.place, h("p", { class: "note" }, DATA.notes[each.key]))))];
}

function stagePart() {
  const columns = [{ label: "system" }, { label: "wrong at rank 1", numeric: true }, { label: "candidate generation", numeric: true },
    { label: "disambiguation", numeric: true }, { label: "no answer", numeric: true }];
  const rows = DATA.systems.map((system, index) => {
    const { wrong, generation, disambiguation, no_answer } = system.stage;
    const open = (outcome, text, what) => figure(text, `${system.label}, ${what} ${text}`, { system: String(index), outcome });
    const name = h("span", { class: "with-bar" }, systemName(index),
      generation === null ? null : shares([[generation, "generation"], [disambiguation, "disambiguation"]]));
    return [
      { value: system.label, node: name },
      { value: wrong, text: weight(wrong), node: open("missed", weight(wrong), "wrong at rank 1") },
      { value: generation, text: percent(generation), node: generation === null ? null : open("generation", percent(generation), "candidate generation") },
      { value: disambiguation, text: percent(disambiguation), node: generation === null ? null : open("disambiguation", percent(disambiguation), "disambiguation") },
      { value: no_answer, text: count(no_answer), node: open("none", count(no_answer), "no answer") },
    ];
  });
  const legend = h("p", { class: "legend" }, ["candidate generation", "disambiguation"].map((name) =>
    h("span", null, h("span", { class: `key ${name.split(" ").at(-1)}` }), name)));
  return [legend, table({ caption: "Failure stage", columns, rows })];
}

/** A range and a percentage stay on one line. */
function unbroken(text) {
  return text.replace(/(\d)–(\d)/g, "$1\u2060–\u2060$2").replaceAll(" %", "\u00a0%");
}

function facts() {
  const c = DATA.corpus;
  const items = [["documents", count(c.documents)], ["mentions scored", count(c.scored)], ["left out, without id", count(c.without_id)],
    [DATA.systems.length === 1 ? "system" : "systems", count(DATA.systems.length)]];
  return h("dl", { class: "facts" }, items.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

function about(title, entries) {
  return h("div", { class: "about" }, h("h3", null, title), h("dl", null, entries.filter(([, value]) => value !== "" && value !== undefined)
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, own(value))))));
}

function runPart() {
  const c = DATA.corpus;
  const [first] = DATA.systems;
  const corpus = about("Corpus", [["title", c.title], ["name", c.name], ["revision", c.revision], ["split", c.split], ["licence", c.licence],
    ["citation", c.citation], ["homepage", c.homepage], ["documents", count(c.documents)], ["mentions scored", count(c.scored)],
    ["left out, without gold id", count(c.without_id)]]);
  const kbs = DATA.kbs.map((kb) => about("Knowledge base", [["title", kb.title], ["name", kb.name], ["revision", kb.revision], ["licence", kb.licence],
    ["citation", kb.citation], ["entities", count(kb.counts.entities)], ["names", count(kb.counts.names)]]));
  const machine = about("Machine and software", [["linkassay", [...new Set(DATA.systems.map((system) => system.software))].join(", ")],
    ["system", first.host.system], ["cores", first.host.cores === undefined ? "" : String(first.host.cores)], ["Python", first.host.python],
    ...Object.entries(first.packages).filter(([name]) => name !== "linkassay")]);
  const columns = [{ label: "system" }, { label: "parameters" }, { label: "knowledge base" }, { label: "prepare", numeric: true }, { label: "link", numeric: true },
    { label: "mentions/s", numeric: true }, { label: "peak memory", numeric: true }, { label: "finished" }, { label: "run" }];
  const rows = DATA.systems.map((system, index) => {
    const parameters = Object.entries(system.parameters).map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ") || "none";
    const finished = system.finished ? new Date(1000 * system.finished).toISOString().slice(0, 16).replace("T", " ") + " UTC" : "–";
    return [{ value: system.label, node: systemName(index) }, { value: parameters, node: own(parameters) }, { value: system.kb },
      { value: system.prepare_seconds, text: seconds(system.prepare_seconds) }, { value: system.link_seconds, text: seconds(system.link_seconds) },
      { value: system.mentions_per_second, text: count(system.mentions_per_second) }, { value: system.peak_memory_bytes, text: bytes(system.peak_memory_bytes) },
      { value: finished }, { value: system.run }];
  });
  return [h("div", { class: "abouts" }, corpus, kbs, machine), table({ caption: "Systems as run", columns, rows })];
}

function termsPart() {
  return h("dl", { class: "terms" }, Object.entries(DATA.definitions).map(([term, text]) => h("div", null, h("dt", null, term), h("dd", null, text))));
}

function part(id, title, note, ...content) {
  document.getElementById("nav").append(h("li", null, h("a", { href: `#${id}` }, title)));
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title`, tabindex: "-1" }, title), content,
    note ? h("p", { class: "note" }, note) : null);
}

function theme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    button.textContent = dark() ? "Light" : "Dark";
  };
  // private windows may refuse storage; the choice then lasts as long as the page
  const storage = (act) => { try { return act(localStorage); } catch { return null; } };
  const kept = storage((s) => s.getItem("linkassay-theme"));
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    storage((s) => s.setItem("linkassay-theme", root.dataset.theme));
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

theme();
document.getElementById("main").append(
  h("div", { class: "head" }, h("p", { class: "over" }, "Entity linking report · ", own(DATA.corpus.split), " split"), h("h1", null, own(DATA.corpus.title)),
    h("p", { class: "lead" }, unbroken(DATA.sentence)), h("p", { class: "fine" }, DATA.notes.best), facts()),
  part("leaderboard", "Leaderboard", DATA.notes.leaderboard, leaderboard()),
  h("div", { class: "columns" },
    part("curve", "Recall@k", DATA.notes.curve, curve(), curveTable()),
    part("failures", "Failure stage", DATA.notes.stage, stagePart())),
  part("slices", "Slices", null, slicesPart()),
  part("mentions", "Mentions", DATA.notes.mentions, mentions.element),
  part("run", "What was run", DATA.notes.run, runPart()),
  part("terms", "Terms", null, termsPart()));
document.getElementById("footer").append(`Made by linkassay ${DATA.version}. This file is complete: it needs no network and sends nothing.`);
mentions.restore();
// the charts take their height only when they are first drawn, so the place asked for is found after that
requestAnimationFrame(() => requestAnimationFrame(() => {
  if (location.hash) document.getElementById(location.hash.slice(1).split("&")[0])?.scrollIntoView({ behavior: "instant" });
}));
