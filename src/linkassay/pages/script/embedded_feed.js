// The feed of a page that holds its data: the answers that a server would give, made from columns inside of the page.

import { DATA } from "./dom.js";
import { caseList, oneCase } from "./embedded_cases.js";
import { HeldCorpus, openColumns } from "./embedded_columns.js";
import { documentList, oneDocument } from "./embedded_documents.js";
import { mentionList, oneMention } from "./embedded_mentions.js";

/** What is asked for and not there. */
function missing(what) {
  throw new Error(`The page does not hold ${what}.`);
}

const ANSWERS = {
  cohort: ([held]) => held.about,
  mentions: (corpora, params) => mentionList(corpora, params),
  mention: ([held], { id }) => {
    const row = held.mentionRow(id);
    return row === undefined || held.data.mentions.combination[row] < 0 ? missing(`the mention ${id}`) : oneMention(held, row);
  },
  cases: ([held], params) => caseList(held, params),
  case: ([held], params) => oneCase(held, params) || missing(`the case ${params.id}`),
  documents: ([held], params) => documentList(held, params),
  document: ([held], params) => oneDocument(held, held.documents.number.get(params.id) ?? missing(`the document ${params.id}`), params),
};

/**
 * The feed of the page's own data: `text` is what its element with the columns holds. A request names its corpus as
 * `corpus: "=KEY"`, else it is the first; `from: "all"` are mentions of all.
 */
export function embeddedFeed(text) {
  const { about, runs } = DATA;
  let opened = null;
  const open = () => (opened ||= openColumns(text).then(({ cohorts }) => cohorts.map((data) => new HeldCorpus(data))));
  return {
    about,
    async request(name, params = {}) {
      if (name === "about") return about;
      if (name === "runs") return runs;
      if (name === "report") return DATA;
      const answer = Object.hasOwn(ANSWERS, name) ? ANSWERS[name] : missing(name);
      const corpora = await open();
      const all = params.from === "all" && name === "mentions";
      const asked = all ? corpora : corpora.filter(({ about: { key } }) => (params.corpus ? `=${key}` === params.corpus : key === corpora[0].about.key));
      if (!asked.length) missing(`the corpus ${params.corpus}`);
      return answer(asked, params);
    },
  };
}
