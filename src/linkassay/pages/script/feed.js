// Where the views get their data from: the server, which answers requests, or the page itself, which holds its data. The
// views ask both in the same words and get the same objects.

import { DATA, HOLDS_DATA } from "./dom.js";
import { embeddedFeed } from "./embedded_feed.js";

const SLOWEST = 1500; // milliseconds between two questions about long work
const KEPT = 60; // answers that are kept by their tags

/** Why a signal ends a request together with the work for it. Else the work goes on: somebody may come back to it. */
export const CANCELLED = "cancelled";

/** Whether a request ended because nobody waits for it any more. */
export function isStopped(error) {
  return error?.name === "AbortError";
}

/** Whether a request ended because somebody cancelled it. */
export function isCancelled(error) {
  return isStopped(error) && error.message === CANCELLED;
}

function stopped(why = "stopped") {
  return new DOMException(why, "AbortError");
}

/** Ask the server what it is; the page knows. */
export async function askAbout() {
  return HOLDS_DATA ? DATA.about : (await fetched("/api/about")).answer;
}

/**
 * @param {any} about what `askAbout` said
 * @returns {{about: any, request(name: string, params?: object, how?: {signal?: AbortSignal, progress?: (job: any) => void}): Promise<any>}}
 */
export function makeFeed(about) {
  return about.feed === "page" ? embeddedFeed(document.getElementById("columns").textContent) : serverFeed(about);
}

/** The server. What takes long is a job: it is asked after until it is done, and ends when the signal says so. */
function serverFeed(about) {
  const kept = new Map();
  return {
    about,
    async request(name, params = {}, { signal, progress } = /** @type {{signal?: AbortSignal, progress?: (job: any) => void}} */ ({})) {
      const url = `/api/${name}${queryOf(params)}`;
      for (;;) {
        const { answer, status, tag } = await fetched(url, { signal });
        if (status !== 202) {
          const same = kept.get(url);
          if (same && tag && same.tag === tag) return same.answer;
          if (tag) keepAnswer(kept, url, { answer, tag });
          return answer;
        }
        await finished(answer, signal, progress);
      }
    },
  };
}

/** What was asked last is kept longest. */
function keepAnswer(kept, url, entry) {
  kept.delete(url);
  kept.set(url, entry);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
}

function queryOf(params) {
  const asked = new URLSearchParams();
  for (const [key, given] of Object.entries(params)) {
    for (const value of [given].flat()) if (value !== null && value !== undefined && value !== "") asked.append(key, String(value));
  }
  return asked.size ? `?${asked}` : "";
}

/** Wait for a job. */
async function finished(job, signal, progress) {
  const end = () => fetch(`/api/jobs/${encodeURIComponent(job.job)}/cancel`, { method: "POST" }).catch(() => {});
  for (let wait = 100; job.state === "waiting" || job.state === "running"; wait = Math.min(SLOWEST, wait * 1.5)) {
    progress?.(job);
    try {
      await pause(wait, signal);
      ({ answer: job } = await fetched(`/api/jobs/${encodeURIComponent(job.job)}`, { signal }));
    } catch (error) {
      if (signal?.reason === CANCELLED) end();
      throw error;
    }
  }
  if (job.state === "failed") throw new Error(job.why);
  if (job.state === "cancelled") throw stopped(CANCELLED);
}

function pause(milliseconds, signal) {
  return new Promise((done, fail) => {
    if (signal?.aborted) return fail(stopped(signal.reason));
    const timer = setTimeout(() => { signal?.removeEventListener("abort", ended); done(); }, milliseconds);
    const ended = () => { clearTimeout(timer); fail(stopped(signal.reason)); };
    signal?.addEventListener("abort", ended, { once: true });
  });
}

async function fetched(url, { signal } = /** @type {{signal?: AbortSignal}} */ ({})) {
  let response;
  try {
    response = await fetch(url, { signal, headers: { Accept: "application/json" } });
  } catch (error) {
    if (signal?.aborted) throw stopped(signal.reason);
    throw new Error("The server does not answer. Is “linkassay serve” still running?", { cause: error });
  }
  let answer;
  try {
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw stopped(signal.reason);
    throw new Error(`The server's answer cannot be read (${response.status}).`, { cause: error });
  }
  if (!response.ok) throw new Error(answer.error || `The server refused this (${response.status}).`);
  return { answer, status: response.status, tag: response.headers.get("ETag") };
}
