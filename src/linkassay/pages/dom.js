// Small helpers: making elements, the marks of systems. Text always enters as text nodes.

const SVG = "http://www.w3.org/2000/svg";
const DATA = JSON.parse(document.getElementById("data").textContent);

/** An HTML element; `on…` properties are listeners, `class` and others attributes, children text or nodes. */
function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
function s(tag, properties, ...children) {
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
function own(text) {
  return h("bdi", null, text);
}

function count(value) {
  return value.toLocaleString("en");
}

function score(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? String(value) : Math.abs(value) < 1000 ? value.toPrecision(3) : value.toExponential(2);
}

/** The marks of systems, around 0, about as large as each other to the eye. */
const SHAPES = {
  circle: "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0 -8.8 0Z", square: "M-4 -4H4V4H-4Z", "triangle-up": "M0 -5L5 4H-5Z",
  diamond: "M0 -5.6L4.8 0L0 5.6L-4.8 0Z", cross: "M-1.8 -5H1.8V-1.8H5V1.8H1.8V5H-1.8V1.8H-5V-1.8H-1.8Z", "triangle-down": "M0 5L5 -4H-5Z",
};

/** The mark of a system in its colour; the same everywhere in the page. */
function glyph(label, x = 0, y = 0) {
  const [hue, shape] = DATA.looks[DATA.systems.indexOf(label)] || [null, "circle"];
  return s("path", { class: `dot ${hue === null ? "neutral" : `s${hue}`}`, d: SHAPES[shape], transform: `translate(${x},${y})` });
}

function swatch(label) {
  return s("svg", { class: "glyph", viewBox: "-6 -6 12 12", "aria-hidden": "true", focusable: "false" }, glyph(label));
}

function systemName(label) {
  return h("span", { class: "system" }, swatch(label), own(label));
}

/** A type as a reader knows it, or the types of a mention that has several. */
function typeName(type) {
  if (type === "") return "(no type)";
  return type.split("|").map((each) => (Object.hasOwn(DATA.types, each) ? DATA.types[each] : each)).join(", ");
}

function announce(text) {
  document.getElementById("status").textContent = text;
}
