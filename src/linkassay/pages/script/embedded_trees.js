// The small tree of a mention: gold and wrong answers in the hierarchy, up to where they meet, as `explorer.trees` says.

import { byPoints } from "./embedded_columns.js";

const MOST_NODES = 24;

/** The parents of every id that is in the hierarchy, from its edges. */
export function parentsById({ child, parent, roots }, ids) {
  const found = new Map(roots.map((number) => [ids[number], []]));
  child.forEach((number, at) => {
    const id = ids[number];
    if (!found.has(id)) found.set(id, []);
    found.get(id).push(ids[parent[at]]);
  });
  return found;
}

/** How far the ancestors of a node are, each being its own at 0. */
function distancesUp(parents, node) {
  const found = new Map([[node, 0]]);
  for (const [each, far] of found) { // goes on to what is added meanwhile
    for (const parent of parents.get(each) || []) if (!found.has(parent)) found.set(parent, far + 1);
  }
  return found;
}

/** The first of some in an order by several keys, numbers or texts. */
function leastBy(items, keys) {
  const compare = (a, b) => (typeof a === "string" ? byPoints(a, b) : a - b);
  return items.reduce((best, each) => {
    const [one, other] = [keys(each), keys(best)];
    const at = one.findIndex((key, index) => compare(key, other[index]) !== 0);
    return at >= 0 && compare(one[at], other[at]) < 0 ? each : best;
  });
}

/**
 * The tree of a mention, null if it has no node; `said` are wrong answers by system.
 * @param {string[]} gold
 * @param {Map<number, string[]>} said
 * @param {Map<string, string[]>} parents
 */
export function mentionTree(gold, said, parents) {
  const placed = [...new Set(gold)].filter((id) => parents.has(id));
  if (!placed.length) return null;
  const known = new Map();
  const above = (node) => {
    if (!known.has(node)) known.set(node, distancesUp(parents, node));
    return known.get(node);
  };
  /** A shortest way up; of several each step goes to the least id. */
  const way = (node, top) => {
    const found = [node];
    for (let at = node; at !== top; found.push(at)) {
      const left = above(at).get(top);
      at = leastBy(parents.get(at).filter((each) => above(each).get(top) === left - 1), (each) => [each]);
    }
    return found;
  };
  const root = (node) => leastBy([...above(node)].filter(([each]) => !(parents.get(each) || []).length), ([each, far]) => [far, each])[0];
  const ways = (answer) => {
    const mine = above(answer);
    const met = placed.flatMap((from, place) => [...above(from)].filter(([node]) => mine.has(node)).map(([node, far]) => [far + mine.get(node), far, place, node]));
    if (!met.length) return [way(placed[0], root(placed[0])), way(answer, root(answer))];
    const [, , place, node] = leastBy(met, (keys) => keys);
    return [way(placed[place], node), way(answer, node)];
  };
  let nodes = new Set();
  const edges = new Map(); // from text of both ends: each once
  const wrong = new Map();
  for (const [system, ids] of said) {
    for (const id of new Set(ids)) {
      if (!parents.has(id)) continue;
      const both = ways(id);
      const fresh = new Set([...nodes, ...both.flat()]);
      if (fresh.size > MOST_NODES) continue;
      nodes = fresh;
      for (const each of both) for (let at = 1; at < each.length; at += 1) edges.set(JSON.stringify([each[at - 1], each[at]]), [each[at - 1], each[at]]);
      wrong.set(id, [...(wrong.get(id) || []), system]);
    }
  }
  if (!nodes.size) return null;
  const depths = depthsOf(nodes, [...edges.values()]);
  return {
    nodes: [...nodes].sort((a, b) => depths.get(a) - depths.get(b) || byPoints(a, b))
      .map((id) => ({ id, depth_from_top: depths.get(id), gold: placed.includes(id), said: wrong.get(id) || [] })),
    edges: [...edges.values()].sort((a, b) => byPoints(a[0], b[0]) || byPoints(a[1], b[1])),
  };
}

/** The longest way of each node from a top of the tree. */
function depthsOf(nodes, edges) {
  const above = new Map([...nodes].map((node) => [node, []]));
  for (const [child, parent] of edges) above.get(child).push(parent);
  const known = new Map();
  const depth = (node) => {
    if (!known.has(node)) known.set(node, above.get(node).reduce((most, each) => Math.max(most, 1 + depth(each)), 0));
    return known.get(node);
  };
  for (const node of nodes) depth(node);
  return known;
}
