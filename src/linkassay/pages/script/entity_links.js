// Entities as a reader sees them: name and id, with a way to where the id comes from.

import { h } from "./dom.js";

/** Where ids lead, by their prefix; the local id is put at the end. */
const ID_PLACES = {
  mesh: "https://meshb.nlm.nih.gov/record/ui?ui=", ncbigene: "https://www.ncbi.nlm.nih.gov/gene/", ncbitaxon: "https://www.ncbi.nlm.nih.gov/Taxonomy/Browser/wwwtax.cgi?id=",
  omim: "https://omim.org/entry/", wikidata: "https://www.wikidata.org/wiki/", dbsnp: "https://www.ncbi.nlm.nih.gov/snp/", cellosaurus: "https://www.cellosaurus.org/CVCL_",
  umls: "https://uts.nlm.nih.gov/uts/umls/concept/", uniprot: "https://www.uniprot.org/uniprotkb/", orphanet: "https://www.orpha.net/en/disease/detail/",
  drugbank: "https://go.drugbank.com/drugs/", "pubchem.compound": "https://pubchem.ncbi.nlm.nih.gov/compound/", dbpedia: "https://dbpedia.org/page/",
  chebi: "https://www.ebi.ac.uk/chebi/CHEBI:", hgnc: "https://identifiers.org/hgnc:",
  ...Object.fromEntries(["GO", "HP", "MONDO", "DOID", "UBERON", "CL", "BTO"].map((space) => [space.toLowerCase(), `https://purl.obolibrary.org/obo/${space}_`])),
};

/** The address of an id's own page, "" where none is known. */
export function idAddress(id) {
  const [prefix, ...local] = id.split(":");
  const known = Object.hasOwn(ID_PLACES, prefix) && /^[\w.-]+$/.test(local.join(":"));
  return known ? ID_PLACES[prefix] + local.join(":") : "";
}

/** An entity by its name and id. */
export function entityLink(id, names) {
  const name = names[id];
  const known = name !== null && name !== undefined;
  const address = idAddress(id);
  const shown = h("bdi", { class: "entity-id" }, id);
  return h("span", { class: "entity" }, h("bdi", { class: known ? "entity-name" : "entity-name unknown" }, known ? name : "not in the knowledge base"), " ",
    address ? h("a", { class: "out", href: address, target: "_blank", rel: "noreferrer", "aria-label": `${id}, opens its own page` }, shown) : shown);
}

/** An entity in a sentence. */
export function entityWords(id, names) {
  return names[id] ? `${names[id]} (${id})` : id;
}
