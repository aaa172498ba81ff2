// The mention browser: filters, the list of mentions, one mention in its text with every answer.
// Its state is in the address after "#mentions", so that a view can be kept and sent on.

const OUTCOME_FILTERS = {
  any: "any outcome", missed: "not right", right: "right", partly: "partly right", wrong: "wrong", none: "no answer",
  generation: "lost in candidate generation", disambiguation: "lost in disambiguation",
};
const MARKS = { r: "✓", p: "◐", w: "✕", n: "○", x: "–" };
const CLASSES = { r: "right", p: "partly", w: "wrong", n: "none", x: "none" };

/** Whether an outcome code ("wd": wrong, lost in disambiguation) passes an outcome filter. */
function passes(code, outcome) {
  const [verdict, stage] = code;
  if (verdict === "x") return false;
  switch (outcome) {
    case "any": return true;
    case "missed": return verdict !== "r";
    case "generation": return stage === "g" || stage === "b";
    case "disambiguation": return stage === "d" || stage === "b";
    default: return CLASSES[verdict] === outcome;
  }
}

/** Whether a mention with these properties passes the filters; used for the sample and for the totals. */
function matches(state, type, slice, codes) {
  if (state.type !== "any" && DATA.types[type] !== state.type.slice(1)) return false;
  if (state.slice !== "any" && slice !== state.slice) return false;
  if (state.system === "any") return codes.some((code) => passes(code, state.outcome));
  if (state.system === "every") return codes.every((code) => passes(code, state.outcome));
  return passes(codes[Number(state.system)], state.outcome);
}

const DEFAULTS = { system: "any", outcome: "missed", type: "any", slice: "any", find: "", at: "" };

function mentionBrowser() {
  let state = { ...DEFAULTS };
  let found = [];
  const all = DATA.totals.reduce((sum, row) => sum + row.at(-1), 0);
  const whole = DATA.sample.length === all;

  const controls = {
    system: select("System", [["any", "any system"], ...(DATA.systems.length > 1 ? [["every", "every system"]] : []),
      ...DATA.systems.map((system, index) => [String(index), system.label])]),
    outcome: select("Outcome", Object.entries(OUTCOME_FILTERS)),
    type: select("Type", [["any", "any type"], ...DATA.types.map((type) => ["=" + type, typeName(type)])]),
    slice: select("Training data", [["any", "seen or not"], ...DATA.slices.training.map((name) => [name, sliceName(name)])]),
  };
  const search = h("input", { type: "search", placeholder: "text, id or document", oninput: () => set({ find: search.value, at: "" }) });
  const tally = h("p", { class: "tally", "aria-live": "polite" });
  const list = h("ol", { class: "list", "aria-label": "Mentions", onkeydown: listKeys });
  const detail = h("article", { class: "detail", "aria-label": "Mention" });
  const back = h("button", { type: "button", onclick: () => step(-1) }, "← Previous");
  const on = h("button", { type: "button", onclick: () => step(1) }, "Next →");
  const where = h("span", { class: "where" });
  const element = h("div", { class: "browser", onkeydown: keys },
    h("form", { class: "filters", "aria-label": "Filter mentions", onsubmit: (event) => event.preventDefault() },
      Object.entries(controls).filter(([name]) => name !== "slice" || DATA.slices.training.length)
        .map(([, control]) => control.label),
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
    const name = () => Object.keys(controls).find((key) => controls[key].box === box);
    return { box, label: h("label", null, h("span", null, label), box) };
  }

  /** Change the state, show it, and write it into the address. */
  function set(change, { push = false } = {}) {
    state = { ...state, ...change };
    show();
    const wanted = address();
    if (location.hash === wanted) return;
    if (push) location.hash = wanted;
    else location.replace(wanted);
  }

  function address() {
    const parts = Object.entries(state).filter(([key, value]) => value !== DEFAULTS[key])
      .map(([key, value]) => `${key}=${encodeURIComponent(key === "system" && DATA.systems[value] ? "=" + DATA.systems[value].label : value)}`);
    return "#" + ["mentions", ...parts].join("&");
  }

  /** The state an address stands for; anything unknown in it is ignored. */
  function restore() {
    const [head, ...parts] = location.hash.slice(1).split("&");
    if (head !== "mentions" || location.hash === address()) return;
    const wanted = { ...DEFAULTS };
    for (const part of parts) {
      const [key, ...rest] = part.split("=");
      try {
        wanted[key] = decodeURIComponent(rest.join("="));
      } catch {
        continue;
      }
    }
    if (wanted.system.startsWith("=")) {
      wanted.system = String(DATA.systems.findIndex((system) => system.label === wanted.system.slice(1)));
    }
    for (const [key, control] of Object.entries(controls)) {
      if (![...control.box.options].some((option) => option.value === wanted[key])) wanted[key] = DEFAULTS[key];
    }
    state = Object.fromEntries(Object.keys(DEFAULTS).map((key) => [key, wanted[key]]));
    show();
  }

  function show() {
    for (const [key, control] of Object.entries(controls)) control.box.value = state[key];
    if (search.value !== state.find) search.value = state.find;
    found = DATA.sample.filter((m) => matches(state, m.type, m.slice, m.codes) && contains(m, state.find));
    list.replaceChildren(...found.map(row));
    const total = DATA.totals.filter(([type, slice, ...codes]) => matches(state, type, slice, codes.slice(0, -1)))
      .reduce((sum, line) => sum + line.at(-1), 0);
    const here = found.length === 1 ? "1 mention" : `${count(found.length)} mentions`;
    tally.replaceChildren(h("b", null, here), whole ? ` of ${count(all)} scored.`
      : state.find ? ` in the sample of ${count(DATA.sample.length)}; the page holds ${count(DATA.sample.length)} of ${count(all)} scored mentions.`
      : ` shown of ${count(total)} that match; the page holds a sample of ${count(DATA.sample.length)} of ${count(all)} scored mentions.`);
    open();
  }

  function contains(mention, text) {
    if (!text) return true;
    const gold = mention.gold.flat().flatMap((number) => DATA.names[number]);
    return [mention.text, mention.document, mention.id, ...gold].some((part) => part && part.toLowerCase().includes(text.toLowerCase()));
  }

  function row(mention, index) {
    return h("li", null, h("button", { type: "button", tabindex: "-1", onclick: () => set({ at: mention.id }) },
      h("span", { class: "mention-text" }, own(mention.text)),
      h("span", { class: "mention-marks" }, mention.codes.map((code, system) =>
        h("span", { class: `mark ${CLASSES[code[0]]}`, title: DATA.systems[system].label,
          role: "img", "aria-label": `${DATA.systems[system].label}: ${DATA.outcomes[code[0]] || "not scored"}` }, MARKS[code[0]])))));
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
    if (found.length) detail.replaceChildren(...card(found[at]));
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

  window.addEventListener("hashchange", restore);
  show();
  return {
    element,
    restore,
    /** Show the mentions behind a figure. */
    open(filters) {
      set({ ...DEFAULTS, ...filters }, { push: true });
      const heading = document.getElementById("mentions-title");
      heading.scrollIntoView();
      heading.focus({ preventScroll: true });
      announce(tally.textContent);
    },
  };
}

/** One mention: where it stands, what is gold, what each system said and what that is worth. */
function card(mention) {
  const training = DATA.slices.training.length ? h("span", { class: "tag" }, sliceName(mention.slice)) : null;
  return [
    h("p", { class: "meta" }, h("span", { class: "tag" }, own(typeName(DATA.types[mention.type]))), training,
      h("span", null, "document ", own(mention.document))),
    h("p", { class: "context", dir: "auto" }, mention.context.map(([text, marked]) => (marked ? h("mark", null, text) : text))),
    h("div", { class: "gold" }, h("h4", null, "Gold"),
      h("ul", null, mention.gold.map((ids) => h("li", null, ids.length
        ? ids.flatMap((number, index) => [index ? h("span", { class: "joint" }, " with ") : null, entity(number)]) : "removed from the knowledge base"))),
      mention.gold.some((ids) => ids.length > 1) ? h("p", { class: "fine" }, "Composite: any of its entities counts as right.") : null,
      mention.gold.length > 1 ? h("p", { class: "fine" }, "Alternatives: any of them is right.") : null,
      mention.changed.map(([old, now]) => h("p", { class: "fine" }, "The corpus says ", own(old), now.length
        ? [", now ", own(now.join(", ")), "."] : ", which is no longer in the knowledge base."))),
    h("div", { class: "answers" }, mention.answers.map((answer, index) => answerCard(answer, index, mention.codes[index][0]))),
  ];
}

function answerCard(answer, index, verdict) {
  const label = h("h4", null, systemName(index),
    h("span", { class: `verdict ${CLASSES[verdict]}` }, `${MARKS[verdict]} ${DATA.outcomes[verdict] || "not scored"}`));
  if (answer === null) {
    return h("section", { class: "answer" }, label, h("p", { class: "why" }, "Its knowledge base has no current id for the gold of this mention."));
  }
  const hidden = answer.candidates - answer.groups.reduce((sum, group) => sum + group.size, 0);
  return h("section", { class: "answer" }, label, h("p", { class: "why" }, answer.why),
    answer.groups.length ? h("ol", { class: "candidates" }, answer.groups.map(candidates)) : null,
    hidden > 0 ? h("p", { class: "fine" }, `${count(hidden)} further candidates are not shown.`) : null);
}

/** Candidates at one rank: those tied share the row. */
function candidates(group) {
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

function entity(number) {
  const [id, name] = DATA.names[number];
  return h("span", { class: "entity" }, h("bdi", { class: name === null ? "entity-name unknown" : "entity-name" }, name === null ? "not in the knowledge base" : name),
    " ", h("bdi", { class: "entity-id" }, id));
}
