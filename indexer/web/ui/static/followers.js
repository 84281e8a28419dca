// Pausing, resuming and trying again; the page follows by itself.
import { api, failed, refresh, t, toast } from "./core.js";

const SAID = {
  pause: (name) => t("{name} is paused: changes wait.", { name }),
  resume: (name) => t("{name} goes on with what waited.", { name }),
  retry: (name) => t("{name} is asked again now.", { name }),
};

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-act]");
  if (!button) return;
  const { follower: name, act } = button.dataset;
  button.disabled = true;
  try {
    await api("POST", `/followers/${encodeURIComponent(name)}/${act}`, {});
    toast(SAID[act](name));
  } catch (error) {
    failed(error);
  }
  button.disabled = false;
  await refresh();
});

setInterval(() => { if (!document.hidden) refresh(); }, 5000);
