// Charts: Vega-Lite descriptions, drawn for the width of their place when they come near the screen; and the small ones
// of tables. What Vega writes is taken apart, and only known elements and attributes get into the page.

import { inCorpus } from "./blocks.js";
import { announce, glyph, h, s, systemName } from "./dom.js";
import { tableText } from "./number_texts.js";

/** A figure on a scale from 0 to 1: its interval as a line, its value as a dot. */
export function strip(cell) {
  const [width, height, edge] = [120, 14, 6];
  const x = (value) => edge + value * (width - 2 * edge);
  const mark = glyph(cell.strip, x(cell.v), height / 2);
  return s("svg", { class: `strip ${mark.classList[1]}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
    s("line", { class: "rail", x1: x(0), x2: x(1), y1: height / 2, y2: height / 2 }),
    cell.low === undefined ? null
      : s("line", { class: "whisker", x1: x(cell.low), x2: x(cell.high), y1: height / 2, y2: height / 2 }),
    mark);
}

const NARROW = 600; // pixels below which names stand above marks instead of beside them
const PRINTED = 680; // pixels that a chart is drawn for on paper
const SMALLEST_CELL = 20; // pixels: two digits can be read in it
const LARGEST_CELL = 110;

/** Elements and attributes that a chart may consist of; everything else that Vega writes is left out. */
const DRAWN_TAGS = new Set(["g", "path", "line", "text", "rect", "a"]);
const DRAWN_ATTRIBUTES = new Set(["d", "transform", "x", "y", "x1", "x2", "y1", "y2", "fill", "stroke", "stroke-width", "stroke-dasharray",
  "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity", "text-anchor", "font-size", "font-weight"]);
/** Values that go without saying. */
const UNSAID = { opacity: "1", "stroke-width": "1", "text-anchor": "start", "font-weight": "normal", transform: "translate(0,0)", d: "" };

/** No chart reads a file; a link is taken as it is, and must lead into the page where it is built. */
const LOADER = { load: () => Promise.reject(new Error("a chart reads no file")), sanitize: async (href) => ({ href }) };

/** A description of SVG, drawn by Vega without evaluating code: the parsed document, which is no part of the page. */
async function drawnBy(spec) {
  const { View, compile, parse, expressionInterpreter } = /** @type {any} */ (window).vega;
  const view = new View(parse(compile(spec).spec, null, { ast: true }), { expr: expressionInterpreter, renderer: "none", loader: LOADER });
  const svg = await view.toSVG();
  view.finalize();
  return new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
}

const widthOf = (drawn) => Number(drawn.getAttribute("width"));

/** A description for a width: single plots fit exactly, several stand side by side as far as there is room. */
async function drawnFor(given, width, font) {
  const axisX = { ...given.config.axisX, ...(width < NARROW ? { titleAnchor: "end" } : {}) }; // a long one would be cut at the right
  const config = { ...given.config, background: null, font, axisX, axisY: { ...given.config.axisY, labelLimit: Math.max(110, Math.min(320, 0.4 * width)) } };
  const told = (narrow) => (given.params ? given.params.map((param) => (param.name === "narrow" ? { ...param, value: narrow } : param)) : []);
  const spec = { ...given, config, params: told(width < NARROW) };
  if (spec.concat) {
    const columns = width < NARROW ? 1 : spec.concat.length;
    const each = (room) => ({ ...spec, columns, concat: spec.concat.map((plot) => ({ ...plot, width: room })) });
    return corrected(each, width / columns - 60, width, columns, 80);
  }
  const cell = spec.spec || spec;
  if (!cell.width?.step) return drawnBy({ ...spec, width, autosize: { type: "fit-x", contains: "padding" } });
  const names = [...new Set(spec.data.values.map((row) => row.x))];
  const [across, longest] = [names.length, Math.max(...names.map((name) => name.length))];
  const facets = spec.facet ? new Set(spec.data.values.map((row) => row.facet)).size : 1;
  const columns = facetColumns(width, across, facets);
  const each = (step) => ({ ...spec, params: told(step < 6.5 * longest), ...(spec.facet ? { columns, spec: { ...spec.spec, width: { step } } } : { width: { step } }) });
  const step = Math.min(LARGEST_CELL, (width - 110) / columns / across);
  return corrected(each, step, width, across * columns, SMALLEST_CELL, LARGEST_CELL);
}

/** Drawn once to see how wide it gets, then again so that it fits: `size` is that of one of `parts` beside each other. */
async function corrected(describe, size, width, parts, least, most = Infinity) {
  const drawn = await drawnBy(describe(size));
  const fitting = Math.max(least, Math.min(most, size + (width - widthOf(drawn)) / parts));
  return Math.abs(fitting - size) * parts < 2 ? drawn : drawnBy(describe(fitting));
}

/** An element of what Vega drew as one of the page; nothing of what is not known or not seen. `mark`: inside of the data's marks. */
function rebuilt(element, corpus, mark = false) {
  const tag = element.localName;
  if (!DRAWN_TAGS.has(tag) || element.getAttribute("display") === "none") return [];
  if (tag === "path" && !element.getAttribute("fill") && !element.getAttribute("stroke")) return [];
  const inside = mark || element.classList.contains("role-mark");
  const children = tag === "text" ? [element.textContent] : [...element.children].flatMap((child) => rebuilt(child, corpus, inside));
  const attributes = {};
  for (const { name, value } of element.attributes) {
    if (DRAWN_ATTRIBUTES.has(name) && UNSAID[name] !== value) attributes[name] = value.replace(/-?\d+\.\d{3,}/g, (number) => String(Math.round(100 * Number(number)) / 100));
  }
  if (tag === "path" && !attributes.d) return [];
  const tip = inside && element.getAttribute("aria-label");
  if (tip) Object.assign(attributes, { "data-tip": tip, role: "img", "aria-label": tip });
  if (tag === "a") {
    const href = [...element.attributes].find((attribute) => attribute.localName === "href")?.value || "";
    if (!/^#[a-z]+(&|$)/.test(href)) return children;
    attributes.href = inCorpus(href, corpus);
  }
  if (tag === "g" && !Object.keys(attributes).length) return children; // what only holds others together
  return ["g", "a", "text"].includes(tag) && !children.length ? [] : [s(tag, attributes, children)];
}

const drawings = new WeakMap(); // canvas → how it is drawn

/** A chart, drawn when it comes near the screen and whenever its width changes; the figures are in a table, too: that of the part, or `numbers`. */
export function chart(block, corpus) {
  if (!block.spec) return null;
  const canvas = h("div", { class: "canvas" });
  let [picture, width, turn] = [null, 0, Promise.resolve()];
  /** Draw for a width; one after the other, so that the last one asked for stays. */
  const draw = (wanted = canvas.clientWidth) => (turn = turn.then(async () => {
    if (!wanted || Math.abs(wanted - width) < 2) return;
    width = wanted;
    const drawn = await drawnFor(block.spec, wanted, getComputedStyle(canvas).fontFamily);
    const [wide, high] = [widthOf(drawn), Number(drawn.getAttribute("height"))];
    picture = s("svg", { class: wide > wanted + 1 ? "chart wide" : "chart", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high,
      role: "group", "aria-label": `${block.alt}; the figures are in the table` }, [...drawn.children].flatMap((child) => rebuilt(child, corpus)));
    stops(picture);
    canvas.replaceChildren(picture);
    canvas.style.minHeight = "";
  }));
  drawings.set(canvas, draw);
  near.observe(canvas);
  sizes.observe(canvas);
  canvas.style.minHeight = `${expectedHeight(block.spec)}px`;
  const key = [...block.systems.map((label) => h("li", null, systemName(label))),
    ...(block.key || []).map(([name, colour]) => h("li", null, colourKey(colour), name))];
  const save = (kind) => h("button", { type: "button", class: "quiet", "aria-label": `Save the chart “${block.alt}” as ${kind}`,
    onclick: () => draw().then(() => SAVE[kind](picture, block)) }, kind);
  return h("figure", { class: "picture" }, key.length > 1 ? h("ul", { class: "key", "aria-hidden": "true" }, key) : null, canvas,
    h("div", { class: "copy" }, h("span", { "aria-hidden": "true" }, "Save as"), ["SVG", "PNG", ...(block.numbers ? ["TSV", "LaTeX"] : [])].map(save)));
}

/** About as high as it will be, so that the page does not move when it is drawn. */
function expectedHeight({ height, concat, data, facet, spec }) {
  const size = (name) => new Set(data.values.map((row) => row[name])).size;
  if (concat) return (window.innerWidth < NARROW ? concat.length : 1) * (concat[0].height + 50);
  if (!facet) return 45 + (height.step ? height.step * size("y") : height);
  return Math.ceil(size("facet") / facetColumns(window.innerWidth, size("x"), size("facet"))) * (size("y") * spec.height.step + 40) + 45;
}

function facetColumns(width, across, facets) {
  return Math.max(1, Math.min(facets, Math.floor((width - 110) / (across * (SMALLEST_CELL + 6) + 24))));
}

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) drawings.get(target)();
}, { rootMargin: "800px 0px" });

let resized = 0;
const sizes = new ResizeObserver(() => {
  clearTimeout(resized);
  resized = setTimeout(() => document.querySelectorAll(".canvas:has(svg)").forEach((canvas) => drawings.get(canvas)?.()), 150);
});

/** On paper there is everything; what is not awaited here is done before the browser lays the paper out. */
window.addEventListener("beforeprint", () => shownCharts().forEach((draw) => draw(PRINTED)));
window.addEventListener("afterprint", () => shownCharts().forEach((draw) => draw()));

function shownCharts() {
  return [...document.querySelectorAll(".canvas")].filter((canvas) => canvas.clientWidth).map((canvas) => drawings.get(canvas)).filter(Boolean);
}

/** A chart is one stop of the Tab key; arrow keys go from mark to mark. */
function stops(picture) {
  const marks = [...picture.querySelectorAll("a, [data-tip]")].filter((mark) => mark.localName === "a" || !mark.closest("a"));
  marks.forEach((mark, at) => {
    const tipped = mark.querySelector("[data-tip]");
    if (tipped) {
      mark.setAttribute("aria-label", tipped.dataset.tip);
      mark.dataset.tip = tipped.dataset.tip;
      for (const name of ["data-tip", "role", "aria-label"]) tipped.removeAttribute(name);
    }
    mark.setAttribute("tabindex", at ? "-1" : "0");
  });
  picture.addEventListener("keydown", (event) => {
    const at = marks.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (at < 0 || !marks[to]) return;
    event.preventDefault();
    marks[at].setAttribute("tabindex", "-1");
    marks[to].setAttribute("tabindex", "0");
    marks[to].focus();
  });
}

/** What the mark under the pointer, or the focused one, says. */
const tipBox = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
document.body.append(tipBox);
let tipped = null;

function showTip(mark) {
  tipped = mark;
  tipBox.hidden = !mark;
  if (!mark) return;
  tipBox.textContent = mark.dataset.tip;
  const [over, box] = [mark.getBoundingClientRect(), tipBox.getBoundingClientRect()];
  const left = Math.min(Math.max(8, over.left + over.width / 2 - box.width / 2), document.documentElement.clientWidth - box.width - 8);
  tipBox.style.left = `${left}px`;
  tipBox.style.top = `${over.top - box.height - 8 < 0 ? over.bottom + 8 : over.top - box.height - 8}px`;
}
const tippedBy = (element) => element?.closest?.("[data-tip]") || null;
document.addEventListener("focusin", ({ target }) => showTip(tippedBy(target)));
document.addEventListener("pointerover", ({ target }) => showTip(tippedBy(target) || tippedBy(document.activeElement)));
document.addEventListener("scroll", () => showTip(tipped?.isConnected ? tipped : null), { capture: true, passive: true });
document.addEventListener("keydown", ({ key }) => { if (key === "Escape") showTip(null); });

function colourKey(colour) {
  const box = h("span", { class: "swatch" });
  box.style.setProperty("--c", colour);
  return box;
}

/** The picture as a file of its own: colours as they are shown now, on the page's ground, links left out. */
function standalone(picture, block) {
  const copy = picture.cloneNode(true);
  const from = picture.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    const style = getComputedStyle(from[index]);
    for (const name of ["fill", "stroke"]) if (element.hasAttribute(name)) element.setAttribute(name, style[name]);
  });
  copy.querySelectorAll("[data-tip]").forEach((mark) => {
    mark.prepend(s("title", null, mark.dataset.tip));
    for (const name of ["data-tip", "role", "aria-label", "tabindex"]) mark.removeAttribute(name);
  });
  copy.querySelectorAll("a").forEach((link) => link.replaceWith(s("g", null, ...link.childNodes)));
  for (const name of ["class", "role", "aria-label"]) copy.removeAttribute(name);
  copy.setAttribute("font-family", getComputedStyle(picture).fontFamily);
  copy.prepend(s("rect", { width: "100%", height: "100%", fill: getComputedStyle(picture.closest("section")).backgroundColor }));
  copy.prepend(s("title", null, block.alt));
  return new XMLSerializer().serializeToString(copy);
}

function save(blob, block, ending) {
  const link = h("a", { href: URL.createObjectURL(blob), download: block.alt.toLowerCase().replace(/[^a-z0-9@]+/g, "-").slice(0, 60) + ending });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  announce(`Saved ${link.download}`);
}

const SAVE = {
  SVG(picture, block) {
    save(new Blob([standalone(picture, block)], { type: "image/svg+xml" }), block, ".svg");
  },
  async PNG(picture, block) {
    const image = new Image();
    image.src = "data:image/svg+xml," + encodeURIComponent(standalone(picture, block));
    await image.decode();
    const [width, height] = ["width", "height"].map((name) => 3 * Number(picture.getAttribute(name)));
    const canvas = h("canvas", { width, height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, block, ".png"));
  },
  TSV(picture, block) {
    save(new Blob([tableText("TSV", ...block.numbers())], { type: "text/tab-separated-values" }), block, ".tsv");
  },
  LaTeX(picture, block) {
    save(new Blob([tableText("LaTeX", ...block.numbers())], { type: "application/x-latex" }), block, ".tex");
  },
};
