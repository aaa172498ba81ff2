// The views, in the order of their tabs in a page; a server begins with the runs.

import { casesView } from "./cases.js";
import { documentsView } from "./documents.js";
import { mentionsView } from "./mentions.js";
import { reportView } from "./report.js";
import { runsView } from "./runs.js";

export const VIEWS = [
  reportView,
  runsView,
  documentsView,
  mentionsView,
  casesView,
];
