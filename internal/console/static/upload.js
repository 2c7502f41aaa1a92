// Sends the files of the upload page: small ones with a form, large ones straight to where they are kept.
"use strict";

const form = document.getElementById("upload");
const atOnce = 3;

// request sends a body and reads JSON; progress hears what part of it is sent. An answer that did not come is an error.
const request = (method, url, headers, body, progress) => new Promise((resolve, reject) => {
  const x = new XMLHttpRequest();
  x.open(method, url);
  for (const [name, value] of Object.entries(headers)) x.setRequestHeader(name, value);
  x.upload.onprogress = (e) => { if (e.lengthComputable) progress(e.loaded / e.total); };
  x.onerror = x.onabort = x.ontimeout = () => reject(new Error(form.dataset.lost));
  x.onload = () => {
    let answer = {};
    try { answer = JSON.parse(x.responseText); } catch { /* an answer of somebody else's has its status alone */ }
    if (x.status === 401) answer.text = form.dataset.session;
    resolve({ status: x.status, answer });
  };
  x.send(body);
});

// refused makes an error of an answer, in the service's words.
const refused = ({ status, answer }) => {
  const e = new Error(answer.text || `${form.dataset.lost} (${status})`);
  e.code = answer.code;
  // What the file itself is to blame for stays so.
  e.final = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  return e;
};

// send brings one file to the service and returns its job.
const send = async (item, progress) => {
  const own = { Accept: "application/json", "Idempotency-Key": item.key };
  if (item.file.size <= Number(form.dataset.small)) {
    const body = new FormData();
    for (const [name, value] of item.fields) body.append(name, value);
    body.append("file", item.file);
    const got = await request("POST", "/upload", own, body, progress);
    if (got.status !== 202) throw refused(got);
    return got.answer.jobId;
  }
  const fields = new URLSearchParams([...item.fields, ["fileName", item.file.name], ["contentType", item.file.type]]);
  const announced = await request("POST", "/upload/announce", own, fields, () => {});
  if (announced.status !== 202) throw refused(announced);
  const { method, url, headers } = announced.answer.upload;
  const put = await request(method, url, headers, item.file, progress);
  // 412: an earlier try had brought the bytes, and only its answer was lost.
  if (put.status !== 412 && put.status >= 300) throw refused({ status: put.status === 413 ? 413 : 503, answer: {} });
  return announced.answer.jobId;
};

if (form) {
  const input = document.getElementById("file");
  const rows = document.getElementById("upload-rows");
  const count = document.getElementById("upload-count");
  const whole = document.getElementById("upload-all");
  let listed = [];
  const sent = [];
  const waiting = [];
  let busy = 0;
  input.multiple = true;

  const total = () => {
    const ended = sent.filter((i) => i.ended).length;
    const parts = sent.reduce((sum, i) => sum + (i.ended ? 1 : i.part), 0);
    whole.value = sent.length ? (100 * parts) / sent.length : 0;
    whole.hidden = !sent.length;
    const texts = [];
    if (sent.length) texts.push(form.dataset.all.replace("{n}", ended).replace("{of}", sent.length));
    if (listed.length) texts.push(form.dataset.listed.replace("{n}", listed.length));
    const text = texts.join(" · ");
    if (count.textContent !== text) count.textContent = text;
    document.getElementById("upload-files").hidden = !(sent.length || listed.length);
    input.required = !listed.length; // the field itself is empty again once its files are listed
  };

  const step = async (item) => {
    const [bar, state, link, again] = ["progress", ".state", ".job", ".again"].map((s) => item.row.querySelector(s));
    busy++;
    again.hidden = true;
    bar.hidden = false;
    state.textContent = "";
    try {
      const job = await send(item, (part) => { item.part = part; bar.value = 100 * part; total(); });
      bar.value = 100;
      state.textContent = form.dataset.sent;
      link.href = `/jobs/${encodeURIComponent(job)}?new=1`;
      link.hidden = false;
      item.ended = true;
    } catch (e) {
      state.textContent = [e.code, e.message].filter(Boolean).join(" · ");
      item.row.classList.add("failed");
      again.hidden = Boolean(e.final);
      item.ended = Boolean(e.final);
    }
    busy--;
    total();
    next();
  };
  const next = () => { while (busy < atOnce && waiting.length) step(waiting.shift()); };

  // Files that were chosen or dropped are listed. A signature cannot be taken back: only Send begins.
  const list = (file) => {
    const row = document.getElementById("upload-row").content.cloneNode(true).firstElementChild;
    const item = { file, row, key: crypto.randomUUID(), part: 0, ended: false };
    const leave = row.querySelector(".leave");
    row.querySelector(".name").textContent = file.name;
    row.querySelector(".state").textContent = form.dataset.held;
    leave.setAttribute("aria-label", `${leave.textContent}: ${file.name}`);
    leave.addEventListener("click", () => { listed = listed.filter((i) => i !== item); row.remove(); total(); input.focus(); });
    row.querySelector(".again").addEventListener("click", () => { row.classList.remove("failed"); waiting.push(item); next(); });
    rows.append(row);
    listed.push(item);
  };
  const begin = () => {
    const fields = ["profile", "format"].map((id) => [id, document.getElementById(id).value]).filter(([, value]) => value);
    for (const item of listed) {
      item.fields = fields;
      item.row.querySelector(".leave").remove();
      item.row.querySelector(".state").textContent = form.dataset.waiting;
    }
    sent.push(...listed);
    waiting.push(...listed);
    listed = [];
  };

  input.addEventListener("change", () => { for (const file of input.files) list(file); input.value = ""; total(); });
  form.addEventListener("submit", (e) => { e.preventDefault(); begin(); total(); next(); });
  window.addEventListener("beforeunload", (e) => { if (busy) e.preventDefault(); });
}
