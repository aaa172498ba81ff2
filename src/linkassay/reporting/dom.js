// Small helpers: making elements and writing numbers. Text always enters as text nodes.

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

const MINUS = "\u2212";

/** So many digits after the point, halves away from zero, of twelve decimal digits: the rule of `tables.fixed`; `shift`: 2 for percent. */
function fixed(value, digits, shift = 0) {
  const [mantissa, exponent] = Math.abs(value).toExponential(11).split("e");
  const whole = Math.round(Number(`${mantissa}e${Number(exponent) + digits + shift}`));
  return (value < 0 && whole ? "-" : "") + Number(`${whole}e-${digits}`).toFixed(digits);
}

function percent(value) {
  return value === null || value === undefined ? "–" : fixed(value, 1, 2);
}

function points(value) {
  const text = fixed(Math.abs(value), 1, 2);
  return text === "0.0" ? "±0.0" : (value < 0 ? MINUS : "+") + text;
}

function count(value) {
  return value === null || value === undefined ? "–" : Math.round(value).toLocaleString("en");
}

/** A number of things that may be fractional because ties count in part; `parts`: others of its column are. */
function weight(value, parts = !Number.isInteger(value)) {
  return parts ? Number(fixed(value, 1)).toLocaleString("en", { minimumFractionDigits: 1 }) : count(value);
}

function seconds(value) {
  if (value === null || value === undefined) return "–";
  if (value === 0) return "0 s";
  if (value < 1) return `${(1000 * value).toFixed(value < 0.01 ? 1 : 0)} ms`;
  if (value < 120) return `${value.toFixed(1)} s`;
  return value < 7200 ? `${(value / 60).toFixed(1)} min` : `${(value / 3600).toFixed(1)} h`;
}

function bytes(value) {
  if (value === null || value === undefined) return "–";
  return value < 1e9 ? `${Math.round(value / 1e6)} MB` : `${(value / 1e9).toFixed(1)} GB`;
}

function score(value) {
  if (value === null || value === undefined) return "";
  return Number.isInteger(value) ? String(value) : Math.abs(value) < 1000 ? value.toPrecision(3) : value.toExponential(2);
}

/** A correlation or z. */
function decimal(value) {
  return value === null || value === undefined ? "–" : fixed(value, 2).replace("-", MINUS);
}

/** A p-value. */
function chance(value) {
  if (value === null || value === undefined) return "–";
  return value < 0.001 ? "< 0.001" : fixed(value, 3);
}

function rate(value) {
  return value === null || value === undefined || value >= 10 ? count(value) : fixed(value, 1);
}

/** How the values of a column are written, by its `form`. */
const FORMS = {
  text: (value) => (value === null || value === undefined ? "–" : String(value)), percent, count, seconds, bytes, decimal, chance, rate,
  points: (value) => (value === null || value === undefined ? "–" : points(value)),
  weight: (value, column) => (value === null || value === undefined ? "–" : weight(value, column?.parts)),
};

/** A value of a column as it is shown. */
function written(value, column) {
  return FORMS[column.form](value, column);
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

function typeName(type) {
  return type === "" ? "(no type)" : Object.hasOwn(DATA.types, type) ? DATA.types[type] : type;
}

function announce(text) {
  document.getElementById("status").textContent = text;
}
