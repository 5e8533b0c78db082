import { describe, expect, test } from 'vitest';
import { clientFinder, type ProxyHeader } from './client-address.ts';

const RANGES = ['10.0.0.0/8', 'fd00::/8'];
const PROXY = '10.0.0.7';
const UNKNOWN = '';

const found = (header: ProxyHeader, value: string, remoteAddress = PROXY) =>
  clientFinder({ ranges: RANGES, header })({ headers: { [header]: value }, socket: { remoteAddress } });

describe('X-Forwarded-For', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['203.0.113.9:51234', '203.0.113.9'],
    ['"203.0.113.9:51234"', '203.0.113.9'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:5', '2001:db8::1'],
    ['"[2001:db8::1]:5"', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1:51234', '2001:db8:0:0:0:0:0:1'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.9'],
    [' 203.0.113.9 ', '203.0.113.9'],
    // What the client wrote stands before what the proxies wrote.
    ['198.51.100.1, 203.0.113.9', '203.0.113.9'],
    ['198.51.100.1, 203.0.113.9:51234, 10.1.1.1:80, [fd00::1]:443', '203.0.113.9'],
    ['10.2.2.2, 10.1.1.1', '10.2.2.2'],
    // What cannot be read names nobody: the address is unknown.
    ['unknown', UNKNOWN],
    ['_hidden', UNKNOWN],
    ['', UNKNOWN],
    [',', UNKNOWN],
    ['203.0.113.9,', UNKNOWN],
    ['203.0.113.9, unknown', UNKNOWN],
    ['203.0.113.9, unknown, 10.1.1.1', UNKNOWN],
    ['203.0.113.9:port', UNKNOWN],
    ['203.0.113.9:512345', UNKNOWN],
    ['203.0.113', UNKNOWN],
    ['203.0.113.9 198.51.100.1', UNKNOWN],
    ['[2001:db8::1', UNKNOWN],
    ['999.0.113.9', UNKNOWN],
    ['１.２.３.４', UNKNOWN],
  ])('%j names %s', (value, address) => expect(found('x-forwarded-for', value)).toBe(address));
});

describe('Forwarded', () => {
  test.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="203.0.113.9:51234"', '203.0.113.9'],
    ['for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for="203.0.113.9:_x1"', '203.0.113.9'],
    ['proto=https; host="a,b;c";for=203.0.113.9 ;by=10.0.0.1', '203.0.113.9'],
    ['for="\\2\\0\\3.0.113.9"', '203.0.113.9'],
    ['for=198.51.100.1, for=203.0.113.9;proto=http, for="10.1.1.1:80"', '203.0.113.9'],
    ['for=unknown', UNKNOWN],
    ['for=_secret', UNKNOWN],
    ['proto=https', UNKNOWN],
    ['for=203.0.113.9, proto=https', UNKNOWN],
    // A client left a quotation mark open, so that it seems to hold what the proxy wrote.
    ['for=198.51.100.1;x=", for=203.0.113.9', UNKNOWN],
    ['for=198.51.100.1;x=", for="[2001:db8::1]:5"', UNKNOWN],
    ['for=198.51.100.1;x="\\, for="203.0.113.9"', UNKNOWN],
    ['for=2001:db8::1', UNKNOWN],
    ['for', UNKNOWN],
    ['=', UNKNOWN],
  ])('%j names %s', (value, address) => expect(found('forwarded', value)).toBe(address));
});

test.each(['x-forwarded-for', 'forwarded'] as const)('a stranger names nobody by %s', (header) => {
  expect(found(header, 'for=198.51.100.1', '203.0.113.9')).toBe('203.0.113.9');
  expect(found(header, '198.51.100.1', '203.0.113.9')).toBe('203.0.113.9');
});

test.each(['x-forwarded-for', 'forwarded'] as const)('without %s the proxy itself asks', (header) => {
  expect(clientFinder({ ranges: RANGES, header })({ headers: {}, socket: { remoteAddress: PROXY } })).toBe(PROXY);
});

test('a header other than the configured one is ignored', () => {
  const headers = { 'x-forwarded-for': '198.51.100.1', forwarded: 'for=203.0.113.9' };
  const client = (header: ProxyHeader) =>
    clientFinder({ ranges: RANGES, header })({ headers, socket: { remoteAddress: PROXY } });
  expect([client('x-forwarded-for'), client('forwarded')]).toStrictEqual(['198.51.100.1', '203.0.113.9']);
});

test.each([
  ' '.repeat(100_000),
  ','.repeat(100_000),
  ';'.repeat(100_000),
  '"'.repeat(100_000),
  ':'.repeat(100_000),
  '['.repeat(100_000),
  `for="${'\\'.repeat(100_000)}`,
  `${'a'.repeat(100_000)}=`,
  `for=${'a'.repeat(100_000)} x`,
])('a header of 100 KB that names nobody is read in linear time (%#)', (value) => {
  for (const header of ['x-forwarded-for', 'forwarded'] as const) expect(found(header, `${value}!`)).toBe(UNKNOWN);
});
