// Files that are dropped anywhere on a page with a field for them are chosen there, and one that is too large is told at once.
"use strict";

const zone = document.querySelector(".drop");
const field = zone?.querySelector("input[type='file']");
if (field) {
  // Without this a browser opens in place of the page what is dropped beside the zone.
  for (const kind of ["dragenter", "dragover"]) {
    document.addEventListener(kind, (e) => { e.preventDefault(); zone.classList.add("over"); });
  }
  document.addEventListener("dragleave", (e) => { if (!e.relatedTarget) zone.classList.remove("over"); });
  document.addEventListener("drop", (e) => {
    e.preventDefault();
    zone.classList.remove("over");
    const to = e.target.closest?.("input[type='file']") ?? field;
    const dropped = new DataTransfer();
    for (const file of [...e.dataTransfer.files].slice(0, to.multiple ? undefined : 1)) dropped.items.add(file);
    if (!dropped.files.length) return; // text, or a folder
    to.files = dropped.files;
    to.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

// A form with data-most takes so many bytes together: what is above would be refused by who stands before the service, in
// words that nobody of this page wrote.
for (const sized of document.querySelectorAll("form[data-most]")) {
  const told = sized.querySelector(".too-large");
  const inputs = [...sized.querySelectorAll("input[type='file']")];
  const hints = inputs.map((i) => i.getAttribute("aria-describedby"));
  const judge = () => {
    const bytes = inputs.flatMap((i) => [...i.files]).reduce((sum, f) => sum + f.size, 0);
    const large = bytes > Number(sized.dataset.most);
    told.hidden = !large;
    inputs.forEach((i, at) => {
      const wrong = large && i.files.length > 0;
      i.setAttribute("aria-invalid", String(wrong));
      i.setAttribute("aria-describedby", wrong ? `${hints[at]} ${told.id}` : hints[at]);
    });
    return large;
  };
  sized.addEventListener("change", judge);
  sized.addEventListener("submit", (e) => {
    if (!judge()) return;
    e.preventDefault();
    inputs[0].focus();
  });
}
