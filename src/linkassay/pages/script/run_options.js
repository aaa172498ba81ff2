// What figures are asked for: everything that the command `score` can compute, and the command that does.

import { h } from "./dom.js";
import { copy } from "./tables.js";

/** What is asked for where nobody says otherwise. */
export const NO_FIGURES = { task: "", measures: "", protocol: "", set: "", average: "", by: "", preset: "", spans: "",
  scope: "", hierarchy: "", failures: "", abbreviations: "", case: "", exclude_ids: "" };

const [OF_GIVEN, OF_FOUND_ONES] = ["", "end-to-end"]; // the tasks
const OF_BOTH = [OF_GIVEN, OF_FOUND_ONES];

/** What is chosen: key → label, where its choices are, what stands for none of them, and the tasks that know it. */
const OFFERED_CHOICES = /** @type {Record<string, [string, string, string, string[]]>} */ ({
  protocol: ["Protocol", "protocols", "as usual", [OF_GIVEN]], set: ["Evaluation set", "sets", "all mentions", OF_BOTH],
  average: ["Average", "averages", "over mentions", [OF_GIVEN]], preset: ["Preset", "presets", "as usual", OF_BOTH],
  spans: ["Spans", "spans", "as the preset says", [OF_FOUND_ONES]],
  scope: ["Only what was recognised by", "scopes", "all mentions", OF_BOTH],
  abbreviations: ["Abbreviations, for slices", "abbreviations", "as usual", OF_BOTH], case: ["Texts are compared", "cases", "as usual", OF_BOTH],
});
/** What is written: key → label, what it may look like, and the tasks that know it. */
const WRITTEN_CHOICES = /** @type {Record<string, [string, string, string[]]>} */ ({
  measures: ["Measures", "recall@1, recall@5, coverage", [OF_GIVEN]], by: ["Slices", "type, zero-shot; length <= 4", OF_BOTH],
  hierarchy: ["How wrong, by hierarchy of", "a knowledge base", OF_BOTH], failures: ["Failure stages, at K", "10", [OF_GIVEN]],
  exclude_ids: ["Gold ids that do not count", "mesh:D001943, …", OF_BOTH],
});
/** What can be put into lists that are written: key → label, what to do, where the items are. */
const ADDED_CHOICES = { measures: ["Known measures", "add a measure …", "measures"], by: ["Known slices", "add a slice …", "slices"] };
/** In the order of the form, and those that few ask for. */
const USUAL_CHOICES = ["measures", "protocol", "set", "average", "by", "preset", "spans"];
const FURTHER_CHOICES = ["scope", "hierarchy", "failures", "abbreviations", "case", "exclude_ids"];
/** In the order of the command that a server gives. */
const SAID_ORDER = ["measures", "protocol", "set", "average", "by", "scope", "preset", "spans", "failures", "hierarchy", "abbreviations", "exclude_ids", "case"];

/** The preset of given mentions; all others are of found ones. */
const GIVEN_PRESET = "bioel";
/** Measures that are averaged where none is named. */
const USUAL_MEASURES = "coverage,recall@1,recall@5";

function knows(key, task) {
  return (OFFERED_CHOICES[key]?.[3] || WRITTEN_CHOICES[key][2]).includes(task);
}

/**
 * What is said of figures, as the request for them has it: only what their task knows.
 * @returns {Record<string, any>}
 */
export function figuresAsked(state) {
  const said = Object.fromEntries(SAID_ORDER.filter((key) => knows(key, state.task)).map((key) => [key, state[key].trim()]));
  return { task: state.task, ...said, by: said.by.split(";").map((each) => each.trim()).filter(Boolean), ...("measures" in said ? { measures: said.measures.replaceAll(" ", "") } : {}) };
}

/** Whether something is asked for that few ask for. */
export function asksFurther(state) {
  return FURTHER_CHOICES.some((key) => state[key] !== "");
}

/** A word of the command line as a shell reads it. */
function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function option(key, value) {
  if (key === "case") return value === "fold" ? "--fold-case" : "--exact-case";
  return `--${key.replace("_", "-")}${value.startsWith("-") ? "=" : " "}${quoted(value)}`;
}

/** The command for these figures of some runs, as the command line spells it. */
export function scoreCommand(runs, state) {
  const { average, ...asked } = figuresAsked(state);
  if (average) asked.measures = (asked.measures || USUAL_MEASURES).split(/,(?![^()]*\))/).filter(Boolean).map((measure) => averaged(measure, average)).join(",");
  return ["linkassay score", ...runs.map(quoted), ...Object.entries(asked).flatMap(([key, value]) => [value].flat().filter(Boolean).map((each) => option(key, each)))].join(" ");
}

/**
 * The commands for the figures that are shown before any are asked for: runs that found their mentions are headed by others.
 * @param {any[]} runs @param {string} nil how NIL is handled in what is shown
 */
export function usualCommands(runs, nil) {
  const of = (task) => runs.filter(({ row }) => (row.task === "found") === (task === OF_FOUND_ONES)).map(({ id }) => id);
  const [given, found] = [of(OF_GIVEN), of(OF_FOUND_ONES)];
  return [
    ...(given.length ? [scoreCommand(given, NO_FIGURES)] : []),
    ...(found.length ? [`${scoreCommand(found, { ...NO_FIGURES, task: OF_FOUND_ONES })}${nil ? ` --nil ${nil}` : ""}`] : []),
  ].join("\n");
}

/** A measure with an average: `recall@1` becomes `recall(average=entities)@1`. */
function averaged(measure, average) {
  const [, name, inner, rank] = /^([^(@]*)(?:\(([^)]*)\))?(.*)$/.exec(measure);
  return inner?.includes("average=") ? measure : `${name}(${inner ? `${inner},` : ""}average=${average})${rank}`;
}

/** One thing to choose or to write, as the form has it. */
function figureField(key, choices, onchange) {
  const label = OFFERED_CHOICES[key]?.[0] || WRITTEN_CHOICES[key][0];
  if (WRITTEN_CHOICES[key]) {
    const box = /** @type {HTMLInputElement} */ (h("input", { type: "text", class: "field", spellcheck: "false", autocomplete: "off", placeholder: WRITTEN_CHOICES[key][1],
      inputmode: key === "failures" ? "numeric" : null, list: key === "hierarchy" ? "known-kbs" : null, oninput: () => onchange({ [key]: box.value }) }));
    return { box, label: h("label", { class: ADDED_CHOICES[key] ? "measures" : null }, h("span", null, label), box, key === "hierarchy" ? h("datalist", { id: "known-kbs" }) : null) };
  }
  const box = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => onchange({ [key]: box.value }) }));
  offer(box, OFFERED_CHOICES[key][2], choices[OFFERED_CHOICES[key][1]] || []);
  return { box, label: h("label", null, h("span", null, label), box) };
}

function offer(box, none, rows) {
  box.replaceChildren(h("option", { value: "" }, none), ...rows.map(({ name, summary }) => h("option", { value: name }, summary ? `${name}: ${summary}` : name)));
}

/** A list with one more name: behind the others, but, if there may be `conditions`, before these, which stand behind a ";". */
function withOneMore(list, name, conditions) {
  const [first, ...others] = list.split(";").map((each) => each.trim());
  const parts = conditions && /[<>()']/.test(first) ? [name, first, ...others] : [[...first.split(",").map((each) => each.trim()).filter(Boolean), name].join(", "), ...others];
  return parts.join("; ");
}

/** What puts one more thing into a list that is written. */
function adder(key, box, choices, onchange) {
  const [label, what, from] = ADDED_CHOICES[key];
  const add = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => {
    onchange({ [key]: withOneMore(box.value, add.value, key === "by") });
    add.selectedIndex = 0;
  } }));
  offer(add, what, choices[from] || []);
  return h("label", null, h("span", null, label), add);
}

/**
 * The form. `onchange(change)` is told what is chosen, `compute` starts the work; `choices` is the answer to that request.
 */
export function figureForm(choices, { onchange, compute }) {
  const fields = Object.fromEntries([...USUAL_CHOICES, ...FURTHER_CHOICES].map((key) => [key, figureField(key, choices, onchange)]));
  const adders = Object.fromEntries(Object.keys(ADDED_CHOICES).map((key) => [key, adder(key, fields[key].box, choices, onchange)]));
  const task = /** @type {HTMLSelectElement} */ (h("select", { onchange: () => onchange({ task: task.value, preset: "" }) },
    h("option", { value: OF_GIVEN }, "given mentions"), h("option", { value: OF_FOUND_ONES }, "end to end")));
  const further = h("details", { class: "further" }, h("summary", null, "Further choices"), h("div", { class: "filters" }, FURTHER_CHOICES.map((key) => fields[key].label)));
  const element = h("form", { class: "filters figures", "aria-label": "Figures to compute", onsubmit: (event) => { event.preventDefault(); compute(); } },
    h("label", null, h("span", null, "Task"), task), USUAL_CHOICES.flatMap((key) => [fields[key].label, adders[key]]), further,
    h("button", { class: "act" }, "Compute"));
  return {
    element,
    /** Show what is asked for; `runs` are those that have recognised mentions, `kbs` the knowledge bases that there are. */
    show(asked, runs, kbs) {
      task.value = asked.task;
      offer(fields.scope.box, OFFERED_CHOICES.scope[2], runs.map((run) => ({ name: `recognised(${run})` })));
      fields.hierarchy.label.lastElementChild.replaceChildren(...kbs.map((name) => h("option", { value: name })));
      if (asksFurther(asked)) further.setAttribute("open", "");
      for (const [key, { box, label }] of Object.entries(fields)) {
        label.hidden = !knows(key, asked.task);
        if (adders[key]) adders[key].hidden = label.hidden;
        if (key === "preset") for (const each of /** @type {HTMLSelectElement} */ (box).options) each.hidden = each.value !== "" && (each.value === GIVEN_PRESET) !== (asked.task === OF_GIVEN);
        if (box.value !== asked[key]) box.value = asked[key];
      }
    },
  };
}

/** A command in a box, with a button that copies it. */
export function commandBox() {
  const code = h("code");
  const element = h("div", { class: "command" }, h("pre", { tabindex: "0", "aria-label": "The command for these figures" }, code),
    h("button", { type: "button", class: "quiet", onclick: (event) => copy(code.textContent, event.currentTarget, "a command") }, "Copy command"));
  return { element, show: (text) => { code.textContent = text; } };
}
