// The mention browser: filters, the list of mentions, one mention in its text with every answer.
// Its state is in the address after "#mentions", so that a view can be kept and sent on.

const OUTCOME_FILTERS = {
  any: "any outcome", missed: "not right", right: "right", partly: "partly right", wrong: "wrong", none: "no answer",
  answered: "answered", generation: "lost in candidate generation", disambiguation: "lost in disambiguation",
};
const MARKS = { r: "✓", p: "◐", w: "✕", n: "○", x: "–" };
const CLASSES = { r: "right", p: "partly", w: "wrong", n: "none", x: "none" };
const MISMATCHES = Object.entries(DATA.mismatches).map(([bit, name]) => [Number(bit), name]);

/** Whether an outcome code ("wd1": wrong, lost in disambiguation, overspecific) passes an outcome filter. */
function passes(codes, system, outcome) {
  const [verdict, stage, bits] = [codes[3 * system], codes[3 * system + 1], codes[3 * system + 2]];
  if (verdict === "x") return false;
  switch (outcome) {
    case "any": return true;
    case "missed": return verdict !== "r";
    case "answered": return verdict !== "n";
    case "exact": return verdict === "r" || verdict === "p";
    case "generation": return stage === "g" || stage === "b";
    case "disambiguation": return stage === "d" || stage === "b";
    case "right": case "partly": case "wrong": case "none": return CLASSES[verdict] === outcome;
    default: return MISMATCHES.some(([bit, name]) => name === outcome && Number(bits) & bit);
  }
}

const DEFAULTS = { system: "any", outcome: "missed", against: "any", type: "any", slice: "any", find: "", at: "" };

function mentionBrowser(corpus) {
  const M = corpus.mentions;
  const systems = corpus.systems;
  let state = { ...DEFAULTS };
  let found = [];
  const all = M.totals.reduce((sum, row) => sum + row.at(-1), 0);
  const whole = M.sample.length === all;
  const named = (label) => ["=" + label, label];

  const controls = {
    system: select("System", [["any", "any system"], ...(systems.length > 1 ? [["every", "every system"]] : []), ...systems.map(named)]),
    outcome: select("Outcome", [...Object.entries(OUTCOME_FILTERS),
      ...(M.hierarchy ? [["exact", "exact, or among the tied"], ...MISMATCHES.map(([, name]) => [name, name])] : [])]),
    against: systems.length > 1 ? select("But not right for", [["any", "(any)"], ...systems.map(named)]) : null,
    type: select("Type", [["any", "any type"], ...M.types.map((type) => ["=" + type, typeName(type)])]),
    slice: M.slices.length ? select("Slice", [["any", "any slice"], ...M.slices.map((name) => [name, DATA.slices[name] || name])]) : null,
  };
  for (const key of Object.keys(controls)) if (!controls[key]) delete controls[key];

  /** What the filters ask for, worked out once; then it is asked of every mention and every total. */
  function filter() {
    const at = (value) => (value.startsWith("=") ? systems.indexOf(value.slice(1)) : -1);
    const [system, against] = [at(state.system), at(state.against)];
    const type = state.type === "any" ? -1 : M.types.indexOf(state.type.slice(1));
    const slice = state.slice === "any" ? -1 : M.slices.indexOf(state.slice);
    const each = systems.map((_, index) => index);
    return (given, slices, codes) => {
      if (type >= 0 && given !== type) return false;
      if (slice >= 0 && Math.floor(slices / 2 ** slice) % 2 === 0) return false;
      if (against >= 0 && !passes(codes, against, "missed")) return false;
      if (system >= 0) return passes(codes, system, state.outcome);
      return state.system === "every" ? each.every((index) => passes(codes, index, state.outcome))
        : each.some((index) => passes(codes, index, state.outcome));
    };
  }
  const search = h("input", { type: "search", placeholder: "text, id or document", oninput: () => set({ find: search.value, at: "" }) });
  const tally = h("p", { class: "tally", "aria-live": "polite" });
  const list = h("ol", { class: "list", "aria-label": "Mentions", onkeydown: listKeys });
  const detail = h("article", { class: "detail", "aria-label": "Mention" });
  const back = h("button", { type: "button", onclick: () => step(-1) }, "← Previous");
  const on = h("button", { type: "button", onclick: () => step(1) }, "Next →");
  const where = h("span", { class: "where" });
  const element = h("div", { class: "browser", onkeydown: keys },
    h("form", { class: "filters", "aria-label": "Filter mentions", onsubmit: (event) => event.preventDefault() },
      Object.values(controls).map((control) => control.label),
      h("label", null, h("span", null, "Find"), search),
      h("button", { type: "button", class: "quiet", onclick: () => set({ ...DEFAULTS }) }, "Reset")),
    tally,
    h("div", { class: "panes" }, list,
      h("div", { class: "pane" }, h("div", { class: "steps" }, back, where, on), detail)),
    h("p", { class: "fine" }, "Keys inside this part: ", h("kbd", null, "j"), " next, ", h("kbd", null, "k"), " previous; ",
      "arrow keys in the list."));

  function select(label, options) {
    const box = h("select", { onchange: () => set({ [name()]: box.value, at: "" }) },
      options.map(([value, text]) => h("option", { value }, text)));
    const name = () => Object.keys(controls).find((key) => controls[key]?.box === box);
    return { box, label: h("label", null, h("span", null, label), box) };
  }

  /** Change the state, show it, and write it into the address. */
  function set(change) {
    state = { ...state, ...change };
    show();
    history.replaceState(null, "", address());
  }

  function address() {
    return addressOf(Object.fromEntries(Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key])), corpus.key);
  }

  /** Take the state that an address stands for; anything unknown in it is ignored. */
  function restore(filters) {
    const wanted = { ...DEFAULTS, ...filters };
    for (const [key, control] of Object.entries(controls)) {
      if (![...control.box.options].some((option) => option.value === wanted[key])) wanted[key] = DEFAULTS[key];
    }
    state = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, wanted[key]]));
    show();
  }

  function show() {
    for (const [key, control] of Object.entries(controls)) control.box.value = state[key];
    if (search.value !== state.find) search.value = state.find;
    const kept = filter();
    found = M.sample.filter((m) => kept(m.type, m.slices, m.codes) && contains(m, state.find));
    list.replaceChildren(...found.map(row));
    const total = M.totals.reduce((sum, [type, slices, codes, n]) => (kept(type, slices, codes) ? sum + n : sum), 0);
    const here = found.length === 1 ? "1 mention" : `${count(found.length)} mentions`;
    tally.replaceChildren(h("b", null, here), whole ? ` of ${count(all)} scored.`
      : state.find ? ` in the sample of ${count(M.sample.length)}; the page holds ${count(M.sample.length)} of ${count(all)} scored mentions.`
      : ` shown of ${count(total)} that match; the page holds a sample of ${count(M.sample.length)} of ${count(all)} scored mentions.`);
    open();
  }

  function contains(mention, text) {
    if (!text) return true;
    const gold = mention.gold.flat().flatMap((number) => M.names[number]);
    return [mention.text, mention.document, mention.id, ...gold].some((part) => part && part.toLowerCase().includes(text.toLowerCase()));
  }

  function row(mention, index) {
    return h("li", null, h("button", { type: "button", tabindex: "-1", onclick: () => set({ at: mention.id }) },
      h("span", { class: "mention-text" }, own(mention.text)),
      h("span", { class: "mention-marks" }, systems.map((label, index) => {
        const verdict = mention.codes[3 * index];
        return h("span", { class: `mark ${CLASSES[verdict]}`, title: label, role: "img",
          "aria-label": `${label}: ${DATA.outcomes[verdict] || "not scored"}` }, MARKS[verdict]);
      }))));
  }

  function position() {
    return Math.max(0, found.findIndex((mention) => mention.id === state.at));
  }

  /** Show the mention at the current position. */
  function open() {
    const at = position();
    [...list.children].forEach((item, index) => {
      const button = item.firstChild;
      button.tabIndex = index === at ? 0 : -1;
      if (index === at) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
    back.disabled = at === 0;
    on.disabled = at >= found.length - 1;
    where.textContent = found.length ? `${count(at + 1)} of ${count(found.length)}` : "";
    if (found.length) detail.replaceChildren(...card(found[at], corpus));
    else detail.replaceChildren(h("p", { class: "empty" }, whole || state.find ? "No mention passes these filters." : "No mention of the sample passes these filters."));
    const current = list.children[at];
    if (current) list.scrollTop = Math.min(Math.max(list.scrollTop, current.offsetTop + current.offsetHeight - list.clientHeight), current.offsetTop);
  }

  function step(by) {
    const to = position() + by;
    if (to >= 0 && to < found.length) set({ at: found[to].id });
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
    if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  }

  function listKeys(event) {
    const last = found.length - 1;
    const to = { ArrowDown: position() + 1, ArrowUp: position() - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0 || to > last) return;
    set({ at: found[to].id });
    list.children[to].firstChild.focus();
  }

  show();
  return { element, restore, tally: () => tally.textContent };
}

/** One mention: where it stands, what is gold, what each system said and what that is worth. */
function card(mention, corpus) {
  const M = corpus.mentions;
  const slices = M.slices.filter((_, bit) => Math.floor(mention.slices / 2 ** bit) % 2);
  const entity = (number) => entityName(...M.names[number]);
  return [
    h("div", { class: "meta" }, h("span", { class: "tag type" }, own(typeName(M.types[mention.type]))), h("span", null, "document ", own(mention.document)),
      slices.length ? h("ul", { class: "tags", "aria-label": "Slices" }, slices.map((name) => h("li", { class: "tag" }, DATA.slices[name] || name))) : null),
    h("p", { class: "context", dir: "auto" }, mention.context.map(([text, marked]) => (marked ? h("mark", null, text) : text))),
    h("div", { class: "gold" }, h("h4", null, "Gold"),
      h("ul", null, mention.gold.map((ids) => h("li", null, ids.length
        ? ids.flatMap((number, index) => [index ? h("span", { class: "joint" }, " with ") : null, entity(number)]) : "removed from the knowledge base"))),
      mention.gold.some((ids) => ids.length > 1) ? h("p", { class: "fine" }, "Composite: any of its entities counts as right.") : null,
      mention.gold.length > 1 ? h("p", { class: "fine" }, "Alternatives: any of them is right.") : null,
      mention.changed.map(([old, now]) => h("p", { class: "fine" }, "The corpus says ", own(old), now.length
        ? [", now ", own(now.join(", ")), "."] : ", which is no longer in the knowledge base."))),
    h("div", { class: "answers" }, mention.answers.map((answer, index) =>
      answerCard(answer, corpus.systems[index], mention.codes.slice(3 * index, 3 * index + 3), entity))),
  ];
}

function answerCard(answer, system, [verdict, , bits], entity) {
  const label = h("h4", null, systemName(system),
    h("span", { class: `verdict ${CLASSES[verdict]}` }, `${MARKS[verdict]} ${DATA.outcomes[verdict] || "not scored"}`));
  const kinds = MISMATCHES.filter(([bit]) => Number(bits) & bit).map(([, name]) => name).join(", ");
  if (answer === null) {
    return h("section", { class: "answer" }, label, h("p", { class: "why" }, "Its knowledge base has no current id for the gold of this mention."));
  }
  const hidden = answer.candidates - answer.groups.reduce((sum, group) => sum + group.size, 0);
  return h("section", { class: "answer" }, label, h("p", { class: "why" }, answer.why, kinds ? ` In the hierarchy: ${kinds}.` : null),
    answer.groups.length ? h("ol", { class: "candidates" }, answer.groups.map((group) => candidates(group, entity))) : null,
    hidden > 0 ? h("p", { class: "fine" }, `${count(hidden)} further candidates are not shown.`) : null);
}

/** Candidates at one rank: those tied share the row. */
function candidates(group, entity) {
  const rank = group.size === 1 ? String(group.rank) : `${group.rank}–${group.rank + group.size - 1}`;
  const more = group.size - group.ids.length;
  return h("li", { class: group.right ? "has-gold" : null },
    h("span", { class: "rank" }, rank),
    h("span", { class: "ids" }, group.ids.map((number, index) =>
      h("span", { class: index < group.right ? "candidate is-gold" : "candidate" },
        index < group.right ? h("span", { class: "mark right", role: "img", "aria-label": "gold" }, "✓") : null, entity(number))),
    more > 0 ? h("span", { class: "fine" }, `and ${count(more)} more, tied`) : null),
    h("span", { class: "score", "aria-label": group.score === null ? null : `score ${score(group.score)}` }, score(group.score)));
}

function entityName(id, name) {
  return h("span", { class: "entity" }, h("bdi", { class: name === null ? "entity-name unknown" : "entity-name" }, name === null ? "not in the knowledge base" : name),
    " ", h("bdi", { class: "entity-id" }, id));
}
