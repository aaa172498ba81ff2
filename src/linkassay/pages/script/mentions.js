// The view of mentions whose spans were given: every mention behind a figure, with what each system said of it.

import { DATA, h, own, swatch, typeName } from "./dom.js";
import { listBrowser } from "./list_browser.js";
import { VERDICT_CLASSES, VERDICT_MARKS, mentionCard, outcomeName } from "./mention_card.js";

const OUTCOME_FILTERS = {
  any: "any outcome", missed: "not right", right: "right", partly: "partly right", wrong: "wrong", none: "no answer",
  answered: "answered", credited: "right or partly right", generation: "lost in candidate generation",
  disambiguation: "lost in disambiguation", left: "not scored",
};
/** Outcomes that are asked of two systems. */
const PAIRED_OUTCOMES = {
  ahead: "better than the other", differ: "unlike the other", both: "right or partly for both",
  either: "right or partly for one of both", neither: "not right for both",
};
const MENTION_ORDERS = [
  ["", "corpus order"], ["text", "text, A–Z"], ["-text", "text, Z–A"], ["type", "type"], ["document", "document"],
  ["rank", "rank of gold, worst first"], ["-rank", "rank of gold, best first"],
];
const MENTION_FILTERS = ["from", "system", "outcome", "distance", "location", "against", "type", "slice", "set", "sort"];
const MOST_MARKS = 6; // beside a mention in the list

/** Whether a mismatch can be near or far: its outcome has boxes for that. */
function hasDistance(outcome) {
  return Object.hasOwn(DATA.mismatches, outcome) && outcome !== "outside";
}

/** Systems whose marks stand in the list: all, or of many those that were asked for. */
function markedSystems(systems, { system, against }) {
  return systems.length <= MOST_MARKS ? systems : systems.filter((label) => "=" + label === system || "=" + label === against);
}

/** What stands over the marks: which column is which system. */
function marksHead(systems, state) {
  const many = systems.length > MOST_MARKS;
  return [
    h("span", { class: "head-text" }, "mention"),
    h("ol", { class: "head-marks", "aria-label": "Columns of marks" },
      many ? h("li", { class: "wide", title: `of ${systems.length} systems` }, h("span", { class: "head-name" }, "right for")) : null,
      markedSystems(systems, state).map((label) => h("li", { title: label }, h("bdi", { class: "head-name" }, label), swatch(label)))),
  ];
}

/** The outcome of each system; of many systems only of those asked for, and for how many of all the mention is right. */
function mentionMarks(codes, { width, systems: mine }, systems, state) {
  const verdict = (label) => codes[width * mine.indexOf(label)];
  const right = mine.filter((label) => verdict(label) === "r").length;
  return h("span", { class: "mention-marks" },
    systems.length <= MOST_MARKS ? null : h("span", { class: "wide", role: "img", "aria-label": `right for ${right} of ${mine.length} systems` }, `${right}/${mine.length}`),
    markedSystems(systems, state).map((label) => (mine.includes(label) ? h("span", { class: `mark ${VERDICT_CLASSES[verdict(label)]}`, title: label, role: "img",
      "aria-label": `${label}: ${outcomeName(verdict(label))}` }, VERDICT_MARKS[verdict(label)]) : h("span", { class: "mark" }))));
}

/** Cohorts whose mentions can be shown together, by their keys: those of a page. Known when the promise is kept. */
function cohortsOf(app) {
  const keys = app.about.feed === "page" ? DATA.corpora.map(({ key }) => key) : [];
  const cohorts = keys.length > 1 ? Object.fromEntries(keys.map((key) => [key, app.cohort])) : { [app.cohort.key]: app.cohort };
  const asked = keys.length > 1 ? keys.map(async (key) => { cohorts[key] = await app.feed.request("cohort", { corpus: "=" + key }); }) : [];
  return { cohorts, prepared: asked.length ? Promise.all(asked) : undefined };
}

export const mentionsView = {
  name: "mentions", label: "Mentions",
  open(app, params) {
    const { cohorts, prepared } = cohortsOf(app);
    /** @param {Record<string, string>} state */
    const chosen = (state) => (state.from === "all" ? Object.values(cohorts) : [app.cohort]);
    const union = (state, of) => [...new Set(chosen(state).flatMap(of))];
    const systemsOf = (state) => union(state, ({ systems }) => systems);
    const sliceWords = () => Object.assign({}, DATA.slices, ...Object.values(cohorts).map(({ slice_names: words }) => words));
    const cohortOf = (row) => cohorts[row.corpus] || app.cohort;
    const several = Object.keys(cohorts).length > 1;
    const key = (row) => (row.corpus && row.corpus !== app.cohort.key ? `${row.corpus} ${row.id}` : row.id);
    const browser = listBrowser({
      app, prepared, key, name: "mentions", title: "Mentions", what: "of", nouns: ["mention", "mentions"], list: "mentions", entry: "mention", all: MENTION_FILTERS,
      defaults: { from: "this", system: "any", outcome: "missed", against: "any", type: "any", slice: "any", set: "any", distance: "any", location: "any", document: "", find: "", sort: "", at: "" },
      controls(state) {
        const systems = systemsOf(state);
        const named = systems.map((label) => ["=" + label, label]);
        const [types, slices] = [union(state, (each) => each.types.flatMap((type) => type.split("|"))), union(state, (each) => each.slices)];
        const sets = union(state, (each) => each.sets);
        const hierarchy = chosen(state).some((each) => each.hierarchy);
        const words = sliceWords();
        const outcomes = [...Object.entries(OUTCOME_FILTERS),
          ...(hierarchy ? Object.entries(DATA.mismatches).map((each) => [...each, "in the hierarchy"]) : []),
          ...(systems.length > 1 ? Object.entries(PAIRED_OUTCOMES).map((each) => [...each, "against another system"]) : [])];
        return {
          ...(several ? { from: ["Mentions of", [["this", "this corpus"], ["all", "all corpora"]]] } : {}),
          system: ["System", [["any", "any system"], ...(systems.length > 1 ? [["every", "every system"]] : []), ...named]],
          outcome: ["Outcome", outcomes],
          ...(hierarchy && hasDistance(state.outcome) ? {
            distance: ["Distance", [["any", "any distance"], ...DATA.distances.map((name) => [name, name])]],
            location: ["Location of gold", [["any", "any location"], ...DATA.locations.map((name) => [name, name])]],
          } : {}),
          ...(systems.length > 1 ? { against: ["Other system", [["any", "(none)"], ...named]] } : {}),
          type: ["Type", [["any", "any type"], ...types.map((type) => ["=" + type, typeName(type)])]],
          ...(slices.length ? { slice: ["Slice", [["any", "any slice"], ...slices.map((name) => [name, words[name] || name])]] } : {}),
          ...(sets.length ? { set: ["Set", [["any", "any set"], ...sets.map((name) => [name, name])]] } : {}),
          sort: ["Order", MENTION_ORDERS],
        };
      },
      /** An outcome of two systems needs both; another system needs such an outcome. */
      settled(state, change) {
        const systems = systemsOf(state);
        const paired = () => Object.hasOwn(PAIRED_OUTCOMES, state.outcome);
        if (change.against && change.against !== "any" && !paired()) state.outcome = "ahead";
        if (change.against === "any" && paired()) state.outcome = "any";
        if (!paired() || systems.length < 2) return { ...state, against: "any" };
        if (!state.system.startsWith("=")) state.system = "=" + systems[0];
        if (state.against === "any") state.against = "=" + systems.find((label) => "=" + label !== state.system);
        return state;
      },
      asked: ({ at: _, ...filters }) => Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "any" && value !== "" && value !== "this")),
      scope: ({ outcome }) => (outcome === "left" ? "" : " scored"),
      identity: ({ id, corpus }) => ({ id, ...(corpus ? { corpus: "=" + corpus } : {}) }),
      head: (state) => marksHead(systemsOf(state), state),
      row: (row, state) => [
        h("span", { class: "mention-text" }, own(row.text || row.id)), mentionMarks(row.codes, cohortOf(row), systemsOf(state), state),
        h("span", { class: "mention-whence" }, own(typeName(row.type)), " · ", own(row.document))],
      card: (entry, state, row) => mentionCard(entry, {
        app, systems: cohortOf(row).systems, asked: [state.system, state.against], slices: sliceWords(), corpus: several ? cohortOf(row) : null,
        only: (document) => browser.set({ document, at: key(row) }) }),
    }, params);
    return browser;
  },
};
