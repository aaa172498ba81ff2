// The address: which view is shown, of which runs or corpus, and with what filters. All of it stands behind the "#".

/** Letters that need no escape in a fragment and are easier to read without one. */
const READABLE = { "%2F": "/", "%2C": ",", "%3A": ":" };

/**
 * What an address asks for: `#view&key=value&…`. Runs may be several, of other keys the last counts; what cannot be read
 * is left out.
 * @returns {{view: string, params: Record<string, any>}}
 */
export function readAddress(hash = location.hash) {
  const [view, ...rest] = hash.replace(/^#/, "").split("&");
  const params = {};
  for (const each of rest) {
    const [key, ...value] = each.split("=");
    let said;
    try {
      said = decodeURIComponent(value.join("="));
    } catch {
      continue;
    }
    if (key === "run") (params.run ||= []).push(said);
    else if (key && key !== "__proto__") params[key] = said;
  }
  return { view, params };
}

/** The address of a view; what is null, undefined or "" is not said. */
export function addressFor(view, params = {}) {
  const parts = Object.entries(params).flatMap(([key, given]) => [given].flat()
    .filter((value) => value !== null && value !== undefined && value !== "")
    .map((value) => `${key}=${key === "run" ? readable(value) : encodeURIComponent(value)}`));
  return "#" + [view, ...parts].join("&");
}

function readable(value) {
  return encodeURIComponent(value).replace(/%2[FC]|%3A/g, (code) => READABLE[code]);
}

/** Go to a view; the browser's Back returns. */
export function go(view, params) {
  location.hash = addressFor(view, params);
}

/** Say what is shown now, without a step for the browser's Back. */
export function rewrite(view, params) {
  const address = addressFor(view, params);
  if (address !== location.hash) history.replaceState(history.state, "", address);
}
