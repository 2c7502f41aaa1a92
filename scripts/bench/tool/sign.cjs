// Signs PDFs with @signpdf, one request a line: {"in", "out", "times"} signs that often and answers how long it took,
// {"peak": true} answers how much memory the process had at most. What an answer cannot be is answered as {"error"}.
'use strict';

const fs = require('node:fs');
const readline = require('node:readline');
const { SignPdf } = require('@signpdf/signpdf');
const { P12Signer } = require('@signpdf/signer-p12');
const { plainAddPlaceholder } = require('@signpdf/placeholder-plain');
const { SUBFILTER_ETSI_CADES_DETACHED } = require('@signpdf/utils');

const [file, passphrase, claimed] = process.argv.slice(2);
const p12 = fs.readFileSync(file);
const signingTime = new Date(claimed);

async function sign(from, to) {
  const placed = plainAddPlaceholder({
    pdfBuffer: fs.readFileSync(from),
    name: 'Maria de Teste',
    reason: 'Approved',
    location: 'Brasilia',
    contactInfo: '',
    signingTime,
    subFilter: SUBFILTER_ETSI_CADES_DETACHED,
  });
  // A signer reads its file to the end when it signs, and is good for one signature.
  const signer = new P12Signer(p12, { passphrase });
  fs.writeFileSync(to, await new SignPdf().sign(placed, signer, signingTime));
}

function peak() {
  const status = fs.readFileSync('/proc/self/status', 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)[1]);
}

async function answer(request) {
  if (request.peak) return { peak: peak() };
  const start = process.hrtime.bigint();
  for (let i = 0; i < request.times; i++) await sign(request.in, request.out);
  return { nanoseconds: Number(process.hrtime.bigint() - start) };
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const said = await answer(JSON.parse(line)).catch((e) => ({ error: String(e) }));
    process.stdout.write(`${JSON.stringify(said)}\n`);
  }
}

main();
