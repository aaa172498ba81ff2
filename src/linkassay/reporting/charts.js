// Charts, drawn as SVG with the colours of the style sheet.

/** A figure on a scale from 0 to 1: its interval as a line, its value as a dot. */
function strip(figure, index) {
  const [width, height, edge] = [120, 14, 4];
  const x = (value) => edge + value * (width - 2 * edge);
  return s("svg", { class: `strip ${hue(index)}`, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
    s("line", { class: "rail", x1: x(0), x2: x(1), y1: height / 2, y2: height / 2 }),
    figure.low === null ? null
      : s("line", { class: "whisker", x1: x(figure.low), x2: x(figure.high), y1: height / 2, y2: height / 2 }),
    s("circle", { class: "dot", cx: x(figure.value), cy: height / 2, r: 4 }));
}

/** Shares that sum to 1 as one bar; `parts` are [share, class]. */
function shares(parts) {
  const width = 200;
  let at = 0;
  const pieces = parts.map(([share, name]) => {
    const piece = s("rect", { class: name, x: at * width, y: 0, width: share * width, height: 14 });
    at += share;
    return piece;
  });
  return s("svg", { class: "shares", viewBox: `0 0 ${width} 14`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, pieces);
}

/** Recall@k of every system, k = 1…10, with a reader for the values at one k. */
function curve() {
  const ks = Object.keys(DATA.systems[0].figures.all).filter((m) => m.startsWith("recall@")).map((m) => Number(m.slice(7)));
  const value = (system, k) => system.figures.all[`recall@${k}`].value;
  const lowest = Math.min(...DATA.systems.map((system) => value(system, 1)));
  const reach = Math.min(1, 1 - lowest + 0.05);
  const step = reach > 0.5 ? 0.2 : 0.1;
  const floor = Math.max(0, 1 - step * Math.ceil(reach / step - 1e-9));
  const place = h("div", { class: "plot" });
  const readout = h("ul", { class: "readout" });
  const slider = h("input", { type: "range", min: ks[0], max: ks.at(-1), step: 1, value: 1, id: "k",
    oninput: () => read(Number(slider.value)) });
  const at = h("output", { for: "k" });
  let marker = null;
  let x = null;

  function read(k) {
    slider.value = k;
    at.textContent = `k = ${k}`;
    if (marker) {
      marker.setAttribute("x1", x(k));
      marker.setAttribute("x2", x(k));
    }
    readout.replaceChildren(...DATA.systems.map((system, index) =>
      h("li", null, systemName(index), h("b", null, percent(value(system, k))))));
  }

  function draw() {
    const width = Math.max(260, Math.round(place.clientWidth));
    const height = Math.round(Math.min(380, Math.max(230, width * 0.5)));
    const named = width >= 460;
    const longest = Math.max(...DATA.systems.map((system) => system.label.length));
    const space = { left: 34, right: named ? Math.min(0.3 * width, 26 + 8.2 * longest) : 10, top: 12, bottom: 34 };
    x = (k) => space.left + ((k - ks[0]) / (ks.at(-1) - ks[0])) * (width - space.left - space.right);
    const y = (v) => space.top + ((1 - v) / (1 - floor)) * (height - space.top - space.bottom);
    const grid = [];
    for (let v = 1; v >= floor - 1e-9; v -= step) {
      grid.push(s("line", { class: "grid", x1: space.left, x2: width - space.right, y1: y(v), y2: y(v) }),
        s("text", { class: "tick", x: space.left - 7, y: y(v) + 4, "text-anchor": "end" }, Math.round(100 * v)));
    }
    ks.forEach((k) => grid.push(s("text", { class: "tick", x: x(k), y: height - space.bottom + 18, "text-anchor": "middle" }, k)));
    grid.push(s("text", { class: "tick", x: (space.left + width - space.right) / 2, y: height - 2, "text-anchor": "middle" }, "k, candidates looked at"));
    marker = s("line", { class: "marker", y1: space.top, y2: height - space.bottom });
    const lines = DATA.systems.map((system, index) => s("g", { class: hue(index) },
      s("polyline", { class: index >= 8 ? "curve dashed" : "curve", points: ks.map((k) => `${x(k)},${y(value(system, k))}`).join(" ") }),
      ks.map((k) => s("circle", { class: "dot", cx: x(k), cy: y(value(system, k)), r: 3 }))));
    const names = named ? spread(DATA.systems.map((system) => y(value(system, ks.at(-1)))), 16, space.top, height - space.bottom)
      .map((top, index) => s("g", { class: hue(index) },
        s("line", { class: "leader", x1: x(ks.at(-1)) + 5, y1: y(value(DATA.systems[index], ks.at(-1))), x2: x(ks.at(-1)) + 14, y2: top }),
        s("text", { class: "name", x: x(ks.at(-1)) + 18, y: top + 4 }, shorten(DATA.systems[index].label, space.right - 22)))) : [];
    const picture = s("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": "Recall at k for each system; the figures are in the table below" }, grid, marker, lines, names);
    picture.addEventListener("pointermove", (event) => {
      const across = event.clientX - picture.getBoundingClientRect().left;
      const k = ks.reduce((best, each) => (Math.abs(x(each) - across) < Math.abs(x(best) - across) ? each : best));
      if (k !== Number(slider.value)) read(k);
    });
    place.replaceChildren(picture);
    read(Number(slider.value));
  }

  let drawn = 0;
  new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - drawn) > 1) {
      drawn = place.clientWidth;
      draw();
    }
  }).observe(place);
  return h("div", { class: "chart" }, place,
    h("div", { class: "reader" }, h("label", { for: "k" }, "Read at ", at), slider), readout,
    floor > 1e-9 ? h("p", { class: "fine" }, `The vertical axis begins at ${Math.round(100 * floor)} %.`) : null);
}

/** Heights for labels: as near as possible to those wanted, at least `gap` apart, inside the plot. */
function spread(wanted, gap, top, bottom) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b] || a - b);
  const found = [];
  let last = top - gap;
  for (const index of order) last = found[index] = Math.max(wanted[index], last + gap);
  let next = bottom + gap;
  for (const index of order.reverse()) next = found[index] = Math.min(found[index], next - gap);
  return found;
}

function shorten(text, width) {
  const letters = Math.max(4, Math.floor(width / 7.9));
  return text.length > letters ? text.slice(0, letters - 1) + "…" : text;
}
