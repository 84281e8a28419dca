// Files dropped anywhere, or chosen: each is followed until it can be found. What is under way outlives a change of page.
import { api, confirmed, el, failed, headers, lang, listen, own, Problem, sleep, t, toast } from "./core.js";

const KEPT = "uploads";
const rows = new Map();
let tray = null;
let sending = 0;
let wake = () => {};

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
  rows.clear();
  keep(kept().filter((item) => !item.done));
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
      else fail(new Problem(request.status, facts));
    });
    request.addEventListener("error", () => fail(new Problem(0, { detail: t("The file did not arrive: the connection broke.") })));
    request.send(form);
  });
}

async function upload(file, fields) {
  const line = row(file.name);
  const began = Date.now();
  line.say(t("Uploading"));
  sending += 1;
  try {
    const facts = await send(file, fields, (share) => { line.at(share); line.say(t("Uploading {n} %", { n: Math.round(share * 100) })); });
    const item = { document: facts.document, request: facts.request, name: file.name, began, done: false };
    keep([...kept(), item]);
    follow(item, line);
  } catch (error) {
    line.done();
    line.say(error.message, "bad-text");
    if (error.status === 409 && !fields.replace) offerReplace(line, file, fields);
  } finally {
    sending -= 1;
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
    for (let state = "waiting"; state !== "done"; ) {
      const facts = await api("GET", "/requests/" + encodeURIComponent(item.request));
      state = facts.state;
      if (state === "running") line.say(t("Indexing: reading, splitting, embedding"));
      if (state !== "done") await Promise.race([sleep(1500), new Promise((go) => { wake = go; })]);
    }
    await found(item, line);
  } catch (error) {
    line.done();
    line.say(error.status === 404 ? t("Uploaded; the server was started anew meanwhile. See the list of documents.") : error.message, "bad-text");
  }
  item.done = true;
  keep(kept().filter((other) => other.request !== item.request));
}

async function found(item, line) {
  const facts = await api("GET", "/documents/" + encodeURIComponent(item.document));
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
  for (const item of kept()) if (!item.done) follow(item, row(item.name));
  listen((kind) => { if (kind === "end" || kind === "begin" || kind === "commit") wake(); });
}
