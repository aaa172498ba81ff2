// Places in texts are counted in code points, those of JavaScript's strings in UTF-16 units. Here one becomes the other.

/**
 * A text that is cut by code points; one whose code points are single units is cut as it is.
 * @param {string} text
 * @returns {{length: number, slice(start: number, end?: number): string, place(unit: number): number}}
 */
export function codePoints(text) {
  const wide = []; // code points of two units: their places, in order
  for (const { index } of text.matchAll(/[\u{10000}-\u{10ffff}]/gu)) wide.push(index - wide.length);
  const length = text.length - wide.length;
  if (!wide.length) return { length, slice: (start, end = length) => text.slice(Math.max(0, start), Math.max(0, end)), place: (unit) => unit };
  const unit = (place) => place + countBelow(wide, (each) => each < place);
  return {
    length,
    slice: (start, end = length) => text.slice(unit(Math.max(0, start)), unit(Math.max(0, end))),
    place: (at) => at - countBelow(wide, (each, before) => each + before < at),
  };
}

/** How many items at the front of a sorted list are still below; `below` is also told how many stand before. */
export function countBelow(sorted, below) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (below(sorted[middle], middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
