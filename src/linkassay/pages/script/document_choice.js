// The mark that is looked at: chosen by click, by key or by the address, or met by the pointer; its card, and its pieces
// lit up together.

import { markCard } from "./document_card.js";
import { around, h } from "./dom.js";

const SOON = 90; // milliseconds on a mark until its card is shown
const LINGER = 220; // milliseconds until a card goes that the pointer has left
const READABLE_TO = 0.62; // of the height of the window: below there is no room for the card
const ROOM = 12; // pixels between the card and what it must not touch

/**
 * @param {{body: HTMLElement, sheet: HTMLElement, address(view: string, params: object): string, now(): {found: any, drawn: any}, told(mark: number | null): void, announce(text: string): void}} hands
 * `now` gives the document and what is drawn of it, `told` is called when the reader chose a mark, or none.
 */
export function markChooser({ body, sheet, address, now, told, announce }) {
  let chosen = null; // {mark, column}
  let met = null;
  let timer = 0;
  let quiet = false; // a sign that is focused does not open its card
  const card = h("aside", { class: "doc-card", hidden: true, onpointerenter: () => clearTimeout(timer), onpointerleave: leave });
  sheet.append(card);
  for (const [kind, act] of Object.entries({ click, focusin: focus, keydown, pointerover, pointerout: leave })) body.addEventListener(kind, act);
  const outside = (event) => { if (chosen && !around(event, ".doc-card, .doc-body, .doc-steps, .doc-legend")) choose(null); };
  document.addEventListener("pointerdown", outside);

  const signOf = ({ mark, column }) => now().drawn.sign(mark, column);
  const same = (one, other) => Boolean(one && other) && one.mark === other.mark && one.column === other.column;

  function light(which, how, on) {
    for (const piece of which ? now().drawn.pieces(which.mark) : []) piece.classList.toggle(how, on);
  }

  /** Show a mark as chosen, or none. */
  function show(to) {
    light(chosen, "is-chosen", false);
    meet(null);
    chosen = to;
    light(to, "is-chosen", true);
    if (to) {
      for (const sign of body.querySelectorAll(".sign[tabindex='0']")) /** @type {HTMLElement} */ (sign).tabIndex = -1;
      signOf(to).tabIndex = 0;
    }
    showCard(to);
  }

  /** The reader chose a mark, or none. */
  function choose(to) {
    if (same(chosen, to) || (!chosen && !to)) return;
    show(to);
    told(to && to.mark);
  }

  function meet(to) {
    clearTimeout(timer);
    light(met, "is-over", false);
    met = to;
    light(to, "is-over", true);
  }

  function showCard(to, rect = null) {
    card.hidden = !to;
    card.classList.toggle("is-fixed", chosen !== null);
    if (!to) return card.replaceChildren();
    const { found, drawn } = now();
    const sign = signOf(to);
    card.setAttribute("aria-label", `Mark “${found.marks[to.mark].text}”`);
    card.replaceChildren(...markCard({
      found, labels: found.labels, mark: to.mark, column: to.column, others: marksAround(sign).filter((other) => other !== to.mark), address, close,
      select(mark) {
        const column = [to.column, ...found.labels.keys()].find((each) => drawn.has(mark, each)) ?? -1;
        if (column < 0) return announce("That mark is not shown: it is filtered out.");
        choose({ mark, column });
        enter();
      },
    }));
    place(rect || sign.getBoundingClientRect());
  }

  /** The marks around a sign, the innermost first. */
  function marksAround(sign) {
    const found = [];
    for (let each = sign.parentElement; each !== body; each = each.parentElement) if (each.classList.contains("m")) found.push(Number(each.dataset.mark));
    return found;
  }

  /** Put the card below a place of the text, or above it where that has more room. */
  function place(rect) {
    const frame = sheet.getBoundingClientRect();
    const below = rect.bottom + card.offsetHeight + ROOM <= innerHeight || rect.top < innerHeight - rect.bottom;
    const x = Math.max(0, Math.min(rect.left - frame.left - 2 * ROOM, frame.width - card.offsetWidth));
    card.style.setProperty("--x", `${Math.round(x)}px`);
    card.style.setProperty("--y", `${Math.round(below ? rect.bottom - frame.top + ROOM : rect.top - frame.top - card.offsetHeight - ROOM)}px`);
  }

  function enter() {
    /** @type {HTMLElement} */ (card.querySelector(".card-close")).focus({ preventScroll: true });
  }

  function focusQuietly(sign) {
    quiet = true;
    sign.focus({ preventScroll: true });
    quiet = false;
  }

  /** Put the card away; whoever was inside goes back to the mark. */
  function close() {
    const back = card.contains(document.activeElement) && chosen && signOf(chosen);
    if (chosen) choose(null);
    else show(null);
    if (back) focusQuietly(back);
  }

  function target(event, selector = ".sign, .m") {
    const piece = around(event, selector);
    return piece ? { mark: Number(piece.dataset.mark), column: Number(piece.dataset.column), piece } : null;
  }

  function click(event) {
    const to = target(event);
    choose(to);
    if (!to) return;
    const sign = signOf(to);
    focusQuietly(sign);
    // on a phone the card lies over the lower part of the text
    if (getComputedStyle(card).position === "fixed" && sign.getBoundingClientRect().bottom > card.getBoundingClientRect().top) sign.scrollIntoView({ block: "start" });
  }

  function focus(event) {
    const to = quiet ? null : target(event, ".sign");
    if (to) choose(to);
  }

  function keydown(event) {
    const to = event.key === "Enter" || event.key === " " ? target(event, ".sign") : null;
    if (!to) return;
    event.preventDefault();
    choose(to);
    enter();
  }

  function pointerover(event) {
    const to = event.pointerType === "touch" ? null : target(event);
    if (!to) return;
    clearTimeout(timer);
    if (chosen || (same(met, to) && !card.hidden)) return meet(to);
    meet(to);
    const line = [...to.piece.getClientRects()].find(({ top, bottom }) => event.clientY >= top - 2 && event.clientY <= bottom + 2);
    timer = setTimeout(() => showCard(to, line), SOON);
  }

  function leave() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      meet(null);
      if (!chosen) showCard(null);
    }, LINGER);
  }

  return {
    show, choose, close,
    chosen: () => chosen,
    isOpen: () => !card.hidden,
    /** Forget what was chosen in what is no longer drawn. */
    forget() {
      clearTimeout(timer);
      [chosen, met] = [null, null];
      showCard(null);
    },
    /** Bring a mark into view, if it is not where it reads well, and put its card beside it. */
    reveal(to) {
      const sign = signOf(to);
      const { top, bottom } = sign.getBoundingClientRect();
      const heads = sheet.firstElementChild.getBoundingClientRect();
      if (top < heads.bottom || bottom > READABLE_TO * innerHeight) sign.scrollIntoView({ behavior: "instant", block: "start" });
      place(sign.getBoundingClientRect());
    },
    end() {
      clearTimeout(timer);
      document.removeEventListener("pointerdown", outside);
    },
  };
}
