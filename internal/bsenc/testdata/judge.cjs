// Seals or opens a BSENC v1 envelope with Node's own crypto, written from the format's description alone. It reads
// {mode, password, salt, iterations, data} from standard input, bytes in base64, and writes bytes in base64.
'use strict';
const crypto = require('node:crypto');
const { mode, password, salt, iterations, data } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const bytes = Buffer.from(data, 'base64');
const key = crypto.pbkdf2Sync(Buffer.from(password, 'utf8'), Buffer.from(salt, 'base64'), iterations, 32, 'sha256');
const start = Buffer.from([0x42, 0x53, 0x45, 0x4e, 0x43, 0, 0, 0, 1]);

function seal(plaintext) {
  const nonce = crypto.randomBytes(12);
  const c = crypto.createCipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 });
  return Buffer.concat([start, nonce, c.update(plaintext), c.final(), c.getAuthTag()]);
}

function open(envelope) {
  if (envelope.length < 37 || !envelope.subarray(0, 9).equals(start)) throw new Error('format');
  const c = crypto.createDecipheriv('aes-256-gcm', key, envelope.subarray(9, 21), { authTagLength: 16 });
  c.setAuthTag(envelope.subarray(envelope.length - 16));
  return Buffer.concat([c.update(envelope.subarray(21, envelope.length - 16)), c.final()]);
}

process.stdout.write((mode === 'seal' ? seal : open)(bytes).toString('base64'));
