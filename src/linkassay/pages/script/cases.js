// The view of end-to-end cases: every gold label and every prediction of a system that found mentions itself.

import { h, own } from "./dom.js";
import { listBrowser } from "./list_browser.js";
import { caseCard, countedAs, hasBit } from "./mention_card.js";

const CASE_ORDERS = [["", "corpus order"], ["text", "text, A–Z"], ["-text", "text, Z–A"], ["document", "document"]];

/** What cases can be asked for by, with errors that were avoided after those that were made. */
function countedOptions(filters) {
  const keys = new Set(filters.map(([key]) => key));
  const found = [["any", "any"], ["nothing", "counts nothing"]];
  const group = (key) => (key.startsWith("all_") ? "linking" : key.startsWith("ner_") && /_(f1|p|r|tp|fp|fn)$/.test(key) ? "recognition" : "errors");
  for (const [key, words] of filters) {
    found.push([key, words, group(key)]);
    const name = key.replace(/_errors$/, "");
    if (name !== key && keys.has(`${name}_total`)) found.push([`${name}_avoided`, `${words}, avoided`, group(key)]);
  }
  return found;
}

/** What cases can belong to, kinds of mentions before types; those of the answer count for false positives only. */
function groupOptions(groups) {
  return [["any", "any"], ...groups.map(([name, words]) => [name, words, name.startsWith("type=") ? "types" : "kinds of mentions"])];
}

export const casesView = {
  name: "cases", label: "Cases",
  open(app, params) {
    const { found, nil, filters, errors, groups } = app.cohort;
    const options = countedOptions(filters);
    const totals = Object.fromEntries(filters.filter(([key]) => key.endsWith("_total")).map(([key, , [bit]]) => [key.replace(/_total$/, ""), bit]));
    const wrong = Object.fromEntries(filters.filter(([key]) => key.endsWith("_errors")).map(([key, words, [bit]]) => [key.replace(/_errors$/, ""), [bit, words]]));
    const avoided = (bits) => Object.entries(totals).filter(([name, bit]) => wrong[name] && hasBit(bits, bit) && !hasBit(bits, wrong[name][0])).map(([name]) => wrong[name][1]);
    const browser = listBrowser({
      app, name: "cases", title: "Cases", what: "Labels and predictions, end to end, of", nouns: ["case", "cases"], list: "cases", entry: "case", all: ["system", "nil", "counted", "group", "sort"],
      defaults: { system: "=" + found[0], nil: nil[0], counted: "any", group: "any", document: "", find: "", sort: "", at: "" },
      controls: () => ({
        system: ["System", found.map((label) => ["=" + label, label])],
        nil: ["NIL", nil.map((way) => [way, way])],
        counted: ["Counted as", options],
        ...(groups.length ? { group: ["Type or kind", groupOptions(groups)] } : {}),
        sort: ["Order", CASE_ORDERS],
      }),
      asked: ({ at: _, ...asked }) => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== "any" && value !== "")),
      scope: () => "",
      identity: ({ id }, state) => ({ id, system: state.system, nil: state.nil }),
      head: () => [h("span", { class: "head-text" }, "label or prediction"), h("ol", { class: "head-marks", "aria-label": "Columns of marks" },
        ["linking", "recognition"].map((task) => h("li", null, h("span", { class: "head-name" }, task))))],
      row: ({ id, text, document, bits }) => [
        h("span", { class: "mention-text" }, own(text || id)),
        h("span", { class: "mention-marks" }, countedAs(bits).map(([task, [said, mark, kind]]) =>
          h("span", { class: `mark ${kind}`, role: "img", "aria-label": `${task}: ${said}`, title: `${task}: ${said}` }, mark))),
        h("span", { class: "mention-whence" }, own(document))],
      card: (entry, state) => caseCard(entry, { app, system: state.system.slice(1), nil: state.nil === nil[0] ? "" : state.nil, avoided: avoided(entry.bits),
        errors: errors.filter(([bit]) => hasBit(entry.bits, bit)).map(([, words]) => words), only: (document) => browser.set({ document, at: entry.id }) }),
    }, params);
    return browser;
  },
};
