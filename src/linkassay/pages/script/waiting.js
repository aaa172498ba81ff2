// What takes long, with a way to cancel it, and what went wrong, with a way to try again.

import { announce, count, h } from "./dom.js";
import { CANCELLED, isCancelled, isStopped } from "./feed.js";

const PATIENCE = 200; // milliseconds before anything is said to be under way

/** A feed whose long work is shown at the foot of the window, where it can be cancelled. */
export function watchedFeed(feed) {
  return {
    ...feed,
    async request(name, params, { signal, progress } = /** @type {{signal?: AbortSignal, progress?: (job: any) => void}} */ ({})) {
      const control = new AbortController();
      const pass = () => control.abort(signal.reason);
      if (signal?.aborted) pass();
      signal?.addEventListener("abort", pass, { once: true });
      let row = /** @type {ReturnType<typeof jobRow>} */ (null);
      try {
        return await feed.request(name, params, {
          signal: control.signal,
          progress(job) {
            row ||= jobRow(() => control.abort(CANCELLED));
            row.show(job);
            progress?.(job);
          },
        });
      } finally {
        row?.remove();
        signal?.removeEventListener("abort", pass);
      }
    },
  };
}

/** Long work: what it is, how far it is, and a button that ends it. */
function jobRow(cancel) {
  const words = h("span", { class: "job-words" });
  const bar = /** @type {HTMLProgressElement} */ (h("progress", { "aria-label": "how far it is" }));
  const row = h("div", { class: "job" }, words, bar, h("button", { type: "button", class: "quiet", onclick: cancel }, "Cancel"));
  document.getElementById("jobs").append(row);
  let said = "";
  return {
    show({ state, what, done, of }) {
      const text = state === "waiting" ? `Waiting: ${what}` : what;
      words.textContent = of ? `${text}, ${count(done)} of ${count(of)}` : text;
      if (of) Object.assign(bar, { max: of, value: done });
      else bar.removeAttribute("value");
      if (said !== what) announce(said = what);
    },
    remove: () => row.remove(),
  };
}

/** One sentence that says what went wrong, and a button. */
export function errorBox(error, again) {
  return h("div", { class: "trouble", role: "alert" }, h("p", null, error.message || String(error)),
    h("button", { type: "button", class: "quiet", onclick: again }, "Try again"));
}

/** Mark an element as busy while a promise lasts; an error of it is shown there, and what it gives is then null. */
export async function busyWith(element, promise, again) {
  element.querySelector(":scope > .trouble")?.remove();
  const late = setTimeout(() => { element.classList.add("under-way"); element.setAttribute("aria-busy", "true"); }, PATIENCE);
  try {
    return await promise;
  } catch (error) {
    if (isCancelled(error)) element.prepend(cancelledBox(again));
    else if (!isStopped(error)) element.prepend(errorBox(error, again));
    return null;
  } finally {
    clearTimeout(late);
    element.classList.remove("under-way");
    element.removeAttribute("aria-busy");
  }
}

function cancelledBox(again) {
  return h("div", { class: "trouble", role: "status" }, h("p", null, "Cancelled."), h("button", { type: "button", class: "quiet", onclick: again }, "Try again"));
}
