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
  const items = [];
  const waiting = [];
  let busy = 0;
  input.multiple = true;
  input.required = false;

  const total = () => {
    const ended = items.filter((i) => i.ended).length;
    const parts = items.reduce((sum, i) => sum + (i.ended ? 1 : i.part), 0);
    document.getElementById("upload-all").value = items.length ? (100 * parts) / items.length : 0;
    document.getElementById("upload-count").textContent = form.dataset.all.replace("{n}", ended).replace("{of}", items.length);
  };

  const step = async (item) => {
    const [bar, state, link, again] = ["progress", ".state", ".job", ".again"].map((s) => item.row.querySelector(s));
    busy++;
    again.hidden = true;
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

  const add = (files) => {
    const fields = ["profile", "format"].map((id) => [id, document.getElementById(id).value]).filter(([, value]) => value);
    for (const file of files) {
      const row = document.getElementById("upload-row").content.cloneNode(true).firstElementChild;
      const item = { file, fields, row, key: crypto.randomUUID(), part: 0, ended: false };
      row.querySelector(".name").textContent = file.name;
      row.querySelector(".state").textContent = form.dataset.waiting;
      row.querySelector(".again").addEventListener("click", () => { row.classList.remove("failed"); waiting.push(item); next(); });
      rows.append(row);
      items.push(item);
      waiting.push(item);
    }
    document.getElementById("upload-files").hidden = items.length === 0;
    total();
    next();
  };

  form.addEventListener("submit", (e) => { e.preventDefault(); add(input.files); input.value = ""; });
  input.addEventListener("change", () => { add(input.files); input.value = ""; });
  const drop = document.getElementById("drop");
  for (const kind of ["dragenter", "dragover"]) {
    document.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
  }
  document.addEventListener("dragleave", (e) => { if (!e.relatedTarget) drop.classList.remove("over"); });
  document.addEventListener("drop", (e) => { e.preventDefault(); drop.classList.remove("over"); add(e.dataTransfer.files); });
  window.addEventListener("beforeunload", (e) => { if (busy) e.preventDefault(); });
}
