// Files dropped anywhere, or chosen: each is followed until it can be found. What is under way outlives a change of page.
import { api, confirmed, el, failed, headers, listen, own, pause, Problem, sleep, t } from "./core.js";

const KEPT = "uploads";
const rows = new Map(); // what is followed, by its request
let tray = null;
let sending = 0; // uploads that are not in yet
let free = 3; // how many may go at once
const queue = [];
const sleepers = new Set();

const kept = () => JSON.parse(sessionStorage.getItem(KEPT) || "[]");
const keep = (list) => sessionStorage.setItem(KEPT, JSON.stringify(list));

function trayList() {
  if (!tray) {
    const list = el("ul", { "aria-live": "polite", tabindex: "0", "aria-label": t("Uploads") });
    const close = el("button", { type: "button", class: "tool", "aria-label": t("Close"), click: hide }, "×");
    tray = el("section", { class: "tray", "aria-label": t("Uploads") }, el("div", { class: "tray-head" }, el("h2", {}, t("Uploads")), close), list);
    document.body.append(tray);
  }
  return tray.querySelector("ul");
}

function hide() {
  tray?.remove();
  tray = null;
}

/** One line of the tray, and the ways to change it. */
function row(name) {
  const state = el("div", { class: "up-state" });
  const bar = el("progress", { max: "1", "aria-label": name });
  const title = el("span", { class: "name" }, el("bdi", {}, name));
  const line = el("li", {}, el("div", { class: "up-head" }, title), state, bar);
  trayList().prepend(line);
  return {
    say(text, kind = "") { state.textContent = text; state.className = "up-state " + kind; },
    at(share) { if (share === null) bar.removeAttribute("value"); else bar.value = share; },
    done() { bar.remove(); },
    link(url) { title.replaceChildren(el("a", { href: own(url) }, el("bdi", {}, name))); },
    add(...nodes) { state.append(" ", ...nodes); },
    remove() { line.remove(); },
  };
}

/** Send one file; resolves to what the server says of it. */
function send(file, fields, onProgress) {
  return new Promise((done, fail) => {
    const form = new FormData();
    const { name: called, ...rest } = fields;
    for (const [name, value] of Object.entries(rest)) form.append(name, value);
    form.append("file", file, called ?? file.name);
    const request = new XMLHttpRequest();
    request.open("POST", "/api/v1/documents");
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) onProgress(event.loaded / event.total); });
    request.addEventListener("load", () => {
      let facts = {};
      try { facts = JSON.parse(request.responseText); } catch { /* no JSON: the status has to do */ }
      if (request.status === 202 || request.status === 200) done(facts);
      else if (request.status === 429) pause(request.getResponseHeader("Retry-After")).then(() => done(send(file, fields, onProgress)));
      else fail(new Problem(request.status, facts));
    });
    request.addEventListener("error", () => fail(new Problem(0, { detail: t("The file did not arrive: the connection broke.") })));
    request.send(form);
  });
}

/** Send a file when its turn comes. */
function upload(file, fields) {
  sending += 1;
  queue.push({ file, fields, line: row(file.name), began: Date.now() });
  next();
}

function next() {
  if (!free || !queue.length) return;
  free -= 1;
  one(queue.shift()).finally(() => { free += 1; sending -= 1; next(); });
}

async function one({ file, fields, line, began }) {
  line.say(t("Uploading"));
  try {
    const facts = await send(file, fields, (share) => { line.at(share); line.say(t("Uploading {n} %", { n: Math.round(share * 100) })); });
    const item = { document: facts.document, request: facts.request, name: file.name, began };
    keep([...kept(), item]);
    follow(item, line);
  } catch (error) {
    line.done();
    line.say(error.message, "bad-text");
    if (error.status === 409 && !fields.replace) offerReplace(line, file, fields);
  }
}

function offerReplace(line, file, fields) {
  line.add(el("button", { type: "button", class: "button slim", click: () => { line.remove(); upload(file, { ...fields, replace: "true" }); } }, t("Replace it")));
}

/** Wait until the request is done, then say what became of the document. */
async function follow(item, line) {
  rows.set(item.request, line);
  line.at(null);
  line.say(t("Uploaded; waiting for its turn"));
  try {
    const facts = await ended(item, line);
    if (facts.error) throw new Problem(0, { detail: facts.error });
    await found(item, line);
  } catch (error) {
    line.done();
    line.say(error.status === 404 ? t("Uploaded; the server was started anew meanwhile. See the list of documents.") : error.message, "bad-text");
  }
  rows.delete(item.request);
  keep(kept().filter((other) => other.request !== item.request));
}

async function ended(item, line) {
  for (;;) {
    const facts = await api("GET", "/requests/" + encodeURIComponent(item.request));
    if (facts.state === "done") return facts;
    if (facts.state === "running") line.say(t("Indexing: reading, splitting, embedding"));
    await Promise.race([sleep(Math.max(1500, 500 * rows.size)), new Promise((go) => sleepers.add(go))]);
  }
}

/** What is known of the document; of one that no update takes, the reasons. */
async function known(document) {
  const path = "/documents/" + encodeURIComponent(document);
  try {
    return await api("GET", path);
  } catch (error) {
    if (error.status !== 404) throw error;
    return { state: "", reasons: (await api("GET", path + "/why")).sentences };
  }
}

async function found(item, line) {
  const facts = await known(item.document);
  line.done();
  line.link("/documents/" + encodeURIComponent(item.document));
  const seconds = ((Date.now() - item.began) / 1000).toFixed(1);
  const reasons = (facts.reasons ?? []).join(" ");
  if (facts.state === "indexed") line.say(t("Can be found, after {seconds} s", { seconds }), "ok-text");
  else if (facts.state === "warned") line.say(t("Can be found, after {seconds} s.", { seconds }) + " " + reasons, "warn-text");
  else line.say([reasons || t("It cannot be found."), facts.remedy].filter(Boolean).join(" "), "bad-text");
}

/** Upload files into a folder of a source; ``into`` may hold source, folder, replace, and another name. */
export function uploadAll(files, into = {}) {
  for (const { file, folder } of files) {
    upload(file, { ...into, ...(folder ? { folder: [into.folder, folder].filter(Boolean).join("/") } : {}) });
  }
}

/** Let a person choose; ``into`` as for uploadAll. */
export function chooseFiles(into = {}, one = false) {
  const input = el("input", { type: "file", hidden: true, multiple: !one });
  input.addEventListener("change", () => { uploadAll([...input.files].map((file) => ({ file })), into); input.remove(); });
  document.body.append(input);
  input.click();
}

// ---- dropping ------------------------------------------------------------------------

/** Files of what was dropped, folders walked. */
async function dropped(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => ({ file }));
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

async function walk(entry, folder, found) {
  if (entry.isFile) {
    found.push({ file: await new Promise((done, fail) => entry.file(done, fail)), folder });
  } else {
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return;
      for (const child of some) await walk(child, folder ? folder + "/" + entry.name : entry.name, found);
    }
  }
}

export function watchDrops() {
  const over = el("div", { class: "over", hidden: true, "aria-hidden": "true" }, t("Drop the files: they are indexed at once"));
  document.body.append(over);
  let leaving = 0;
  const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    over.hidden = false;
    clearTimeout(leaving);
    leaving = setTimeout(() => { over.hidden = true; }, 400);
  });
  addEventListener("drop", async (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    over.hidden = true;
    try {
      const files = await dropped(event.dataTransfer);
      const many = files.length > 100 && !(await confirmed({ title: t("Upload {n} files?", { n: files.length }), yes: t("Upload") }));
      if (!many) uploadAll(files);
    } catch (error) { failed(error); }
  });
  addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });
}

/** Go on following what an earlier page began. */
export function resume() {
  if (!("frame" in document.body.dataset)) return;
  for (const item of kept()) follow(item, row(item.name));
  listen((kind) => {
    if (kind !== "end" && kind !== "begin" && kind !== "commit") return;
    for (const wake of sleepers) wake();
    sleepers.clear();
  });
}
