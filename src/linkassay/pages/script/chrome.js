// What surrounds every view: light or dark, and the dialog that names the keys.

import { h } from "./dom.js";

export function showTheme() {
  const button = document.getElementById("theme");
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => {
    button.setAttribute("aria-pressed", String(dark()));
    button.textContent = dark() ? "Light" : "Dark";
  };
  // private windows may refuse storage; the choice then lasts as long as the page
  const storage = (act) => { try { return act(localStorage); } catch { return null; } };
  const kept = storage((s) => s.getItem("linkassay-theme"));
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    storage((s) => s.setItem("linkassay-theme", root.dataset.theme));
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
}

const KEY_NAMES = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", " ": "Space" };

/** The keys of a view, and those that are the same everywhere. The browser keeps the focus inside, and closes it by Esc. */
export function keyHelp(label, keys) {
  const rows = (entries) => h("dl", { class: "keys" }, entries.map(([names, words]) => h("div", null,
    h("dt", null, names.map((name, at) => [at ? " " : null, h("kbd", null, KEY_NAMES[name] || name)])), h("dd", null, words))));
  const dialog = /** @type {HTMLDialogElement} */ (h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    Object.keys(keys).length ? [h("h3", null, label), rows(sameWords(keys))] : null,
    h("h3", null, "Everywhere"), rows([[["?"], "these keys"], [["Esc"], "close this"], [["Tab"], "to the next link, box or button"]]),
    h("form", { method: "dialog" }, h("button", { class: "quiet", autofocus: true }, "Close"))));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

/** Keys that do the same stand in one line. */
function sameWords(keys) {
  const found = new Map();
  for (const [key, [words]] of Object.entries(keys)) found.set(words, [...(found.get(words) || []), key]);
  return [...found].map(([words, names]) => [names, words]);
}
