// Keeps a page up to date, and shows the amount of a slider while it moves. Without this script everything works by
// links and forms.
"use strict";
(() => {
  const WAIT = 2000, RETRY = 5000; // milliseconds between two updates; while an answer is computed
  let news = false, busy = false, last = Date.now();

  // Whether a field has another value than the page gave it.
  const edited = field => {
    if (field.matches("select")) return field.selectedIndex !== Math.max([...field.options].findIndex(one => one.defaultSelected), 0);
    return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  };

  // Whether an update would disturb: somebody types, moves a slider, or has opened a form; and where the focus is on
  // something that could not be found again.
  const inUse = () => {
    const at = document.activeElement, main = document.getElementById("main");
    if (main.querySelector("details[open] form, .actions, .wrong") || main.querySelector("input:active")) return true;
    if ([...main.querySelectorAll("input:not([type=range]), select")].some(edited)) return true;
    if (!at || at === main || !main.contains(at)) return false;
    return !at.id || at.matches("input:not([type=range], [type=checkbox]), select");
  };

  // Takes an element over from another version of this page, and keeps the focus and what was scrolled.
  const replace = (id, page) => {
    const old = document.getElementById(id), fresh = page.getElementById(id);
    if (!old || !fresh) return;
    const focus = document.activeElement && old.contains(document.activeElement) ? document.activeElement.id : "";
    const boxes = [...old.querySelectorAll(".scroll")].map(box => box.scrollLeft);
    old.replaceWith(document.adoptNode(fresh));
    fresh.querySelectorAll(".scroll").forEach((box, i) => { box.scrollLeft = boxes[i] || 0; });
    if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
  };

  const load = async (address, id) => {
    const answer = await fetch(address, { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) return;
    replace(id, new DOMParser().parseFromString(await answer.text(), "text/html"));
  };

  const update = async () => {
    const pending = document.getElementById("main").dataset.pending && Date.now() - last > RETRY;
    if (!(news || pending) || busy || document.hidden || Date.now() - last < WAIT || inUse()) return;
    news = false; busy = true;
    try { await load(location.href, "main"); } catch { news = true; }
    last = Date.now(); busy = false;
  };

  const address = document.body.dataset.events;
  if (address) {
    new EventSource(address).addEventListener("record", () => { news = true; });
    setInterval(update, 500);
  }

  // A table may be taken from a file; without this script it is pasted.
  document.addEventListener("change", async event => {
    const [file] = event.target.files || [];
    if (file) document.getElementById(event.target.dataset.into).value = await file.text();
  });

  let waiting = 0;
  document.addEventListener("input", event => {
    const slider = event.target;
    if (!slider.matches(".what-if input[type=range]")) return;
    slider.parentElement.querySelector("output").textContent = Number(Number(slider.value).toPrecision(4));
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const asked = new URLSearchParams(new FormData(slider.form));
      history.replaceState(null, "", `?${asked}`);
      load(`${location.pathname}?${asked}`, "what-if").catch(() => {});
    }, 250);
  });
})();
