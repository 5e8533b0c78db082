import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { readSendGrid } from './settings.ts';

/** Returns a public key in the form that SendGrid shows. */
function inBase64(key: KeyObject): string {
  return key.export({ type: 'spki', format: 'der' }).toString('base64');
}

test('the settings: a key, the address of a region, the key of its events', () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const SENDGRID_WEBHOOK_PUBLIC_KEY = inBase64(publicKey);
  const read = readSendGrid({ SENDGRID_API_KEY: ' SG.a.b ', SENDGRID_WEBHOOK_PUBLIC_KEY });
  expect(read).toMatchObject({ sendgrid: { apiKey: 'SG.a.b', url: new URL('https://api.sendgrid.com') } });
  expect(Array.isArray(read) ? null : read.eventKeys.map((key) => key.equals(publicKey))).toStrictEqual([true]);
  const two = readSendGrid({
    SENDGRID_WEBHOOK_PUBLIC_KEY: `${SENDGRID_WEBHOOK_PUBLIC_KEY}, ${SENDGRID_WEBHOOK_PUBLIC_KEY}`,
  });
  expect(Array.isArray(two) ? two : two.eventKeys).toHaveLength(2);
  expect(readSendGrid({ SENDGRID_API_KEY: '', SENDGRID_WEBHOOK_PUBLIC_KEY: '' })).toStrictEqual({
    sendgrid: null,
    eventKeys: [],
  });
  const region = { SENDGRID_API_KEY: 'SG.a', SENDGRID_URL: 'https://api.eu.sendgrid.com' };
  expect(readSendGrid(region)).toMatchObject({ sendgrid: { url: new URL('https://api.eu.sendgrid.com') } });
});

const rsaKey = inBase64(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey);
const otherCurve = inBase64(generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey);

test.each([
  ['SENDGRID_API_KEY', 'canary'],
  ['SENDGRID_API_KEY', 'SG.canary\r\nBcc: x'],
  ['SENDGRID_URL', 'http://api.sendgrid.com'],
  ['SENDGRID_URL', 'https://user:canary@api.sendgrid.com'],
  ['SENDGRID_URL', 'https://api.sendgrid.com/v3'],
  ['SENDGRID_URL', 'canary'],
  ['SENDGRID_WEBHOOK_PUBLIC_KEY', 'canary'],
  ['SENDGRID_WEBHOOK_PUBLIC_KEY', rsaKey],
  ['SENDGRID_WEBHOOK_PUBLIC_KEY', otherCurve],
])('%s=%j is refused by its name, and not repeated', (name, value) => {
  const faults = readSendGrid({ [name]: value });
  expect(faults).toStrictEqual([expect.stringContaining(name)]);
  expect(JSON.stringify(faults)).not.toContain('canary');
});
