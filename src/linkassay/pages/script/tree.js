// Where gold and the answers of systems lie in the hierarchy: a small tree, the ancestor that they share at its top.

import { h, own, s, swatch } from "./dom.js";

const [TREE_ROW, TREE_STEP] = [28, 20]; // of the drawing: height of a line, indent of a level
const MOST_INDENT = 140; // of the deepest level

/**
 * The tree of a mention, `entry.tree`, drawn with a line for each entity below what it is a kind of; then the same in words.
 * @param {any} entry
 * @param {string[]} systems
 */
export function smallTree(entry, systems) {
  const { lines, further } = treeLines(entry.tree);
  const deepest = Math.max(...lines.map(({ depth }) => depth));
  const step = Math.min(TREE_STEP, MOST_INDENT / Math.max(1, deepest));
  const [width, height] = [step * deepest + 16, TREE_ROW * lines.length];
  const x = ({ depth }) => 8 + step * depth;
  const y = ({ at }) => TREE_ROW * at + TREE_ROW / 2;
  const answers = answersAt(entry);
  const rows = lines.map((line) => {
    const row = h("li", null, treeLabel(line.node, entry.names), line.node.gold ? h("span", { class: "tree-gold" }, "gold") : null,
      (answers.get(line.node.id) || []).map((system) => h("span", { class: "tree-said", title: systems[system] }, swatch(systems[system]), own(systems[system]))));
    row.style.paddingInlineStart = `${(x(line) + 12) / 16}rem`;
    if (line.node.gold) row.classList.add("is-gold");
    else if (!answers.has(line.node.id)) row.classList.add("between");
    return row;
  });
  const branches = lines.filter(({ parent }) => parent).map((line) => s("path", { class: "branch", d: `M${x(line.parent)} ${y(line.parent)}V${y(line)}H${x(line)}` }));
  const others = further.map(([child, parent]) => s("path", { class: "branch further", d: `M${x(parent)} ${y(parent)}C${x(child) + 24} ${y(parent)} ${x(child) + 24} ${y(child)} ${x(child)} ${y(child)}` }));
  const dots = lines.map((line) => s("circle", { class: line.node.gold ? "knot is-gold" : answers.has(line.node.id) ? "knot said" : "knot", cx: x(line), cy: y(line), r: line.node.gold || answers.has(line.node.id) ? 4.5 : 3 }));
  const drawing = s("svg", { class: "branches", "aria-hidden": "true", focusable: "false", width: `${width / 16}rem`, height: `${height / 16}rem`, viewBox: `0 0 ${width} ${height}` }, branches, others, dots);
  const said = waysSaid(entry, lines, systems);
  return h("figure", { class: "tree", "aria-label": "Gold and answers in the hierarchy" }, h("h2", null, "In the hierarchy"),
    h("div", { class: "tree-lines" }, drawing, h("ul", { "aria-label": "From the common ancestor down" }, rows)),
    said.length ? h("figcaption", { class: "fine" }, h("ul", null, said.map((each) => h("li", null, each)))) : null);
}

function treeLabel({ id }, names) {
  const name = names[id] ?? null;
  return h("span", { class: "tree-entity", title: name === null ? id : `${name} ${id}` }, name === null ? null : [h("bdi", { class: "entity-name" }, name), " "], h("bdi", { class: "entity-id" }, id));
}

/**
 * The nodes line by line, each below one of its parents, the way to gold first; `further`: edges to other parents.
 * @typedef {{node: any, depth: number, at: number, parent: Line | null}} Line
 * @returns {{lines: Line[], further: [Line, Line][]}}
 */
export function treeLines({ nodes, edges }) {
  const node = new Map(nodes.map((each) => [each.id, each]));
  const above = new Map(nodes.map(({ id }) => [id, []]));
  for (const [child, parent] of edges) if (above.has(child) && node.has(parent)) above.get(child).push(parent);
  const chosen = new Map(nodes.map(({ id, depth_from_top: depth }) => [id, above.get(id).find((parent) => node.get(parent).depth_from_top === depth - 1) ?? null]));
  const below = new Map(nodes.map(({ id }) => [id, nodes.filter((each) => chosen.get(each.id) === id)]));
  const leadsToGold = (each) => each.gold || below.get(each.id).some(leadsToGold);
  const goldFirst = (some) => [...some.filter(leadsToGold), ...some.filter((each) => !leadsToGold(each))];
  const byId = new Map();
  const lines = [];
  const add = (each, parent) => {
    const line = { node: each, depth: parent ? parent.depth + 1 : 0, at: lines.length, parent };
    lines.push(line);
    byId.set(each.id, line);
    goldFirst(below.get(each.id)).forEach((child) => add(child, line));
  };
  goldFirst(nodes.filter(({ id }) => chosen.get(id) === null)).forEach((top) => add(top, null));
  const further = nodes.flatMap(({ id }) => above.get(id).filter((parent) => parent !== chosen.get(id)).map((parent) => [byId.get(id), byId.get(parent)]));
  return { lines, further };
}

/** Which systems said an entity: wrong answers as the tree has them, right ones as they are ranked first. */
function answersAt({ tree, answers }) {
  const found = new Map();
  const inTree = new Set(tree.nodes.map(({ id }) => id));
  const add = (id, system) => found.set(id, [...(found.get(id) || []), system]);
  for (const { id, said } of tree.nodes) for (const system of said) add(id, system);
  answers.forEach((answer, system) => {
    const [first] = answer?.groups || [];
    for (const id of first ? first.ids.slice(0, first.right) : []) if (inTree.has(id)) add(id, system);
  });
  for (const those of found.values()) those.sort((a, b) => a - b);
  return found;
}

/** How far an entity is from each of those above it, and itself. */
function heightsAbove(id, edges) {
  const found = new Map([[id, 0]]);
  for (const [each, far] of found) for (const [child, parent] of edges) if (child === each && !found.has(parent)) found.set(parent, far + 1);
  return found;
}

/** The way from gold to each wrong answer, in words. */
function waysSaid({ tree: { nodes, edges }, names }, lines, systems) {
  const golds = nodes.filter(({ gold }) => gold).map(({ id }) => [id, heightsAbove(id, edges)]);
  const named = (id) => own(names[id] ?? id);
  const steps = (n) => `${n} step${n === 1 ? "" : "s"}`;
  return lines.filter(({ node }) => node.said.length).map(({ node: { id, said } }) => {
    const mine = heightsAbove(id, edges);
    const met = golds.flatMap(([gold, above]) => [...above].filter(([each]) => mine.has(each)).map(([each, up]) => ({ gold, each, up, down: mine.get(each) })))
      .sort((a, b) => a.up + a.down - b.up - b.down || a.up - b.up);
    const who = said.map((system, index) => [index ? ", " : null, own(systems[system])]);
    const [{ each, up, down } = { each: "", up: -1, down: -1 }] = met;
    const text = !met.length ? " has no ancestor in common with gold." : up === 0 ? ` lies ${steps(down)} below gold: more specific.`
      : down === 0 ? ` lies ${steps(up)} above gold: less specific.` : [` is ${up} up from gold and ${down} down again; they meet in `, named(each), "."];
    return [who, ": ", named(id), text];
  });
}
