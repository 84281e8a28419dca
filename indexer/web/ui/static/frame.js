// On every page: theme, forms that say they are busy, uploads, parts that follow the index.
import { confirmed, api, failed, listen, refresh, t, toast } from "./core.js";
import { chooseFiles, resume, watchDrops } from "./upload.js";

const root = document.documentElement;
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

function switchTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  document.querySelector('meta[name="color-scheme"]').content = root.dataset.theme;
  document.cookie = `theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=strict`;
  pressed();
}

function pressed() {
  document.querySelector("[data-theme-switch]")?.setAttribute("aria-pressed", String(isDark()));
}

async function release(button) {
  const names = [...button.closest(".note").querySelectorAll("li bdi")].map((item) => item.textContent);
  const sure = await confirmed({
    title: t("Delete {n} documents from the index?", { n: button.dataset.count }), list: names,
    text: t("Exactly these are taken out; what has disappeared since then is asked about again."),
    yes: t("Delete them"), danger: true,
  });
  if (!sure) return;
  try {
    await api("POST", "/held/release", { token: button.dataset.release });
    toast(t("The deletions are released."));
  } catch (error) {
    failed(error);
    refresh();
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button");
  if (!button) return;
  if ("themeSwitch" in button.dataset) switchTheme();
  if ("upload" in button.dataset) chooseFiles();
  if ("release" in button.dataset) release(button);
});

for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", () => { form.querySelector(".button.first").textContent = form.dataset.busy; });
}

document.querySelector("form[data-logout]")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  await fetch("/logout", { method: "POST" });
  location.assign("/login");
});

pressed();
if ("write" in document.body.dataset) watchDrops();
resume();
// a fragment may arrive before the passage is laid out; a citation's address has none at all
const passage = document.getElementById("passage");
if (passage && !location.hash) passage.scrollIntoView({ block: "center" });

let waiting = 0;
let opened = false;
// the login and an error stand alone: there is nothing to follow
if ("frame" in document.body.dataset) listen((kind) => {
  const again = kind === "open" && opened; // something may have happened while nobody listened
  opened = opened || kind === "open";
  if (!again && kind !== "end" && kind !== "commit" && kind !== "begin") return;
  clearTimeout(waiting);
  waiting = setTimeout(refresh, kind === "end" ? 60 : 400);
});
