// Numbers and tables as text where the script makes them itself: by the same rules as `linkassay.tables`, which a test
// holds them to.

/** What stands where there is no value. */
export const NOTHING = "–";

/**
 * A number with so many digits after the point, halves rounded away from zero; `shift` of 2 writes it in percent. It looks
 * at twelve decimal digits: a ratio of counts that lies half-way in decimals is seen as such.
 */
export function fixed(value, digits, shift = 0) {
  if (!Number.isFinite(value)) return String(value);
  const [mantissa, exponent] = Math.abs(value).toExponential(11).split("e");
  const power = Number(exponent) - 11 + shift + digits;
  const whole = BigInt(mantissa.replace(".", ""));
  const unit = 10n ** BigInt(Math.abs(power));
  const rounded = power >= 0 ? whole * unit : (2n * whole + unit) / (2n * unit);
  const text = rounded.toString().padStart(digits + 1, "0");
  const sign = value < 0 && rounded > 0n ? "-" : "";
  return sign + (digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text);
}

function grouped(text) {
  return text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function seconds(value) {
  if (value === 0) return "0 s";
  if (value < 1) return `${fixed(value, value < 0.01 ? 1 : 0, 3)} ms`;
  if (value < 120) return `${fixed(value, 1)} s`;
  return value < 7200 ? `${fixed(value / 60, 1)} min` : `${fixed(value / 3600, 1)} h`;
}

/** Kind of column → how its values are written. */
const NUMBER_FORMS = {
  text: String, percent: (value) => fixed(value, 1, 2), count: (value) => grouped(fixed(value, 0)), seconds,
  bytes: (value) => (value < 1e9 ? `${fixed(value, 0, -6)} MB` : `${fixed(value, 1, -9)} GB`),
  rate: (value) => (value >= 10 ? grouped(fixed(value, 0)) : fixed(value, 1)), date: dateText,
  weight: (value) => grouped(fixed(value, Number.isInteger(value) ? 0 : 1)), decimal: (value) => fixed(value, 2).replace("-", "\u2212"),
};

/** A moment in seconds since 1970, as the clock here shows it: in this order dates sort as text. */
function dateText(value) {
  const two = (number) => String(number).padStart(2, "0");
  const at = new Date(1000 * value);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export function numberText(form, value) {
  return value === null || value === undefined ? NOTHING : NUMBER_FORMS[form](value);
}

/** The interval of a cell, "" if it has none. */
export function intervalText(form, cell) {
  return cell.low === null || cell.low === undefined ? "" : `${numberText(form, cell.low)}–${numberText(form, cell.high)}`;
}

// ---- tables: columns are {label, form, interval}, cells {v, low, high, mark}

function oneLine(value) {
  return value === null || value === undefined ? "" : String(value).split(/[\s\x1c-\x1f\x85]+/).filter(Boolean).join(" ");
}

const MARKDOWN = { "<": "&lt;", "&": "&amp;" };
const LATEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "|": "\\textbar{}", "<": "$<$", ">": "$>$",
  "–": "--", "\u2212": "$-$", "±": "$\\pm$", "≈": "$\\approx$" };
const SAFE = {
  Markdown: (text) => oneLine(text).replace(/[\\|`*_[\]~$<&]/g, (sign) => MARKDOWN[sign] || `\\${sign}`),
  LaTeX: (text) => oneLine(text).replace(/[\\~^|<>–\u2212±≈&%$#_{}]/g, (sign) => LATEX[sign] || `\\${sign}`),
};

function hasInterval(cell, column) {
  return column.interval && cell.low !== null && cell.low !== undefined;
}

/** TSV is unrounded, with the ends of intervals in columns of their own. */
function asTsv(columns, rows) {
  const ends = (column) => (column.interval ? ["v", "low", "high"] : ["v"]);
  const heads = [];
  for (const label of columns.flatMap((column) => ends(column).map((end) => oneLine(end === "v" ? column.label : `${column.label} ${end}`)))) {
    let name = label;
    for (let n = 2; heads.includes(name); n += 1) name = `${label} (${n})`;
    heads.push(name);
  }
  return [heads, ...rows.map((row) => columns.flatMap((column, at) => ends(column).map((end) => oneLine(row[at][end]))))].map((line) => line.join("\t"));
}

function asMarkdown(columns, rows) {
  const cell = (given, column) => {
    const interval = hasInterval(given, column) ? ` (${intervalText(column.form, given)})` : "";
    return SAFE.Markdown(`${numberText(column.form, given.v)}${given.mark || ""}${interval}`);
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(columns.map(({ label }) => SAFE.Markdown(label))), `|${columns.map(({ form }) => (form === "text" ? "---" : "---:")).join("|")}|`,
    ...rows.map((row) => line(row.map((given, at) => cell(given, columns[at]))))];
}

function asLatex(columns, rows) {
  const write = (form, value) => SAFE.LaTeX(numberText(form, value));
  const cell = (given, { form, ...column }) => write(form, given.v) + SAFE.LaTeX(given.mark || "")
    + (hasInterval(given, column) ? ` {\\scriptsize [${write(form, given.low)}, ${write(form, given.high)}]}` : "");
  const line = (cells) => `${cells.join(" & ").replace(/^(?=[[*])/, "{}")} \\\\`;
  return [`\\begin{tabular}{${columns.map(({ form }) => (form === "text" ? "l" : "r")).join("")}}`, "\\toprule",
    line(columns.map(({ label }) => SAFE.LaTeX(label))), "\\midrule", ...rows.map((row) => line(row.map((given, at) => cell(given, columns[at])))),
    "\\bottomrule", "\\end{tabular}"];
}

const TABLE_TEXTS = { TSV: asTsv, Markdown: asMarkdown, LaTeX: asLatex };
/** The formats that a table can be copied in. */
export const COPIED = Object.keys(TABLE_TEXTS);

export function tableText(format, columns, rows) {
  return [...TABLE_TEXTS[format](columns, rows), ""].join("\n");
}
