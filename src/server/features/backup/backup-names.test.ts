import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#domain/time-units.ts';
import { backupName, dueAt, expiredBackups, timeOfBackup } from './backup-names.ts';

const tokyo = (text: string) => Date.parse(`${text}:00+09:00`);

describe('names', () => {
  test('say the minute in Tokyo, and are read back', () => {
    expect(backupName(tokyo('2026-12-01T03:00') + 59_999)).toBe('kaitaku-20261201-0300.backup');
    expect(timeOfBackup('kaitaku-20261201-0300.backup')).toBe(tokyo('2026-12-01T03:00'));
  });

  test.each([
    'kaitaku-20261201-0300.backup.part',
    'kaitaku-20261201-0300.backup.1a2b3c4d.part',
    'kaitaku-20261201-2400.backup',
    'kaitaku-20260230-0300.backup',
    'kaitaku-2026121-0300.backup',
    'my-kaitaku-20261201-0300.backup',
    'kaitaku-20261201-0300.backup\n',
    'kaitaku.backup',
  ])('%j is no name of ours', (name) => expect(timeOfBackup(name)).toBeNull());
});

/** Names of backups of each day at 03:00, the newest last. */
const nights = (first: string, count: number) =>
  Array.from({ length: count }, (_, n) => backupName(tokyo(`${first}T03:00`) + n * DAY_MS));

describe('expiredBackups', () => {
  const KEEP = { daily: 7, weekly: 4 };

  test('keeps the newest of the last 7 days and of the last 4 weeks, which begin on Monday', () => {
    // 2026-12-28 is a Monday.
    const names = nights('2026-11-01', 58);
    const written = names.at(-1) ?? '';
    expect(written).toBe('kaitaku-20261228-0300.backup');
    const gone = expiredBackups(names, { ...KEEP, written });
    expect(names.filter((name) => !gone.includes(name)).map((name) => name.slice(12, 16))).toStrictEqual([
      '1213',
      '1220',
      '1222',
      '1223',
      '1224',
      '1225',
      '1226',
      '1227',
      '1228',
    ]);
  });

  test('of a day keeps the newest; days without a backup do not count', () => {
    const names = ['0901-0300', '0901-1200', '1101-0300', '1201-0259', '1201-0300'].map(
      (at) => `kaitaku-2026${at}.backup`,
    );
    const [older = '', , , before = '', written = ''] = names;
    expect(expiredBackups(names, { daily: 3, weekly: 0, written })).toStrictEqual([before, older]);
  });

  test('after the clock went back, what seems newer than the written one is kept and not counted', () => {
    const names = nights('2026-12-01', 5);
    const written = backupName(tokyo('2026-12-03T02:00'));
    expect(expiredBackups([...names, written], { daily: 1, weekly: 0, written })).toStrictEqual([names[1], names[0]]);
  });

  const anyTime = fc.integer({ min: 0, max: 90 * 24 * 4 }).map((n) => tokyo('2026-12-01T00:00') + n * 15 * MINUTE_MS);
  const anyRule = fc.record({ daily: fc.integer({ min: 1, max: 9 }), weekly: fc.integer({ min: 0, max: 6 }) });

  test('never names the written one, nor one that is newer, nor the newest of a kept day; and ends', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyTime, { minLength: 1, maxLength: 60 }), fc.nat(59), anyRule, (times, at, rule) => {
        const names = times.map(backupName);
        const written = names[at % names.length] ?? '';
        const gone = expiredBackups(names, { ...rule, written });
        const left = names.filter((name) => !gone.includes(name));
        expect(gone.filter((name) => name >= written)).toStrictEqual([]);
        const older = left.filter((name) => name <= written);
        expect(older.length).toBeLessThanOrEqual(rule.daily + rule.weekly);
        const dayOf = (name: string) => name.slice(0, 16);
        const newest = Object.values(
          Object.fromEntries(
            names
              .filter((name) => name <= written)
              .toSorted()
              .map((name) => [dayOf(name), name]),
          ),
        ).toSorted();
        for (const name of newest.slice(-rule.daily)) expect(left).toContain(name);
        expect(expiredBackups(left, { ...rule, written })).toStrictEqual([]);
        // The order of the folder does not matter.
        expect(new Set(expiredBackups(names.toReversed(), { ...rule, written }))).toStrictEqual(new Set(gone));
      }),
    );
  });

  test('night after night, with a clock that may go back an hour, the last written ones stay', () => {
    const anyNight = fc.record({ late: fc.nat(3 * 60), isBack: fc.boolean() });
    fc.assert(
      fc.property(fc.array(anyNight, { minLength: 1, maxLength: 40 }), anyRule, (all, rule) => {
        let names: string[] = [];
        const written: string[] = [];
        for (const [night, { late, isBack }] of all.entries()) {
          const at = tokyo('2026-12-01T03:00') + night * DAY_MS + late * MINUTE_MS - (isBack ? HOUR_MS : 0);
          written.push(backupName(at));
          names = [...names, backupName(at)];
          const gone = expiredBackups(names, { ...rule, written: backupName(at) });
          names = names.filter((name) => !gone.includes(name));
          expect(names).toEqual(expect.arrayContaining(written.slice(-rule.daily)));
          expect(names.length).toBeLessThanOrEqual(rule.daily + rule.weekly);
        }
      }),
    );
  });
});

describe('dueAt', () => {
  const THREE = 3 * 60;

  test.each([
    ['2026-12-01T02:00', '2026-12-01T02:59', null],
    ['2026-12-01T02:59', '2026-12-01T03:00', '2026-12-01T03:00'],
    ['2026-12-01T03:00', '2026-12-01T03:01', null],
    ['2026-12-01T03:00', '2026-12-02T02:59', null],
    // A machine that slept makes up for the last night alone.
    ['2026-12-01T03:00', '2026-12-05T12:00', '2026-12-05T03:00'],
    ['2026-12-01T03:00', '2026-12-05T02:00', '2026-12-04T03:00'],
    // The clock went back.
    ['2026-12-01T03:30', '2026-12-01T02:30', null],
  ])('after %s, at %s: %s', (since, now, due) => {
    expect(dueAt(tokyo(since), tokyo(now), THREE)).toBe(due === null ? null : tokyo(due));
  });
});
