// "Update now", and how far it is.
import { api, failed, listen, t } from "./core.js";

const button = document.getElementById("update");
const bar = document.getElementById("live-bar");
const text = document.getElementById("live-text");
const count = document.getElementById("live-count");

function idle(said) {
  bar.max = 1;
  bar.value = bar.dataset.done ? 1 : 0;
  text.textContent = said;
  button.removeAttribute("aria-disabled");
}

function working(facts) {
  button.setAttribute("aria-disabled", "true");
  const total = Number(facts.total ?? facts.files_total ?? 0);
  const done = Number(facts.files ?? facts.done ?? 0);
  if (total > 0) {
    bar.max = total;
    bar.value = Math.min(done, total);
    text.textContent = t("Reading and embedding");
    count.textContent = t("files: {done} of {total}, passages: {passages}", { done, total, passages: facts.embedded ?? facts.passages ?? 0 });
  } else {
    bar.removeAttribute("value");
    text.textContent = t("Looking at the folders …");
    count.textContent = "";
  }
}

function ended(facts) {
  bar.dataset.done = "1";
  count.textContent = facts.commit ? t("commit {n}", { n: facts.commit }) : "";
  const code = facts.exit_code ?? 0;
  if (facts.error) idle(facts.error);
  else if (code === 0) idle(t("Done: everything is up to date."));
  else if (code === 3) idle(t("Done, but not everything: see what needs your attention."));
  else idle(t("The run ended with exit code {code}.", { code }));
}

listen((kind, facts) => {
  if (kind === "begin") { delete bar.dataset.done; working({}); }
  if (kind === "progress") working(facts);
  if (kind === "commit") text.textContent = t("Commit {n} can be searched", { n: facts.commit ?? "" });
  if (kind === "end") ended(facts);
});

button.addEventListener("click", async () => {
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  text.textContent = t("Asked for; it begins in a moment.");
  try {
    await api("POST", "/runs", {});
  } catch (error) {
    idle(error.message);
    failed(error);
  }
});
