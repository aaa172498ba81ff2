// What stands above the text of a document: which systems and marks are shown, and what the signs mean.

import { VERDICTS } from "./document_marks.js";
import { count, h, own, systemName, typeName } from "./dom.js";

export const MOST_COLUMNS = 4;
const LONG_NAMES = 26; // letters of all names that have room beside the buttons
/** Which marks are shown; the last two compare the systems that are shown. */
export const MARK_MODES = {
  all: ["All", "every mark"], errors: ["Errors", "wrong, partly right, missed and spurious"], avoided: ["Avoided errors", "no error here, but one of another system that is shown"],
  differ: ["Differences", "where the systems that are shown do not come to the same"],
};

/** Does a mode need two systems? */
export function comparesSystems(mode) {
  return mode === "avoided" || mode === "differ";
}

/**
 * The controls; `set` changes the state, `turn` goes to another document, `tab` shows another system on a narrow screen.
 * @param {{cohort: any, set(change: object): Promise<void>, turn(by: number): void, tab(at: number): void, drawer: HTMLElement}} hands
 */
export function documentTools({ cohort: { systems, found: finders, nil: ways }, set, turn, tab, drawer }) {
  const name = h("h1", { class: "doc-heading", tabindex: "-1" });
  const meta = h("p", { class: "fine doc-meta" });
  const filters = h("button", { type: "button", class: "quiet doc-filters", "aria-expanded": "false", onclick: () => {
    filters.setAttribute("aria-expanded", String(filters.closest(".documents").classList.toggle("has-tools")));
  } }, "Filters");
  const previous = h("button", { type: "button", class: "quiet", title: "Previous document (←)", "aria-label": "Previous document", onclick: () => turn(-1) }, "←", h("span", null, " Previous"));
  const next = h("button", { type: "button", class: "quiet", title: "Next document (→)", "aria-label": "Next document", onclick: () => turn(1) }, h("span", null, "Next "), "→");
  const modes = h("fieldset", { class: "choice doc-modes", onkeydown: keepArrows }, h("legend", { class: "hidden" }, "Which marks"), Object.entries(MARK_MODES).map(([value, [text, help]]) =>
    h("label", { title: help }, h("input", { type: "radio", name: "doc-mode", value, onchange: () => set({ mode: value, at: "" }) }), h("span", null, text))));
  const picks = h("div", { class: "doc-picks" });
  const [nil, type, category] = ["nil", "type", "category"].map((key) => h("select", { onchange: (event) => set({ [key]: event.target.value, at: "" }) }));
  const [nilBox, typeBox, categoryBox] = [["NIL", nil], ["Type", type], ["Error category", category]].map(([label, box]) => h("label", null, h("span", { class: "hidden" }, label), box));
  nil.append(...ways.map((way) => h("option", { value: way }, `NIL ${way}`)));
  nilBox.hidden = !finders.length;
  const legend = h("ul", { class: "doc-legend", "aria-label": "What is marked; choose one to hide or show it" });
  const tabs = h("fieldset", { class: "choice doc-tabs", onkeydown: keepArrows });
  const top = h("header", { class: "doc-top" }, h("div", { class: "doc-names" }, name, meta), picks, h("div", { class: "doc-turn" }, drawer, filters, previous, next));

  /** The options of a box; it is there only if there is something to choose. */
  function offer(box, select, value, all, options, least) {
    const offered = value && !options.some(([each]) => each === value) ? [...options, [value, value]] : options;
    box.hidden = offered.length < least;
    select.replaceChildren(...[["", all], ...offered].map(([each, text]) => h("option", { value: each }, text)));
    select.value = value;
  }

  /** Which systems are shown; many are in a box that opens. */
  function pickers(labels, choose) {
    if (systems.length < 2) return;
    const [opened, focused] = [picks.querySelector("details")?.open, [...picks.querySelectorAll("input")].findIndex((box) => box === document.activeElement)];
    const boxes = h("fieldset", { class: systems.join("").length > LONG_NAMES ? "doc-systems is-long" : "doc-systems" }, h("legend", { class: "hidden" }, `Systems shown, at most ${MOST_COLUMNS}`), systems.map((label) => {
      const on = labels.includes(label);
      return h("label", { class: on ? "is-on" : null }, h("input", { type: "checkbox", checked: on, disabled: on ? labels.length === 1 : labels.length >= MOST_COLUMNS,
        onchange: (event) => choose(systems.filter((each) => (each === label ? event.target.checked : labels.includes(each)))) }), systemName(label));
    }));
    picks.replaceChildren(systems.length <= MOST_COLUMNS ? boxes : h("details", { open: opened }, h("summary", null, `Systems: ${labels.length} of ${systems.length}`), boxes));
    picks.querySelectorAll("input")[focused]?.focus();
  }

  return {
    top, tabs, legend,
    filters: h("div", { class: "doc-tools" }, modes, nilBox, typeBox, categoryBox),
    /** Show a state; `labels` are the systems shown, `active` the one of a narrow screen, `choose` takes other systems. */
    show(state, found, labels, active, choose) {
      const marks = found ? found.marks : [];
      const distinct = (values) => [...new Set(marks.flatMap(values))].sort();
      const untold = found?.title && found.title !== found.id && !found.pieces[0]?.[1].trimStart().startsWith(found.title.trim());
      name.replaceChildren(...(found ? [own(found.id)] : []));
      meta.replaceChildren(...(found ? [untold ? [own(found.title), " · "] : [],
        `${count(found.length)} characters · ${count(marks.filter((mark) => mark.gold && !mark.parent).length)} mentions`].flat() : []));
      previous.disabled = next.disabled = !found;
      for (const input of modes.querySelectorAll("input")) {
        input.checked = input.value === state.mode;
        input.disabled = labels.length < 2 && comparesSystems(input.value);
      }
      nil.value = state.nil;
      offer(typeBox, type, state.type, "all types", distinct((mark) => (mark.type ? mark.type.split("|") : [])).map((each) => [each, typeName(each)]), 2);
      offer(categoryBox, category, state.category, "any error category", distinct((mark) => mark.answers.flatMap((answer) => answer?.categories || [])).map((each) => [each, each]), 1);
      pickers(labels, choose);
      tabs.hidden = labels.length < 2;
      tabs.replaceChildren(h("legend", { class: "hidden" }, "System shown"), ...labels.map((label, at) =>
        h("label", null, h("input", { type: "radio", name: "doc-tab", checked: at === active, onchange: () => tab(at) }), h("span", null, systemName(label)))));
    },
    /** The signs, how many marks have each, and which of them are hidden. */
    explain(counts, hidden) {
      const focused = legend.contains(document.activeElement) && /** @type {HTMLElement} */ (document.activeElement).dataset.verdict;
      legend.replaceChildren(...Object.entries(VERDICTS).filter(([key]) => finders.length || (key !== "spurious" && key !== "optional")).map(([key, [word, sign, , help]]) => {
        const n = counts.reduce((sum, of) => sum + (of[key] || 0), 0);
        return h("li", null, h("button", { type: "button", class: `v-${key}${n ? "" : " is-none"}`, "data-verdict": key, "aria-pressed": String(!hidden.has(key)), title: help,
          onclick: () => set({ hide: toggled(hidden, key) }) }, h("span", { class: "sign-still", "aria-hidden": "true" }, sign), word, h("span", { class: "hidden" }, `: ${count(n)}`)));
      }));
      if (focused) /** @type {HTMLElement} */ (legend.querySelector(`[data-verdict="${focused}"]`))?.focus();
    },
  };
}

/** Arrow keys among radio buttons choose one of them; elsewhere they turn to another document. */
function keepArrows(event) {
  if (event.key.startsWith("Arrow")) event.stopPropagation();
}

/** The verdicts that are hidden after one of them was switched, as the address says it. */
function toggled(hidden, key) {
  return Object.keys(VERDICTS).filter((each) => hidden.has(each) !== (each === key)).join(",");
}
