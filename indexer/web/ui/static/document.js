// What can be done to a document: read it again, put another file in its place, take it away.
import { api, confirmed, failed, t, toast } from "./core.js";
import { chooseFiles } from "./upload.js";

/** What the page says of its document; the part is made anew when the index changes. */
const facts = () => document.getElementById("actions").dataset;

async function again() {
  await api("POST", "/runs", { documents: [facts().document] });
  toast(t("It is read again in a moment."));
}

/** Whatever the chosen file is called, it takes this document's place. */
function replace() {
  const { source, path } = facts();
  const cut = path.lastIndexOf("/");
  chooseFiles({ source, folder: path.slice(0, Math.max(cut, 0)), name: path.slice(cut + 1), replace: "true" }, true);
}

async function remove() {
  const sure = await confirmed({
    title: t("Delete this document?"), list: [facts().name], yes: t("Delete"), danger: true,
    text: t("The file is removed from its folder and cannot be found any more. Earlier commits still show its text while they are kept."),
  });
  if (!sure) return;
  await api("DELETE", "/documents/" + encodeURIComponent(facts().document));
  toast(t("Deleted; it disappears from the index in a moment."));
}

document.addEventListener("click", (event) => {
  const act = { again, replace, delete: remove }[event.target.closest?.("#actions button")?.id];
  if (act) Promise.resolve(act()).catch(failed);
});
