// Sign in without leaving the page when the key is wrong.
import { el, headers, own, t } from "./core.js";

const form = document.getElementById("login");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = document.getElementById("login-error");
  try {
    const response = await fetch("/login", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify({ key: new FormData(form).get("key") }) });
    if (response.ok) { location.assign(own(form.dataset.next)); return; }
    const facts = await response.json().catch(() => ({}));
    said.replaceChildren(el("div", { class: "note bad" }, el("div", {}, facts.detail ?? t("This key does not fit."))));
  } catch {
    said.replaceChildren(el("div", { class: "note bad" }, el("div", {}, t("The server does not answer. Is `indexer serve` running?"))));
  }
  form.elements.key.select();
});
