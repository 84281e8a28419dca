// What every page shares: words, elements, calls, events. Data becomes text nodes and attributes, never markup.

const words = JSON.parse(document.getElementById("words").textContent);
export const lang = document.documentElement.lang.startsWith("zh") ? "zh" : "en";

/** The sentence in the page's language; {name} is replaced by a value. */
export function t(text, values = {}) {
  return (words[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** An element with attributes and children; strings become text. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** An address of this very site, or none: nothing that data says leads elsewhere. */
export function own(url) {
  const text = String(url ?? "");
  return /^\/(?![/\\])[^\s\\]*$/.test(text) ? text : "#"; // a browser drops tabs and line ends: "/\t/x" is "//x"
}

/** What went wrong, as the server says it in the reader's language. */
export class Problem extends Error {
  constructor(status, facts) {
    super(facts.detail || facts.title || t("The server did not answer as expected ({status}).", { status }));
    this.status = status;
    this.facts = facts;
  }
}

export function headers(more = {}) {
  return { "Accept-Language": document.documentElement.lang, Accept: "application/json", ...more };
}

export async function problemOf(response) {
  let facts = {};
  try { facts = await response.json(); } catch { /* no JSON: the status has to do */ }
  if (response.status === 401) location.assign("/login?next=" + encodeURIComponent(location.pathname + location.search));
  return new Problem(response.status, facts);
}

/** Call the API; JSON in, JSON out; throws Problem. */
export async function api(method, path, body) {
  const options = { method, headers: headers(body === undefined ? {} : { "Content-Type": "application/json" }) };
  if (body !== undefined) options.body = JSON.stringify(body);
  for (;;) {
    let response;
    try {
      response = await fetch("/api/v1" + path, options);
    } catch {
      throw new Problem(0, { detail: t("The server does not answer. Is `indexer serve` running?") });
    }
    if (response.status === 429) await pause(response.headers.get("Retry-After"));
    else if (!response.ok) throw await problemOf(response);
    else return response.status === 204 ? null : response.json();
  }
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** As long as the server asks who comes too often to wait. */
export const pause = (seconds) => sleep(1000 * Math.min(60, Math.max(1, Number(seconds) || 1)));

/** Say something for a few seconds; errors stay until they are closed. */
export function toast(text, lasting = false) {
  let place = document.querySelector(".toasts");
  if (!place) document.body.append((place = el("div", { class: "toasts", role: "status" })));
  const close = el("button", { type: "button", "aria-label": t("Close"), click: () => said.remove() }, "×");
  const said = el("div", { class: "toast" }, el("span", {}, text), close);
  place.append(said);
  if (!lasting) setTimeout(() => said.remove(), 6000);
}

export const failed = (error) => toast(error.message, true);

/** Ask before something is done; resolves to whether it was confirmed. */
export function confirmed({ title, text, yes, danger = false, list = [] }) {
  return new Promise((done) => {
    const items = list.map((item) => el("li", {}, el("bdi", {}, item)));
    const dialog = el("dialog", { "aria-labelledby": "dialog-title" },
      el("form", { method: "dialog" },
        el("h2", { id: "dialog-title" }, title), text ? el("p", {}, text) : null,
        items.length ? el("ul", { class: "list small", tabindex: "0" }, items) : null,
        el("div", { class: "choices" },
          el("button", { class: "button", value: "", autofocus: true }, t("Cancel")),
          el("button", { class: danger ? "button danger" : "button first", value: "yes" }, yes))));
    dialog.addEventListener("close", () => { dialog.remove(); done(dialog.returnValue === "yes"); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

// ---- what happens on the server ----------------------------------------------------

const KINDS = ["queue", "begin", "run", "progress", "commit", "end"];
const listeners = new Set();
let source = null;
let patience = 1500;

function open() {
  if (source || document.hidden || !listeners.size) return;
  source = new EventSource("/api/v1/events");
  source.addEventListener("open", () => { patience = 1500; for (const listen of listeners) listen("open", {}); });
  for (const kind of KINDS) {
    source.addEventListener(kind, (event) => {
      const facts = JSON.parse(event.data || "{}");
      for (const listen of listeners) listen(kind, facts);
    });
  }
  source.addEventListener("error", () => {
    if (source?.readyState === EventSource.CLOSED) { close(); setTimeout(open, (patience = Math.min(60000, patience * 2))); }
  });
}

function close() {
  source?.close();
  source = null;
}

/** Hear of queue, begin, run, progress, commit, end; "open" whenever the line is there (again). */
export function listen(listener) {
  listeners.add(listener);
  open();
}

// a browser keeps few lines to one server: a page nobody looks at needs none
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
addEventListener("pageshow", open);

// ---- parts of a page that follow the index -------------------------------------------

let asked = 0;

/** Make the parts marked data-live anew, as the server shows them now. */
export async function refresh() {
  const mine = ++asked;
  let text;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!response.ok || response.redirected) return;
    text = await response.text();
  } catch { return; }
  if (mine !== asked) return;
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const newer = page.getElementById(part.id);
    if (newer && !newer.isEqualNode(part)) swap(part, document.adoptNode(newer));
  }
}

function swap(part, newer) {
  const at = part.contains(document.activeElement) ? [...part.querySelectorAll("a,button,summary,input,select")].indexOf(document.activeElement) : -1;
  const unfolded = [...part.querySelectorAll("details")].map((details) => details.open);
  newer.querySelectorAll("details").forEach((details, i) => { details.open = details.open || Boolean(unfolded[i]); });
  part.replaceWith(newer);
  if (at >= 0) newer.querySelectorAll("a,button,summary,input,select")[at]?.focus({ preventScroll: true });
}
