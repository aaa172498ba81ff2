// Mentions one by one: filters, a list, and each mention in its text. There are two lists, of mentions with given spans
// and of end-to-end cases. What is shown is in the address, so that a view can be kept and sent on.

/**
 * A list to look through. `place` is its name in the address, `defaults` its state to begin with, `controls(state)` its
 * boxes as key → [label, options] (with `every` also those that are not for this state), `look(state)` the `items` that pass, how many there are in `total`, and of how many;
 * `settled` makes a state consistent; `row` and `card` show an item, `texts` is what is searched, `nouns` its name.
 */
function listBrowser({ place, defaults, controls, look, settled = (state) => state, row, card, texts, nouns, corpus, title }) {
  let state = { ...defaults };
  let found = [];
  const boxes = {};
  const search = h("input", { type: "search", placeholder: "text, id or document", oninput: () => set({ find: search.value, at: "" }) });
  const tally = h("p", { class: "tally", "aria-live": "polite" });
  const list = h("ol", { class: "list", "aria-label": title, onkeydown: listKeys });
  const detail = h("article", { class: "detail", "aria-label": nouns[0] });
  const back = h("button", { type: "button", onclick: () => step(-1) }, "← Previous");
  const on = h("button", { type: "button", onclick: () => step(1) }, "Next →");
  const where = h("span", { class: "where" });
  for (const [key, [label]] of Object.entries(controls({ ...state, from: "all" }, true))) {
    const box = h("select", { onchange: () => set({ [key]: box.value, at: "" }) });
    boxes[key] = { box, label: h("label", null, h("span", null, label), box) };
  }
  const element = h("div", { class: "browser" },
    h("form", { class: "filters", "aria-label": `Filter ${nouns[1]}`, onsubmit: (event) => event.preventDefault() },
      Object.values(boxes).map(({ label }) => label), h("label", null, h("span", null, "Find"), search),
      h("button", { type: "button", class: "quiet", onclick: () => set({ ...defaults }) }, "Reset")),
    tally,
    h("div", { class: "panes" }, list, h("div", { class: "pane" }, h("div", { class: "steps" }, back, where, on), detail)),
    h("p", { class: "fine" }, "Keys, anywhere on the page: ", h("kbd", null, "j"), " next, ", h("kbd", null, "k"), " previous, ", h("kbd", null, "/"), " find; ",
      "arrow keys in the list."));

  /** Change the state, show it, and write it into the address. */
  function set(change) {
    take({ ...state, ...change }, change);
    const said = Object.entries(state).filter(([key, value]) => value !== defaults[key]);
    history.replaceState(null, "", addressOf({ part: place, ...Object.fromEntries(said) }, corpus.key));
  }

  /** Take a state and show it; anything unknown in it is ignored. */
  function take(wanted, change = {}) {
    const asked = settled({ ...wanted }, change);
    const offered = controls(asked);
    for (const [key, { box, label }] of Object.entries(boxes)) {
      const [, options] = offered[key] || ["", [[defaults[key], ""]]];
      label.hidden = !offered[key];
      const flat = options.map(([value, text]) => `${value}\n${text}`).join("\n");
      if (box.offered !== flat) {
        box.replaceChildren(...options.map(([value, text]) => h("option", { value }, text)));
        box.offered = flat;
      }
      if (!options.some(([value]) => value === asked[key])) asked[key] = defaults[key];
      box.value = asked[key];
    }
    state = Object.fromEntries(Object.keys(defaults).map((key) => [key, asked[key]]));
    show();
  }

  function show() {
    if (search.value !== state.find) search.value = state.find;
    const seen = look(state);
    const text = state.find.toLowerCase();
    found = text ? seen.items.filter((item) => texts(item).some((part) => part && part.toLowerCase().includes(text))) : seen.items;
    list.replaceChildren(...found.map((item) => h("li", null, h("button", { type: "button", tabindex: "-1", onclick: () => choose(item) },
      h("span", { class: "mention-text" }, own(item.text)), row(item, state)))));
    const of = (n, many = nouns[1]) => `${count(n)} ${n === 1 ? nouns[0] : many}`;
    const whole = seen.held === seen.all;
    tally.replaceChildren(h("b", null, of(found.length)), whole ? ` of ${count(seen.all)}${seen.what}.`
      : state.find ? ` in the sample of ${count(seen.held)}; the page holds ${count(seen.held)} of ${count(seen.all)}${seen.what} ${nouns[1]}.`
      : ` shown of ${count(seen.total)} that match; the page holds a sample of ${count(seen.held)} of ${count(seen.all)}${seen.what} ${nouns[1]}.`);
    open(whole || state.find ? `No ${nouns[0]} passes these filters.` : `No ${nouns[0]} of the sample passes these filters.`);
  }

  function position() {
    return Math.max(0, found.findIndex((item) => item.key === state.at));
  }

  /** Show the item at the current position. */
  function open(empty) {
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
    detail.replaceChildren(...(found.length ? card(found[at], state) : [h("p", { class: "empty" }, empty)]));
    const current = list.children[at];
    if (current) list.scrollTop = Math.min(Math.max(list.scrollTop, current.offsetTop + current.offsetHeight - list.clientHeight), current.offsetTop);
  }

  function step(by) {
    const to = position() + by;
    if (to >= 0 && to < found.length) set({ at: found[to].key });
  }

  /** Show an item of the list; the list is made anew, so what was chosen in it is focused again. */
  function choose(item) {
    set({ at: item.key });
    list.children[position()].firstChild.focus({ preventScroll: true });
  }

  function listKeys(event) {
    const last = found.length - 1;
    const to = { ArrowDown: position() + 1, ArrowUp: position() - 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    if (to < 0 || to > last) return;
    set({ at: found[to].key });
    list.children[to].firstChild.focus();
  }

  take(state);
  return { element, step, find: () => search.focus(), restore: (filters) => take({ ...defaults, ...filters }), tally: () => tally.textContent };
}

/** Whether a bit of a number of up to 53 bits is set. */
function hasBit(bits, bit) {
  return Math.floor(bits / 2 ** bit) % 2 === 1;
}

// ---- mentions with given spans

const OUTCOME_FILTERS = {
  any: "any outcome", missed: "not right", right: "right", partly: "partly right", wrong: "wrong", none: "no answer",
  answered: "answered", credited: "right or partly right", generation: "lost in candidate generation",
  disambiguation: "lost in disambiguation", left: "not scored",
};
/** Outcomes that are asked of two systems: name, and whether what each is worth passes. */
const PAIRED = {
  ahead: ["better than the other", (a, b) => a > b], differ: ["unlike the other", (a, b) => a !== b],
  both: ["right or partly for both", (a, b) => a > 0 && b > 0], either: ["right or partly for one of both", (a, b) => a > 0 || b > 0],
  neither: ["not right for both", (a, b) => a < 2 && b < 2],
};
const WORTH = { r: 2, p: 1, w: 0, n: 0 };
const MARKS = { r: "✓", p: "◐", w: "✕", n: "○", x: "–" };
const CLASSES = { r: "right", p: "partly", w: "wrong", n: "none", x: "none" };
const KINDS = Object.keys(DATA.mismatches);

/** Where in the hierarchy a mismatch lies, by its number: `mismatches.place` of the program that wrote the page. */
function placeOf(number) {
  const [{ length }, cells] = [DATA.locations, DATA.distances.length * DATA.locations.length];
  return { kind: KINDS[Math.floor(number / cells)], distance: DATA.distances[Math.floor((number % cells) / length)], location: DATA.locations[number % length] };
}

/** Whether a mismatch can be near or far: its outcome has boxes for that. */
function hasDistance(outcome) {
  return Object.hasOwn(DATA.mismatches, outcome) && outcome !== "outside";
}

/** Whether mismatches at some places pass the filters of outcome, distance and location; places repeat, and are asked once. */
function placeFilter(state) {
  const known = [];
  const passes = (number) => {
    const { kind, distance, location } = placeOf(number);
    return (kind === state.outcome || (kind === "virtual root" && state.outcome === "orthogonal"))
      && (state.distance === "any" || state.distance === distance) && (state.location === "any" || state.location === location);
  };
  return (numbers) => numbers.some((number) => (known[number] ??= passes(number)));
}

/** The code of a system among those of a mention: outcome, stage, and the number of its places in the hierarchy. */
function codeOf({ width }, codes, system) {
  return codes.slice(width * system, width * (system + 1));
}

function placesAt(code) {
  return parseInt(code.slice(2), 36);
}

/** Whether a code ("wd1": wrong, lost in disambiguation, at the first places) passes an outcome filter; `there`: which places do. */
function passes(M, codes, system, outcome, against, there) {
  const [verdict, stage] = [codes[M.width * system], codes[M.width * system + 1]];
  if (verdict === "x") return false;
  if (PAIRED[outcome]) {
    const other = codes[M.width * against];
    return other !== undefined && other !== "x" && PAIRED[outcome][1](WORTH[verdict], WORTH[other]);
  }
  switch (outcome) {
    case "any": return true;
    case "missed": return verdict !== "r";
    case "answered": return verdict !== "n";
    case "credited": return verdict === "r" || verdict === "p";
    case "generation": return stage === "g" || stage === "b";
    case "disambiguation": return stage === "d" || stage === "b";
    case "right": case "partly": case "wrong": case "none": return CLASSES[verdict] === outcome;
    default: return there[placesAt(codeOf(M, codes, system))];
  }
}

/** What the filters ask of the mentions of a corpus, worked out once; then it is asked of every mention and total. */
function mentionFilter(corpus, state) {
  const M = corpus.mentions;
  const at = (value) => (value.startsWith("=") ? corpus.systems.indexOf(value.slice(1)) : -1);
  const [system, against] = [at(state.system), at(state.against)];
  const typed = M.types.map((types) => types.split("|").includes(state.type.slice(1)));
  const slice = M.slices.indexOf(state.slice);
  const unknown = (state.system.startsWith("=") && system < 0) || (state.type !== "any" && !typed.includes(true)) || (state.slice !== "any" && slice < 0);
  const each = corpus.systems.map((_, index) => index);
  const there = Object.hasOwn(DATA.mismatches, state.outcome) ? M.places.map(placeFilter(state)) : [];
  return (given, slices, codes) => {
    if (unknown || (state.type !== "any" && !typed[given])) return false;
    if (slice >= 0 && !hasBit(slices, slice)) return false;
    if (state.outcome === "left") return each.every((index) => codes[M.width * index] === "x");
    const pass = (index) => passes(M, codes, index, state.outcome, against, there);
    if (system >= 0) return pass(system);
    return state.system === "every" ? each.every(pass) : each.some(pass);
  };
}

const MOST_MARKS = 6; // beside a mention in the list

/** The outcome of each system; of many systems only of those asked for, and for how many of all the mention is right. */
function mentionMarks({ corpus: { systems, mentions }, codes }, asked) {
  const verdicts = systems.map((_, index) => codeOf(mentions, codes, index)[0]);
  const few = systems.length <= MOST_MARKS;
  const shown = few ? [...systems.entries()] : asked.map((label) => [systems.indexOf(label.slice(1)), label.slice(1)]).filter(([index]) => index >= 0);
  const right = verdicts.filter((verdict) => verdict === "r").length;
  return h("span", { class: "mention-marks" },
    few ? null : h("span", { class: "fine", title: `right for ${right} of ${systems.length} systems` }, `${right}/${systems.length}`),
    shown.map(([index, label]) => {
      const verdict = verdicts[index];
      return h("span", { class: `mark ${CLASSES[verdict]}`, title: label, role: "img",
        "aria-label": `${label}: ${DATA.outcomes[verdict] || "not scored"}` }, MARKS[verdict]);
    }));
}

/** How many mentions there are, and are held by the page: those that a system is scored on, and those left out. */
function mentionSizes({ totals, sample }) {
  const left = (codes) => !/[rpwn]/.test(codes);
  const sizes = { scored: 0, left: 0, heldScored: 0, heldLeft: 0 };
  for (const [, , codes, n] of totals) sizes[left(codes) ? "left" : "scored"] += n;
  for (const { codes } of sample) sizes[left(codes) ? "heldLeft" : "heldScored"] += 1;
  return sizes;
}

function mentionBrowser(corpus) {
  const several = DATA.corpora.length > 1;
  const union = (corpora, list) => [...new Set(corpora.flatMap(list))];
  const chosen = (state) => (state.from === "all" ? DATA.corpora : [corpus]);
  for (const one of DATA.corpora) {
    for (const mention of one.mentions.sample) Object.assign(mention, { corpus: one, key: one === corpus ? mention.id : `${one.key} ${mention.id}` });
    one.sizes ||= mentionSizes(one.mentions);
  }
  return listBrowser({
    place: "mentions", title: "Mentions", nouns: ["mention", "mentions"], corpus,
    defaults: { from: "this", system: "any", outcome: "missed", against: "any", type: "any", slice: "any", distance: "any", location: "any", find: "", at: "" },
    controls(state, every = false) {
      const here = chosen(state);
      const systems = union(here, (one) => one.systems);
      const named = systems.map((label) => ["=" + label, label]);
      const hierarchy = here.some((one) => one.mentions.hierarchy);
      const outcomes = { ...OUTCOME_FILTERS, ...(hierarchy ? DATA.mismatches : {}),
        ...(systems.length > 1 ? Object.fromEntries(Object.entries(PAIRED).map(([key, [text]]) => [key, text])) : {}) };
      return {
        ...(several ? { from: ["Mentions of", [["this", "this corpus"], ["all", "all corpora"]]] } : {}),
        system: ["System", [["any", "any system"], ...(systems.length > 1 ? [["every", "every system"]] : []), ...named]],
        outcome: ["Outcome", Object.entries(outcomes)],
        ...(hierarchy && (every || hasDistance(state.outcome)) ? {
          distance: ["Distance", [["any", "any distance"], ...DATA.distances.map((name) => [name, name])]],
          location: ["Location of gold", [["any", "any location"], ...DATA.locations.map((name) => [name, name])]],
        } : {}),
        ...(systems.length > 1 ? { against: ["Other system", [["any", "(none)"], ...named]] } : {}),
        type: ["Type", [["any", "any type"], ...union(here, (one) => one.mentions.types.flatMap((types) => types.split("|"))).map((type) => ["=" + type, typeName(type)])]],
        ...(DATA.corpora.some((one) => one.mentions.slices.length)
          ? { slice: ["Slice", [["any", "any slice"], ...union(here, (one) => one.mentions.slices).map((name) => [name, DATA.slices[name] || name])]] } : {}),
      };
    },
    /** An outcome of two systems needs both; another system needs such an outcome. */
    settled(state, change) {
      if (change.against && change.against !== "any" && !PAIRED[state.outcome]) state.outcome = "ahead";
      if (change.against === "any" && PAIRED[state.outcome]) state.outcome = "any";
      if (PAIRED[state.outcome]) {
        if (!state.system.startsWith("=")) state.system = "=" + corpus.systems[0];
        if (state.against === "any") state.against = "=" + corpus.systems.find((label) => "=" + label !== state.system);
      } else state.against = "any";
      return state;
    },
    look(state) {
      const parts = chosen(state).map((one) => [one, mentionFilter(one, state)]);
      const sum = (of) => parts.reduce((total, [one, kept]) => total + of(one, kept), 0);
      const left = state.outcome === "left"; // then those that are scored by no system count as well
      return {
        items: parts.flatMap(([one, kept]) => one.mentions.sample.filter((m) => kept(m.type, m.slices, m.codes))),
        total: sum((one, kept) => one.mentions.totals.reduce((n, row) => (kept(...row) ? n + row[3] : n), 0)),
        all: sum((one) => one.sizes.scored + (left ? one.sizes.left : 0)),
        held: sum((one) => one.sizes.heldScored + (left ? one.sizes.heldLeft : 0)), what: left ? "" : " scored",
      };
    },
    texts: (mention) => [mention.text, mention.document, mention.id, ...mention.gold.flat().flatMap((number) => mention.corpus.mentions.names[number])],
    row: (mention, state) => mentionMarks(mention, [state.system, state.against]),
    card: (mention, state) => mentionCard(mention, several, [state.system, state.against]),
  });
}

/** One mention: where it stands, what is gold, what each system said and what that is worth. */
function mentionCard(mention, several, asked) {
  const { corpus } = mention;
  const first = asked.map((label) => corpus.systems.indexOf(label.slice(1))).filter((at) => at >= 0);
  const order = [...new Set([...first, ...corpus.systems.keys()])]; // those that were asked for first
  const M = corpus.mentions;
  const slices = M.slices.filter((_, bit) => hasBit(mention.slices, bit));
  const entity = (number) => entityName(...M.names[number]);
  return [
    h("div", { class: "meta" }, h("span", { class: "tag type" }, own(typeName(M.types[mention.type]))), h("span", null, "document ", own(mention.document), several ? [" of ", own(corpus.title)] : null),
      slices.length ? h("ul", { class: "tags", "aria-label": "Slices" }, slices.map((name) => h("li", { class: "tag" }, DATA.slices[name] || name))) : null),
    inContext(mention),
    h("div", { class: "gold" }, h("h4", null, "Gold"),
      h("ul", null, mention.gold.map((ids) => h("li", null, ids.length
        ? ids.flatMap((number, index) => [index ? h("span", { class: "joint" }, " with ") : null, entity(number)]) : "removed from the knowledge base")), mention.gold.length ? null : h("li", null, "none: the corpus gives no id")),
      mention.gold.some((ids) => ids.length > 1) ? h("p", { class: "fine" }, "Composite: any of its entities counts as right.") : null,
      mention.gold.length > 1 ? h("p", { class: "fine" }, "Alternatives: any of them is right.") : null,
      mention.changed.map(([old, now]) => h("p", { class: "fine" }, "The corpus says ", own(old), now.length
        ? [", now ", own(now.join(", ")), "."] : ", which is no longer in the knowledge base."))),
    h("div", { class: "answers" }, order.map((index) =>
      answerCard(mention.answers[index], corpus.systems[index], codeOf(M, mention.codes, index), M, entity))),
  ];
}

const MOST_PLACES = 4; // of one answer that are said

/** Where in the hierarchy a wrong answer lies, in words. */
function placesSaid(numbers) {
  const said = [...new Set(numbers.map(placeOf).map(({ kind, distance }) => (kind === "outside" ? DATA.mismatches[kind]
    : `${kind === "virtual root" ? `orthogonal, ${DATA.mismatches[kind]}` : kind}, distance ${distance}`)))];
  const more = said.length - MOST_PLACES;
  return said.length ? ` In the hierarchy: ${said.slice(0, MOST_PLACES).join("; ")}${more > 0 ? `; and ${more} more` : ""}.` : null;
}

function answerCard(answer, system, code, M, entity) {
  const verdict = code[0];
  const label = h("h4", null, systemName(system),
    h("span", { class: `verdict ${CLASSES[verdict]}` }, `${MARKS[verdict]} ${DATA.outcomes[verdict] || "not scored"}`));
  if (answer === null) {
    return h("section", { class: "answer" }, label, h("p", { class: "why" }, "Gold has no current id in its knowledge base."));
  }
  const hidden = answer.candidates - answer.groups.reduce((sum, group) => sum + group.size, 0);
  return h("section", { class: "answer" }, label, h("p", { class: "why" }, answer.why, placesSaid(M.places[placesAt(code)])),
    answer.gold ? h("p", { class: "fine" }, "Gold in its knowledge base: ", answer.gold.flatMap((number, index) => [index ? ", " : null, entity(number)])) : null,
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

function inContext(item) {
  return h("p", { class: "context", dir: "auto" }, item.context.map(([text, marked]) => (marked ? h("mark", null, text) : text)));
}

// ---- end-to-end cases: gold labels and predictions

const ALONE = { 1: ["true positive", "✓", "right"], 2: ["false positive", "✕", "wrong"], 4: ["false negative", "○", "none"],
  6: ["false negative and false positive", "✕", "wrong"], 3: ["true and false positive", "◐", "partly"], 0: ["counts nothing", "–", "none"] };

function caseBrowser(block, corpus) {
  const masks = Object.fromEntries(block.filters.map(([key, , bits]) => [key, bits]));
  const kept = (bits, counted) => (counted === "any" ? true : counted === "nothing" ? bits === 0 : masks[counted].some((bit) => hasBit(bits, bit)));
  for (const item of block.sample) item.key = item.id;
  const entity = (number) => entityName(...block.names[number]);
  const ids = (numbers, none, joint) => (numbers === null ? none : numbers.length ? numbers.flatMap((number, index) => [index ? h("span", { class: "joint" }, joint) : null, entity(number)]) : "NIL: not in the knowledge base");
  return listBrowser({
    place: "cases", title: "Labels and predictions", nouns: ["case", "cases"], corpus,
    defaults: { system: "=" + block.systems[0], nil: block.nil[0], counted: "any", find: "", at: "" },
    controls: () => ({
      system: ["System", block.systems.map((label) => ["=" + label, label])],
      nil: ["NIL", block.nil.map((way) => [way, way])],
      counted: ["Counted as", [["any", "any"], ...block.filters.map(([key, text]) => [key, text]), ["nothing", "counts nothing"]]],
    }),
    look({ system, nil, counted }) {
      const [at, way] = [block.systems.indexOf(system.slice(1)), block.nil.indexOf(nil)];
      const mine = block.sample.filter((item) => item.system === at && item.nil === way);
      const totals = block.totals.filter(([of, under]) => of === at && under === way);
      return {
        items: mine.filter((item) => kept(item.bits, counted)), held: mine.length, what: "",
        total: totals.reduce((sum, [, , bits, n]) => (kept(bits, counted) ? sum + n : sum), 0), all: totals.reduce((sum, row) => sum + row[3], 0),
      };
    },
    texts: (item) => [item.text, item.document, ...[item.gold, item.said].flatMap((numbers) => (numbers || []).flatMap((number) => block.names[number]))],
    row({ bits }) {
      const [said, mark, kind] = ALONE[bits % 8];
      return h("span", { class: "mention-marks" }, h("span", { class: `mark ${kind}`, role: "img", "aria-label": said, title: said }, mark));
    },
    card(item) {
      const [said, mark, kind] = ALONE[item.bits % 8];
      const categories = block.errors.filter(([bit]) => hasBit(item.bits, bit));
      return [
        h("div", { class: "meta" }, h("span", null, "document ", own(item.document)),
          categories.length ? h("ul", { class: "tags", "aria-label": "Categories" }, categories.map(([, name]) => h("li", { class: "tag" }, name))) : null),
        inContext(item),
        h("div", { class: "gold" }, h("h4", null, "Gold"), h("p", null, ids(item.gold, "no mention here", " with "))),
        h("section", { class: "answer" }, h("h4", null, systemName(block.systems[item.system]), h("span", { class: `verdict ${kind}` }, `${mark} ${said}`)),
          h("p", null, ids(item.said, "nothing predicted here", " tied with ")), h("p", { class: "why" }, item.why)),
      ];
    },
  });
}
