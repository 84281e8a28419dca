// An answer as it is written: passages first, then the words, then what it rests on.
import { el, headers, own, problemOf, refresh, t } from "./core.js";

const form = document.getElementById("ask");
const at = (id) => document.getElementById(id);
let running = null;

/** Read server-sent events from a response's body. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += (value ?? "").replace(/\r\n?/g, "\n");
    let end;
    while ((end = rest.indexOf("\n\n")) >= 0) {
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 2);
      const of = (name) => lines.filter((l) => l.startsWith(name + ":")).map((l) => l.slice(name.length + 1).replace(/^ /, ""));
      if (of("data").length) yield { kind: of("event")[0] ?? "message", facts: JSON.parse(of("data").join("\n")) };
    }
    if (done) return;
  }
}

/** Text with [1] as links to the citations of that number. */
function withReferences(text, numbers) {
  return text.split(/(\[\d{1,3}\])/).map((piece) => {
    const number = /^\[(\d{1,3})\]$/.exec(piece)?.[1];
    return number && numbers.has(Number(number)) ? el("a", { class: "ref", href: "#cite-" + Number(number) }, piece) : piece;
  });
}

function cite(citation) {
  const where = [citation.source + "/" + citation.path, t("commit {n}", { n: citation.commit })].join(" · ");
  return el("li", { id: "cite-" + Number(citation.n) }, el("span", { class: "n" }, String(citation.n)),
    el("div", {},
      el("div", { class: "hit-head" }, el("a", { href: own(citation.url) + "#passage" }, el("bdi", {}, citation.citation || citation.title || citation.path))),
      el("p", { class: "said", dir: "auto" }, citation.text ?? ""), el("p", { class: "path" }, el("bdi", {}, where))));
}

function citations(list) {
  at("cites").replaceChildren(...list.map(cite));
  at("cites-title").hidden = !list.length;
}

function begin(question) {
  at("answer").hidden = false;
  at("ask-empty").hidden = true;
  at("answer-title").textContent = question;
  at("answer-busy").hidden = false;
  at("answer-link").hidden = true;
  at("answer-notes").hidden = true;
  at("answer-text").replaceChildren();
  at("answer-text").setAttribute("aria-busy", "true");
  citations([]);
}

function notes(list, kind = "") {
  at("answer-notes").replaceChildren(...list.map((text) => el("div", { class: "note " + kind }, el("div", {}, text))));
  at("answer-notes").hidden = !list.length;
}

function finish(answer) {
  const numbers = new Set((answer.citations ?? []).map((c) => Number(c.n)));
  at("answer-text").replaceChildren(...withReferences(answer.text ?? "", numbers));
  citations(answer.citations ?? []);
  notes(answer.notes ?? []);
  at("answer-link").href = "/answers/" + encodeURIComponent(answer.id);
  at("answer-link").hidden = !answer.id;
}

function done() {
  at("answer-busy").hidden = true;
  at("answer-text").setAttribute("aria-busy", "false");
}

/** The question and what narrows it, as the API wants them. */
function asked() {
  const facts = { stream: true };
  for (const [name, value] of new FormData(form)) {
    if (value) facts[name === "q" ? "question" : name] = name === "type" ? String(value).split(/[\s,]+/).filter(Boolean) : value;
  }
  return facts;
}

async function ask() {
  const facts = asked();
  if (!facts.question?.trim()) return;
  running?.abort();
  const mine = (running = new AbortController());
  begin(facts.question);
  try {
    const response = await fetch("/api/v1/ask", { method: "POST", signal: mine.signal, body: JSON.stringify(facts), headers: headers({ "Content-Type": "application/json", Accept: "text/event-stream" }) });
    if (!response.ok) throw await problemOf(response);
    for await (const { kind, facts: said } of eventsOf(response)) {
      if (mine !== running) return;
      if (kind === "sources") citations(said.citations ?? []);
      if (kind === "token") at("answer-text").append(said.text ?? "");
      if (kind === "answer") { finish(said); refresh(); }
      if (kind === "error") notes([said.detail ?? said.title ?? ""], "bad");
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    notes([error.message], "bad");
  }
  if (mine === running) done();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  history.replaceState(null, "", "/ask?" + query);
  ask();
});
if (at("question").value) ask();
