// The documents of a corpus, a hundred at a time, with what each system reached in them.

import { reached } from "./document_text.js";
import { count, h, own, swatch } from "./dom.js";

const AT_A_TIME = 100;
const USUAL_SECTIONS = 2; // title and abstract: to choose between them would help nobody
const AHEAD = 600; // pixels
const TYPING = 160; // milliseconds without a further letter before the search begins

/** How documents may be ordered; what went wrong and where systems differ is about all systems of the view. */
export const DOCUMENT_ORDERS = [["", "corpus order"], ["errors", "most errors first"], ["-errors", "fewest errors first"],
  ["fn", "most false negatives first"], ["fp", "most false positives first"], ["differ", "systems differ most"], ["mentions", "most mentions first"],
  ["-mentions", "fewest mentions first"], ["chars", "longest first"], ["-chars", "shortest first"], ["id", "by id"]];

/**
 * @param {{request(params: object): Promise<any>, set(change: object): void, several: boolean, finders: boolean, sections: string[], address(view: string, params: object): string, failed(error: Error): void}} hands
 */
export function documentNavigator({ request, set, several, finders, sections, address, failed }) {
  let [rows, total, turn, state, labels, timer] = [[], 0, 0, null, [], 0];
  const search = h("input", { type: "search", placeholder: "id or title", "aria-label": "Find a document", oninput: () => { clearTimeout(timer); timer = setTimeout(() => set({ find: search.value }), TYPING); } });
  const order = h("select", { "aria-label": "Order of the documents", onchange: () => set({ sort: order.value }) },
    DOCUMENT_ORDERS.filter(([value]) => (several || value !== "differ") && (finders || !["fn", "fp"].includes(value))).map(([value, text]) => h("option", { value }, text)));
  const kind = h("select", { "aria-label": "Documents with a section", onchange: () => set({ section: kind.value }) },
    h("option", { value: "any" }, "any section"), sections.map((name) => h("option", { value: name }, `with ${name || "unnamed parts"}`)));
  const tally = h("p", { class: "doc-tally", "aria-live": "polite" });
  const items = h("ol", { class: "doc-items", onkeydown: listKeys });
  const more = h("button", { type: "button", class: "quiet doc-more", hidden: true, onclick: () => load() }, "Show more");
  const box = h("div", { class: "doc-scroll", onscroll: loadAhead }, items, more);
  const element = h("nav", { class: "doc-list", "aria-label": "Documents" }, h("div", { class: "doc-find" }, search, order, sections.length > USUAL_SECTIONS ? kind : null), tally, box);
  let loading = null;

  /** The next ones are fetched before the end comes into view. */
  function loadAhead() {
    if (!more.hidden && box.clientHeight && box.scrollTop + box.clientHeight > box.scrollHeight - AHEAD) load();
  }

  /** Fetch the next ones; whoever waits for the same gets the same. */
  function load() {
    if (loading || (rows.length && rows.length >= total)) return loading;
    const mine = turn;
    const { find, section, sort, nil } = state;
    loading = request({ find, section, sort, nil, offset: rows.length, limit: AT_A_TIME }).then((answer) => {
      if (mine !== turn) return;
      total = answer.total;
      items.append(...answer.rows.map(item));
      rows.push(...answer.rows);
      more.hidden = rows.length >= total;
      tally.replaceChildren(h("span", null, state.find ? `${count(total)} found` : `${count(total)} ${total === 1 ? "document" : "documents"}`),
        h("span", null, [...new Set(rows.flatMap((row) => labels.map(([, at]) => reached(row.systems[at])?.what)).filter(Boolean))].map((what) => `${what}, %`).join("; ")));
      current();
    }, (error) => { if (mine === turn) failed(error); }).finally(() => {
      if (mine !== turn) return;
      loading = null;
      loadAhead();
    });
    return loading;
  }

  function item(row) {
    const figures = labels.map(([label, at]) => [label, reached(row.systems[at])]);
    return h("li", null, h("a", { href: address("documents", linked(row.id)), "data-id": row.id, tabindex: "-1" },
      h("span", { class: "doc-name" }, h("bdi", { class: "doc-id" }, row.id), h("span", { class: "fine" }, `${count(row.mentions)} ${row.mentions === 1 ? "mention" : "mentions"}`)),
      row.title && row.title !== row.id ? h("span", { class: "doc-title" }, own(row.title)) : null,
      h("span", { class: "doc-shares" }, figures.map(([label, met]) => shareBar(label, met)))));
  }

  /** The address of another document: with the same filters, without what was chosen in this one. */
  function linked(id) {
    return { ...state.said, id, at: "" };
  }

  /** Mark the document that is shown. */
  function current() {
    const links = [...items.querySelectorAll("a")];
    const mine = links.find((link) => link.dataset.id === state.id);
    for (const link of links) {
      link.tabIndex = link === (mine || links[0]) ? 0 : -1;
      if (link === mine) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!mine) return;
    const [{ top, bottom }, frame] = [mine.getBoundingClientRect(), box.getBoundingClientRect()];
    if (top < frame.top || bottom > frame.bottom) box.scrollTop += top - frame.top - box.clientHeight / 3;
  }

  function listKeys(event) {
    const links = [...items.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined || !links[to]) return;
    event.preventDefault();
    event.stopPropagation();
    links[to].focus();
  }

  return {
    element,
    focus: () => search.focus(),
    /**
     * Show the list of a state: `find`, `section`, `sort`, `nil`, the shown `id`, the chosen `labels` with their places, and
     * what the address says (`said`).
     */
    async show(next) {
      const again = !state || ["find", "section", "sort", "nil"].some((key) => next[key] !== state[key]);
      const others = JSON.stringify(next.labels) !== JSON.stringify(labels);
      [state, labels] = [next, next.labels];
      if (search.value !== next.find) search.value = next.find;
      order.value = next.sort;
      kind.value = next.section;
      if (again) {
        [rows, total, turn, loading] = [[], 0, turn + 1, null];
        items.replaceChildren();
        box.scrollTop = 0;
        await load();
      } else if (others) {
        items.replaceChildren(...rows.map(item));
        current();
      } else {
        for (const [at, link] of items.querySelectorAll("a").entries()) link.setAttribute("href", address("documents", linked(rows[at].id)));
        current();
      }
    },
    first: () => rows[0]?.id || "",
    /** The document before (−1) or behind (1) the one that is shown, if the list has that; else what `otherwise` says. */
    async beside(by, otherwise) {
      const at = rows.findIndex(({ id }) => id === state.id);
      if (at < 0) return otherwise;
      if (at + by >= rows.length) await load();
      return rows[at + by]?.id || null;
    },
  };
}

/** A bar as long as the share that is right. */
function shareBar(label, met) {
  const bar = h("span", { class: "doc-bar" }, h("span", { class: "doc-filled" }));
  /** @type {HTMLElement} */ (bar.firstChild).style.width = met ? `${met.share * 100}%` : "0";
  return h("span", { class: "doc-share", title: met ? `${label}: ${met.words}` : `${label}: nothing to score` }, swatch(label), bar,
    h("span", { class: "hidden" }, `${label}: `), h("span", { class: "doc-number" }, met ? met.short : "–"));
}
