// Charts: pictures that were drawn when the report was written, built from their trees; and the small ones of tables.

/** A figure on a scale from 0 to 1: its interval as a line, its value as a dot. */
function strip(cell) {
  const [width, height, edge] = [120, 14, 6];
  const x = (value) => edge + value * (width - 2 * edge);
  const mark = glyph(cell.strip, x(cell.v), height / 2);
  return s("svg", { class: `strip ${mark.classList[1]}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
    s("line", { class: "rail", x1: x(0), x2: x(1), y1: height / 2, y2: height / 2 }),
    cell.low === undefined ? null
      : s("line", { class: "whisker", x1: x(cell.low), x2: x(cell.high), y1: height / 2, y2: height / 2 }),
    mark);
}

const SMALLEST = 0.6; // as small as its letters can be read
const SCALE = 1.06; // of a chart on a wide screen, beside the size it was drawn in

/** A node of a tree: text, or [tag, attributes, children]. Links are shortcuts; the tables have them for the keyboard. */
function branch(node, corpus) {
  if (typeof node === "string") return node;
  const [tag, { tip, href, ...attributes }, ...children] = node;
  if (href) Object.assign(attributes, { href: inCorpus(href, corpus), tabindex: "-1" });
  return s(tag, attributes, tip ? s("title", null, tip) : null, children.map((child) => branch(child, corpus)));
}

function chart(block, corpus) {
  const picture = s("svg", { class: block.wide ? "chart wide" : "chart", viewBox: `0 0 ${block.width} ${block.height}`, width: Math.round(SCALE * block.width), height: Math.round(SCALE * block.height),
    role: "img", "aria-label": `${block.alt}; the figures are in the table` }, block.tree.map((node) => branch(node, corpus)));
  picture.style.minWidth = `${Math.round(SMALLEST * block.width)}px`; // a wide one scrolls on a narrow screen
  const key = [...block.systems.map((label) => h("li", null, systemName(label))),
    ...(block.key || []).map(([name, colour]) => h("li", null, colourKey(colour), name))];
  const save = (kind) => h("button", { type: "button", class: "quiet", "aria-label": `Save the chart “${block.alt}” as ${kind}`,
    onclick: () => SAVE[kind](picture, block) }, kind);
  return h("figure", { class: "picture" }, key.length > 1 ? h("ul", { class: "key", "aria-hidden": "true" }, key) : null,
    h("div", { class: "canvas" }, picture),
    h("div", { class: "copy" }, h("span", { "aria-hidden": "true" }, "Save as"), save("SVG"), save("PNG")));
}

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
  copy.querySelectorAll("a").forEach((link) => link.replaceWith(...link.childNodes));
  copy.removeAttribute("class");
  copy.setAttribute("font-family", "sans-serif");
  copy.prepend(s("rect", { width: block.width, height: block.height, fill: getComputedStyle(picture.closest("section")).backgroundColor }));
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
    const canvas = h("canvas", { width: 3 * block.width, height: 3 * block.height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, block, ".png"));
  },
};
