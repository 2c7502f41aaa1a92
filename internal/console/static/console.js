// What makes pages that are readable without it pleasant: they refresh, and times are the visitor's own.
"use strict";

// Parts with hx-trigger="tick from:body" refresh while somebody can see the page.
const every = 4000;
setInterval(() => {
  if (document.visibilityState === "visible") document.body.dispatchEvent(new Event("tick"));
}, every);

// The mark in the bar tells that what is shown is old: a refresh did not work.
const mark = (stale) => {
  const el = document.getElementById("refresh");
  if (!el) return;
  el.classList.toggle("stale", stale);
  const text = stale ? el.dataset.stale : "";
  if (el.textContent !== text) el.textContent = text;
};
document.addEventListener("htmx:sendError", () => mark(true));
document.addEventListener("htmx:timeout", () => mark(true));
document.addEventListener("htmx:responseError", () => mark(true));
document.addEventListener("htmx:afterSwap", () => mark(false));

// What somebody opened, and how far they scrolled, stays as it is when its part refreshes. Elements are known by their ids.
let seen = [];
document.addEventListener("htmx:beforeSwap", () => {
  seen = [...document.querySelectorAll("details[id], .scroll[id]")].map((el) => [el.id, el.open, el.scrollLeft]);
});
document.addEventListener("htmx:afterSwap", () => {
  for (const [id, open, left] of seen) {
    const el = document.getElementById(id);
    if (!el) continue;
    if (open !== undefined) el.open = open;
    el.scrollLeft = left;
  }
});

// A page that the browser kept as it was, and came back to, is old: what refreshes is asked for anew, and so is a form that
// may be sent once.
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("[hx-trigger^='tick'], input[name='once']")) location.reload();
});

// Times are written in the visitor's zone and the page's language; the server knows the language alone.
const zoned = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "medium", timeStyle: "medium" });
const hours = new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const localize = (root) => {
  for (const el of root.querySelectorAll("time[datetime]")) {
    el.title = el.getAttribute("datetime");
    el.textContent = (el.dataset.show === "hour" ? hours : zoned).format(new Date(el.getAttribute("datetime")));
  }
  for (const el of root.querySelectorAll("[data-zone]")) el.textContent = zoned.resolvedOptions().timeZone;
};
document.addEventListener("htmx:afterSwap", () => localize(document));
localize(document);
