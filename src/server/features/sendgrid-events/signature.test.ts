import { createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { isSigned } from './signature.ts';

/** The test vector of SendGrid's own libraries. */
const KEY = createPublicKey({
  key: Buffer.from(
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEDr2LjtURuePQzplybdC+u4CwrqDqBaWjcMMsTbhdbcwHBcepxo7yAQGhHPTnlvFYPAZFceEu/1FwCM/QmGUhA==',
    'base64',
  ),
  format: 'der',
  type: 'spki',
});
const SIGNED = {
  signature: 'MEUCIQCtIHJeH93Y+qpYeWrySphQgpNGNr/U+UyUlBkU6n7RAwIgJTz2C+8a8xonZGi6BpSzoQsbVRamr2nlxFDWYNH2j/0=',
  timestamp: '1588788367',
  bytes: Buffer.from('{"category":"example_payload","event":"test_event","message_id":"message_id"}'),
};
const AT = Number(SIGNED.timestamp) * 1000;
const HOUR = 60 * 60 * 1000;

test("accepts SendGrid's test vector", () => expect(isSigned(SIGNED, KEY, AT)).toBe(true));

test.each<[string, Partial<typeof SIGNED>]>([
  ['another body', { bytes: Buffer.from('{"category":"example_payload"}') }],
  ['the same in other bytes', { bytes: Buffer.concat([SIGNED.bytes, Buffer.from('\r\n')]) }],
  ['another time', { timestamp: '1588788368' }],
  ['another signature', { signature: SIGNED.signature.replace('2j', '3j') }],
  ['no signature that can be', { signature: 'canary' }],
  ['an empty one', { signature: '' }],
  ['a time that is none', { timestamp: '1588788367 ' }],
])('%s is not', (_, change) => expect(isSigned({ ...SIGNED, ...change }, KEY, AT)).toBe(false));

test('refuses a request without one of the two headers', () => {
  expect(isSigned({ ...SIGNED, signature: undefined }, KEY, AT)).toBe(false);
  expect(isSigned({ ...SIGNED, timestamp: undefined }, KEY, AT)).toBe(false);
});

test("accepts timestamps as old as SendGrid's last retry, and a few minutes ahead", () => {
  const at = (ms: number) => isSigned(SIGNED, KEY, AT + ms);
  expect([at(24 * HOUR), at(25 * HOUR + 1000), at(-HOUR / 30), at(-HOUR)]).toStrictEqual([true, false, true, false]);
});
