// What makes pages that are readable without it pleasant: they refresh, and times are the visitor's own.
"use strict";

// Parts with hx-trigger="tick from:body" refresh every few seconds while somebody can see the page, and those with slow-tick
// about every 20. htmx's own throttle would not do: a part that was swapped has forgotten when it last refreshed.
const every = 4000;
const slowly = 18000; // clocks are not exact
const parts = "[hx-trigger*='tick']";

// Where nobody has moved for long, a page refreshes seldom, and at once when somebody is back.
const away = 10 * 60 * 1000;
const seldom = 30 * 1000;

let moved = Date.now();
let ticked = Date.now();
let slowTicked = Date.now();
let stopped = false;

// selecting reports whether somebody marks text in what refreshes, such as an id to copy: a refresh would take it away.
const selecting = () => {
  const marked = getSelection();
  if (marked.isCollapsed || !marked.rangeCount || Date.now() - moved > away) return false;
  return [...document.querySelectorAll(parts)].some((el) => marked.getRangeAt(0).intersectsNode(el));
};
const tick = () => {
  if (stopped || document.visibilityState !== "visible" || selecting()) return;
  ticked = Date.now();
  document.body.dispatchEvent(new Event("tick"));
  if (ticked - slowTicked < slowly) return;
  slowTicked = ticked;
  document.body.dispatchEvent(new Event("slow-tick"));
};
setInterval(() => {
  const now = Date.now();
  if (now - moved < away || now - ticked >= seldom) tick();
}, every);
for (const kind of ["pointerdown", "pointermove", "wheel", "keydown", "focus"]) {
  addEventListener(kind, () => {
    const wasAway = Date.now() - moved > away;
    moved = Date.now();
    if (wasAway) tick();
  }, { passive: true });
}

// A refresh is nobody's visit: the service is told, so that a page which is left open does not keep its session for ever.
const refreshes = (config) => /^(slow-)?tick$/.test(config?.triggeringEvent?.type ?? "");
document.addEventListener("htmx:configRequest", (event) => {
  if (refreshes(event.detail)) event.detail.headers["X-Refresh"] = "1";
});

// The mark in the bar tells that what is shown may be old: a refresh did not work, or nobody wants any.
let stale = false;
const mark = (now = stale) => {
  stale = now;
  const el = document.getElementById("refresh");
  if (!el) return;
  el.classList.toggle("stale", stale && !stopped);
  const text = stopped ? el.dataset.stopped : stale ? el.dataset.stale : "";
  if (el.textContent !== text) el.textContent = text;
};
document.addEventListener("htmx:sendError", () => mark(true));
document.addEventListener("htmx:timeout", () => mark(true));
document.addEventListener("htmx:responseError", (event) => {
  // What is shown is gone: the page says so itself.
  if (event.detail.xhr.status === 404 && refreshes(event.detail.requestConfig)) location.reload();
  else mark(true);
});
document.addEventListener("htmx:afterSwap", () => mark(false));

// Refreshing can be stopped: for this tab, until it is wanted again. Where nothing refreshes, there is nothing to stop.
const toggle = document.getElementById("stop-refresh");
const stand = (still) => {
  stopped = still;
  toggle.setAttribute("aria-pressed", String(still));
  mark();
};
const offer = () => {
  if (!toggle?.hidden || !document.querySelector(parts)) return;
  toggle.hidden = false;
  stand(sessionStorage.getItem("refresh") === "stopped");
};
toggle?.addEventListener("click", () => {
  stand(!stopped);
  sessionStorage.setItem("refresh", stopped ? "stopped" : "");
  tick();
});
document.addEventListener("htmx:afterSwap", offer); // parts of a page may come later
offer();

// What somebody opened, and how far they scrolled, stays as it is when its part refreshes. Elements are known by their ids.
let seen = [];
document.addEventListener("htmx:beforeSwap", (event) => {
  if (refreshes(event.detail.requestConfig) && (stopped || selecting())) event.detail.shouldSwap = false; // it was too late to ask
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

// A state that a refresh changed is said to those who cannot see it.
const state = () => document.querySelector("[data-say]");
let said = state()?.textContent;
document.addEventListener("htmx:afterSwap", () => {
  const el = state();
  if (!el || el.textContent === said) return;
  said = el.textContent;
  const voice = document.getElementById("said");
  voice.lang = el.closest("[lang]").lang;
  voice.textContent = said;
});

// A page that the browser kept as it was, and came back to, is old: what refreshes is asked for anew, and so is a form that
// may be sent once.
addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector(`${parts}, input[name='once']`)) location.reload();
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
