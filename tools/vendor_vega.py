"""Makes vega.min.js of src/linkassay/pages/vendor/, and the page on it, from packages of npm.

python tools/vendor_vega.py

Needs npm and a registry that it knows. The versions are exact; what else would get into the file is an error.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src" / "linkassay" / "pages" / "vendor"

#: Every package of the file, and esbuild, which joins them.
PACKAGES = {
    "vega-lite": "5.23.0", "vega-interpreter": "1.2.1", "vega-canvas": "1.2.7", "vega-dataflow": "5.7.8",
    "vega-encode": "4.10.3", "vega-event-selector": "3.0.1", "vega-expression": "5.2.1", "vega-format": "1.1.4",
    "vega-functions": "5.18.1", "vega-loader": "4.5.4", "vega-parser": "6.6.1", "vega-runtime": "6.2.2",
    "vega-scale": "7.4.3", "vega-scenegraph": "4.13.2", "vega-selections": "5.6.3", "vega-statistics": "1.9.0",
    "vega-time": "2.1.4", "vega-transforms": "4.12.2", "vega-util": "1.17.4", "vega-view": "5.16.1",
    "vega-view-transforms": "4.6.2", "d3-array": "3.2.5", "d3-color": "3.1.1", "d3-format": "3.1.3",
    "d3-interpolate": "3.0.2", "d3-path": "3.1.1", "d3-scale": "4.0.3", "d3-shape": "3.2.1", "d3-time": "3.1.1",
    "d3-time-format": "4.1.1", "d3-timer": "3.0.2", "internmap": "2.0.3",
}  # fmt: skip
ESBUILD = "0.28.2"

#: Transforms of data that charts of the page may need.
TRANSFORMS = (
    "aggregate", "bin", "collect", "compare", "expression", "extent", "facet", "field", "filter", "fold", "formula",
    "impute", "joinaggregate", "key", "lookup", "multiextent", "multivalues", "params", "prefacet", "project", "proxy",
    "relay", "sequence", "sieve", "subflow", "tupleindex", "values", "window",
)  # fmt: skip

#: What the file offers.
ENTRY = f"""
import {{ transforms }} from "vega-dataflow";
import {{ {", ".join(TRANSFORMS)} }} from "vega-transforms";
import * as view from "vega-view-transforms";
import * as encode from "vega-encode";
Object.assign(transforms, view, encode, {{ {", ".join(TRANSFORMS)} }});
export {{ View }} from "vega-view";
export {{ parse }} from "vega-parser";
export {{ expressionInterpreter }} from "vega-interpreter";
export {{ compile }} from "vega-lite/build/src/compile/compile.js";
"""

#: Left out: maps, schemes of colours, files to be read, box plots, selections. What the rest imports of them is there,
#: and empty.
EMPTY = """
export const geoArea = null, geoBounds = null, geoCentroid = null, feature = null, mesh = null, dsvFormat = null;
export const schemeAccent = [], schemeCategory10 = [], schemeDark2 = [], schemeObservable10 = [],
  schemePaired = [], schemePastel1 = [], schemePastel2 = [], schemeSet1 = [], schemeSet2 = [], schemeSet3 = [];
const never = { name: "none", hasMatchingType: () => false };
export const boxPlotNormalizer = never, errorBandNormalizer = never, errorBarNormalizer = never;
export const BOXPLOT = "boxplot", ERRORBAND = "errorband", ERRORBAR = "errorbar";
export const BOXPLOT_PARTS = [], ERRORBAND_PARTS = [], ERRORBAR_PARTS = [];
export const normalizeBoxPlot = null, normalizeErrorBand = null, normalizeErrorBar = null;
export const BRUSH = "_brush", TOGGLE = "_toggle";
export default { defined: () => false };
"""

BUILD = """
import { build } from "esbuild";
import { readFileSync } from "node:fs";
// 19 kB of letters that a name may have; a browser knows them
const letters = { name: "letters", setup(asked) {
  asked.onLoad({ filter: /vega-expression\\.module\\.js$/ }, ({ path }) => {
    const [before, first, between, then, after] = readFileSync(path, "utf8").split(/(new RegExp\\('\\[[^']+\\]'\\))/);
    if (after === undefined) throw new Error("vega-expression has other expressions for letters");
    return { contents: [before, "/\\\\p{ID_Start}/u", between, "/\\\\p{ID_Continue}/u", after].join("") };
  });
} };
const folder = process.cwd();
const left = { name: "left out", setup(asked) {
  const empty = () => ({ path: folder + "/empty.js" });
  asked.onResolve({ filter: /^(d3-geo|d3-scale-chromatic|d3-dsv|topojson-client)$/ }, empty);
  asked.onResolve({ filter: /compositemark\\/(boxplot|errorband|errorbar)$/ }, empty);
  asked.onResolve({ filter: /^\\.\\/(boxplot|errorband|errorbar)$/ }, empty);
  asked.onResolve({ filter: /^\\.\\/(interval|clear|inputs|nearest|toggle|translate|zoom)$/ },
    ({ importer }) => (importer.includes("compile/selection") ? empty() : null));
} };
const made = await build({
  entryPoints: ["entry.js"], bundle: true, minify: true, format: "iife", globalName: "vega", target: "es2022",
  mainFields: ["browser", "module", "main"], legalComments: "none", metafile: true, outfile: "vega.min.js",
  plugins: [left, letters],
  banner: { js: readFileSync("banner.js", "utf8") },
  alias: { vega: "vega-util", "vega-expression": folder + "/node_modules/vega-expression" },
});
const used = Object.values(made.metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
const names = used.filter((path) => path.includes("node_modules/"))
  .map((path) => path.split("node_modules/").at(-1).split("/")[0]);
console.log(JSON.stringify([...new Set(names)]));
"""

README = """# Vega, in one file

`vega.min.js` draws the charts of the page: Vega-Lite compiles a description, Vega makes SVG of it, and its interpreter
evaluates expressions without `eval`, so that it runs under a content security policy that allows no other script. It is
made by `tools/vendor_vega.py` and stored here, since neither using nor testing linkassay may need npm or a network.
Left out are maps, force layouts, schemes of colours, readers of files, box plots and brushes, which no chart has.

`var vega` has `compile` (of Vega-Lite), `parse`, `View`, `expressionInterpreter`.

- size: {size:,} bytes
- sha256: `{digest}`

| package | version | licence |
|---|---|---|
{rows}

## Licences

{licences}
"""


def main() -> None:
    """Install the packages into a folder that is removed afterwards, join them, and write file and page."""
    npm = shutil.which("npm")
    node = shutil.which("node")
    if not npm or not node:
        sys.exit("npm and node are needed: install Node.js")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wanted = {"private": True, "dependencies": PACKAGES | {"esbuild": ESBUILD}}
        (folder / "package.json").write_text(json.dumps(wanted), encoding="utf-8")
        for file, text in {"entry.js": ENTRY, "empty.js": EMPTY, "build.mjs": BUILD, "banner.js": _banner()}.items():
            (folder / file).write_text(text, encoding="utf-8")
        _run([npm, "install", "--legacy-peer-deps", "--no-audit", "--no-fund", "--silent"], folder)
        used = json.loads(_run([node, "build.mjs"], folder))
        found = {each: _about(folder, each) for each in sorted(used)}
        if {each: about["version"] for each, about in found.items()} != PACKAGES:
            odd = {each for each in found.keys() | PACKAGES if found.get(each, {}).get("version") != PACKAGES.get(each)}
            sys.exit(f"the file would hold other packages than PACKAGES says: {', '.join(sorted(odd))}")
        script = (folder / "vega.min.js").read_bytes()
        page = README.format(
            size=len(script), digest=hashlib.sha256(script).hexdigest(), licences=_licences(folder, found),
            rows="\n".join(f"| {each} | {about['version']} | {about['license']} |" for each, about in found.items()),
        )  # fmt: skip
    TARGET.mkdir(exist_ok=True)
    (TARGET / "vega.min.js").write_bytes(script)
    (TARGET / "README.md").write_text(page, encoding="utf-8")


def _banner() -> str:
    return f"/* Vega-Lite {PACKAGES['vega-lite']} and Vega, BSD-3-Clause; d3, ISC: see README.md of this folder */"


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, encoding="utf-8")  # noqa: S603
    return done.stdout


def _about(folder: Path, package: str) -> dict[str, str]:
    return json.loads((folder / "node_modules" / package / "package.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def _licences(folder: Path, packages: dict[str, dict[str, str]]) -> str:
    """Each text once, with the packages that come under it; one without a text comes under that of its repository."""
    texts: dict[str, list[str]] = {}
    for each in packages:
        file = folder / "node_modules" / each / "LICENSE"
        if not file.is_file() and each.startswith("vega-"):
            file = folder / "node_modules" / "vega-view" / "LICENSE"
        text = file.read_text(encoding="utf-8")
        texts.setdefault("\n".join(line.rstrip() for line in text.strip().splitlines()), []).append(each)
    return "\n\n".join(f"{', '.join(of)}:\n\n```\n{text}\n```" for text, of in texts.items())


if __name__ == "__main__":
    main()
