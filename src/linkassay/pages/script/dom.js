// Small helpers: making elements, the marks of systems. Text always enters as text nodes.

export const SVG = "http://www.w3.org/2000/svg";
const embedded = document.getElementById("data");
/** Whether the page holds its data; without them they are asked for. */
export const HOLDS_DATA = embedded !== null;
/** What the report says: systems and their looks, words of outcomes and slices, corpora with their sections. */
export let DATA = embedded ? JSON.parse(embedded.textContent)
  : { corpora: [], systems: [], looks: [], outcomes: {}, mismatches: {}, slices: {}, distances: [], locations: [], types: {}, definitions: {}, categories: {} };

/** Take words, looks or a whole report that a server told. */
export function useData(told) {
  DATA = { ...DATA, ...told };
}

/** What is shown now: the corpus, and the runs if they were chosen. */
export const shownNow = { corpus: DATA.corpora[0] || { key: "" }, runs: [] };

/** An HTML element; `on…` properties are listeners, `class` and others attributes, children text or nodes. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, properties, children) {
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Text whose direction is its own, so that it cannot disturb what stands beside it. */
export function own(text) {
  return h("bdi", null, text);
}

export function count(value) {
  return value.toLocaleString("en");
}

export function score(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? String(value) : Math.abs(value) < 1000 ? value.toPrecision(3) : value.toExponential(2);
}

/** The marks of systems, around 0, about as large as each other to the eye. */
const SHAPES = {
  circle: "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0Z", square: "M-4 -4H4V4H-4Z", "triangle-up": "M0 -5L5 4H-5Z",
  diamond: "M0 -5.6L4.8 0L0 5.6L-4.8 0Z", cross: "M-1.8 -5H1.8V-1.8H5V1.8H1.8V5H-1.8V1.8H-5V-1.8H-1.8Z", "triangle-down": "M0 5L5 -4H-5Z",
};

const HUES = 8;

/** Hue and shape of a system by its place among all; as `charts.look` of the program that writes reports. */
export function look(at) {
  const [turn, hue] = [Math.floor(at / HUES), at % HUES];
  return [hue, Object.keys(SHAPES)[(hue + turn) % Object.keys(SHAPES).length]];
}

/** The mark of a system in its colour; the same everywhere in the page. */
export function glyph(label, x = 0, y = 0) {
  const [hue, shape] = DATA.looks[DATA.systems.indexOf(label)] || [null, "circle"];
  return s("path", { class: `dot ${hue === null ? "neutral" : `s${hue}`}`, d: SHAPES[shape], transform: `translate(${x},${y})` });
}

export function swatch(label) {
  return s("svg", { class: "glyph", viewBox: "-6 -6 12 12", "aria-hidden": "true", focusable: "false" }, glyph(label));
}

export function systemName(label) {
  return h("span", { class: "system" }, swatch(label), own(label));
}

/** A type as a reader knows it, or the types of a mention that has several. */
export function typeName(type) {
  if (type === "") return "(no type)";
  return type.split("|").map((each) => (Object.hasOwn(DATA.types, each) ? DATA.types[each] : each)).join(", ");
}

export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** A range and a percentage stay on one line. */
export function unbroken(text) {
  return text.replace(/(\d)–(\d)/g, "$1\u2060–\u2060$2").replaceAll(" %", "\u00a0%").replaceAll("p = ", "p\u00a0=\u00a0").replace(/p ([<≥]) /g, "p\u00a0$1\u00a0");
}

/** The element around the place of an event that a selector fits. */
export function around(event, selector) {
  return /** @type {Element} */ (event.target).closest?.(selector);
}
