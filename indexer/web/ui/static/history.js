// The slider through the commits, and going back.
import { api, confirmed, failed, t, toast } from "./core.js";

const form = document.getElementById("slide");
if (form) {
  const commits = JSON.parse(form.dataset.commits);
  const slider = document.getElementById("slider");
  const show = () => {
    const { commit, shown } = commits[Number(slider.value)];
    const words = `${t("Commit {n}", { n: commit })} · ${shown}`;
    document.getElementById("slide-at").textContent = words;
    document.getElementById("slide-value").value = commit;
    slider.setAttribute("aria-valuetext", words);
  };
  slider.addEventListener("input", show);
  show();
}

const back = document.getElementById("rollback");
back?.addEventListener("click", async () => {
  const { to } = back.dataset;
  const sure = await confirmed({
    title: t("Go back to commit {n}?", { n: to }), yes: t("Go back"),
    text: t("A new commit shows the listed documents as they were then. Your files stay as they are; these documents are pinned until their files change."),
  });
  if (!sure) return;
  back.disabled = true;
  try {
    await api("POST", "/rollback", { commit: Number(to) });
    toast(t("The index shows commit {n} again.", { n: to }));
    location.assign("/history");
  } catch (error) {
    back.disabled = false;
    failed(error);
  }
});

const unpin = document.getElementById("unpin");
unpin?.addEventListener("click", async () => {
  const sure = await confirmed({
    title: t("Back to what lies in the folders?"), yes: t("Go back"),
    text: t("The documents that the rollback pinned are read from their files again."),
  });
  if (!sure) return;
  unpin.disabled = true;
  try {
    await api("POST", "/rollback/release", {});
    toast(t("Asked for; it begins in a moment."));
    unpin.closest(".notes").remove();
  } catch (error) {
    unpin.disabled = false;
    failed(error);
  }
});
