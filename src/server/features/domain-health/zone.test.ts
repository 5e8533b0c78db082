import { beforeAll, expect, test } from 'vitest';
import { type DnsZone, serveZone } from '#test/dns-zone.ts';
import { DnsFault, openZone, textsOf, type Zone } from './zone.ts';

let dns: DnsZone;
beforeAll(async () => {
  dns = await serveZone();
});

/** Asks within a zone of its own. */
async function within<Result>(work: (zone: Zone) => Promise<Result>): Promise<Result> {
  dns.asked.length = 0;
  const zone = openZone([dns.server]);
  try {
    return await work(zone);
  } finally {
    zone.close();
  }
}

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'answered',
    (error: unknown) => (error instanceof DnsFault ? error.code : error),
  );

test('lawful 89: the strings of a TXT record are joined, over UDP and, where that is too short, over TCP', async () => {
  const long = Array.from({ length: 5 }, (_, n) => `${n}`.repeat(255));
  dns.records = { 'TXT short.example': [['v=spf1 ', '-all'], 'other'], 'TXT long.example': [long] };
  dns.overTcp = 0;
  await within(async (zone) => {
    expect((await textsOf(zone, 'short.example')).toSorted()).toStrictEqual(['other', 'v=spf1 -all']);
    expect(dns.overTcp).toBe(0);
    expect(await textsOf(zone, 'long.example')).toStrictEqual([long.join('')]);
    expect(dns.overTcp).toBe(1);
  });
});

test('a name without records, and a name that cannot be, have none', async () => {
  dns.records = { 'A there.example': ['192.0.2.1'] };
  await within(async (zone) => {
    expect(await zone.records('gone.example', 'TXT')).toStrictEqual([]);
    expect(await zone.records('there.example', 'TXT')).toStrictEqual([]);
    expect(await zone.records(`${'a'.repeat(64)}.example`, 'TXT')).toStrictEqual([]);
  });
});

test('lawful 90: a server that fails, refuses or is silent is a fault', async () => {
  dns.records = { 'TXT fails.example': 'SERVFAIL', 'TXT refuses.example': 'REFUSED', 'TXT silent.example': 'silence' };
  await within(async (zone) => {
    expect(await codeOf(zone.records('fails.example', 'TXT'))).toBe('ESERVFAIL');
    expect(await codeOf(zone.records('refuses.example', 'TXT'))).toBe('EREFUSED');
    expect(await codeOf(zone.records('silent.example', 'TXT'))).toBe('ETIMEOUT');
  });
  const none = openZone(['127.0.0.1:1']);
  expect(await codeOf(none.records('example.jp', 'A'))).toBe('ECONNREFUSED');
  none.close();
});

test('a repeated query is sent once', async () => {
  dns.records = { 'MX example.jp': ['a.example.jp'] };
  await within(async (zone) => {
    await Promise.all([zone.records('example.jp', 'MX'), zone.records('EXAMPLE.jp.', 'MX')]);
    await zone.records('example.jp', 'MX');
  });
  expect(dns.asked).toStrictEqual(['MX example.jp']);
});

test('a closed zone cancels pending queries, and sends no more', async () => {
  dns.records = { 'TXT silent.example': 'silence', 'TXT example.jp': ['text'] };
  dns.asked.length = 0;
  const zone = openZone([dns.server]);
  const waiting = codeOf(zone.records('silent.example', 'TXT'));
  zone.close();
  expect(await waiting).toBe('ECANCELLED');
  expect(await codeOf(zone.records('example.jp', 'TXT'))).toBe('ECANCELLED');
  expect(dns.asked).not.toContain('TXT example.jp');
});
