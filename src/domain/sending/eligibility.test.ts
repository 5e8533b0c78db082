import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSuppressed, LEFT_OUT_REASONS, leftOutReason, type ProspectFacts, resendCutoff } from './eligibility.ts';

const HOUR = 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 20, 3, 4, 5, 678);
const fresh: ProspectFacts = {
  active: true,
  email: 'info@example.co.jp',
  suppressed: false,
  maybeRefused: false,
  replied: false,
  refusedByNotice: false,
  reserved: false,
  openDelivery: false,
  lastSentAt: null,
  addressLastSentAt: null,
  rejectedAt: null,
  elsewhereSentAt: null,
  openElsewhere: false,
};
const reason = (facts: Partial<ProspectFacts>, daysFromLastday = 7) =>
  leftOutReason({ ...fresh, ...facts }, { now, daysFromLastday });

test('a company that nothing speaks against may be mailed', () => {
  expect(reason({})).toBeNull();
});

test.each([
  [{ active: false }, 'inactive'],
  [{ email: null }, 'no_email'],
  [{ email: '' }, 'no_email'],
  [{ suppressed: true }, 'suppressed'],
  [{ maybeRefused: true }, 'maybe_refused'],
  [{ replied: true }, 'replied'],
  [{ refusedByNotice: true }, 'refused_by_notice'],
  [{ reserved: true }, 'reserved'],
  [{ openDelivery: true }, 'open_delivery'],
  [{ lastSentAt: now }, 'recently_sent'],
  [{ addressLastSentAt: now }, 'recently_sent'],
  [{ rejectedAt: now }, 'rejected'],
  [{ elsewhereSentAt: now }, 'recently_sent_elsewhere'],
  [{ openElsewhere: true }, 'recently_sent_elsewhere'],
])('%j is left out as %s', (facts, expected) => {
  expect(reason(facts)).toBe(expected);
});

test('of several reasons the first is shown: the will of the owner of the address before an answer, and that before a notice', () => {
  const facts = {
    suppressed: true,
    maybeRefused: true,
    replied: true,
    refusedByNotice: true,
    reserved: true,
    openDelivery: true,
    lastSentAt: now,
  };
  expect(reason(facts)).toBe('suppressed');
  expect(reason({ ...facts, suppressed: false })).toBe('maybe_refused');
  const clear = { ...facts, suppressed: false, maybeRefused: false };
  expect(reason(clear)).toBe('replied');
  expect(reason({ ...clear, replied: false })).toBe('refused_by_notice');
  expect(reason({ ...clear, replied: false, refusedByNotice: false })).toBe('reserved');
});

describe('last sent more than N days ago', () => {
  test.each([
    ['6 days 23 hours ago', 6 * 24 * HOUR + 23 * HOUR, 'recently_sent'],
    ['1 ms less than 7 days ago', 7 * 24 * HOUR - 1, 'recently_sent'],
    ['exactly 7 days ago', 7 * 24 * HOUR, 'recently_sent'],
    ['1 ms more than 7 days ago', 7 * 24 * HOUR + 1, null],
    ['in the future (a clock that ran ahead)', -HOUR, 'recently_sent'],
  ])('%s', (_, ago, expected) => {
    expect(reason({ lastSentAt: now - ago })).toBe(expected);
    expect(reason({ addressLastSentAt: now - ago })).toBe(expected);
    expect(reason({ rejectedAt: now - ago })).toBe(expected === null ? null : 'rejected');
    expect(reason({ elsewhereSentAt: now - ago })).toBe(expected === null ? null : 'recently_sent_elsewhere');
  });

  test('bad-inputs 194: a day is 24 hours, also where a zone changes its clocks', () => {
    const afterNewYorkChange = Date.UTC(2026, 10, 4, 12);
    expect(resendCutoff(afterNewYorkChange, 7)).toBe(Date.UTC(2026, 9, 28, 12));
  });

  test('an interval of 0 days leaves out nobody, also where the clock of the last mail is ahead', () => {
    const justSent = { ...fresh, lastSentAt: now + HOUR };
    expect(leftOutReason(justSent, { now, daysFromLastday: 0 })).toBeNull();
    const elsewhere = { elsewhereSentAt: now + HOUR, openElsewhere: true };
    const facts = { ...justSent, rejectedAt: now + HOUR, ...elsewhere };
    expect(leftOutReason(facts, { now, daysFromLastday: 0 })).toBeNull();
    expect(leftOutReason(justSent, { now, daysFromLastday: 1 })).toBe('recently_sent');
  });
});

test('of several reasons the first in the order of telling is told', () => {
  const flaws: Record<string, Partial<ProspectFacts>> = {
    inactive: { active: false },
    no_email: { email: null },
    suppressed: { suppressed: true },
    maybe_refused: { maybeRefused: true },
    replied: { replied: true },
    refused_by_notice: { refusedByNotice: true },
    reserved: { reserved: true },
    open_delivery: { openDelivery: true },
    rejected: { rejectedAt: now - 1 },
    recently_sent: { lastSentAt: now - 1 },
    recently_sent_elsewhere: { openElsewhere: true },
  };
  fc.assert(
    fc.property(fc.subarray([...LEFT_OUT_REASONS]), (reasons) => {
      const facts = Object.assign({}, ...reasons.map((name) => flaws[name]));
      expect(reason(facts)).toBe(reasons[0] ?? null);
    }),
  );
});

test.each([
  ['a@x.jp', 'address', 'a@x.jp', true],
  ['A@x.jp', 'address', 'a@x.jp', true],
  ['b@x.jp', 'address', 'a@x.jp', false],
  ['a@x.jp', 'domain', 'x.jp', true],
  ['a@sub.x.jp', 'domain', 'x.jp', false],
  ['x.jp@y.jp', 'domain', 'x.jp', false],
  ['a@x.jp', 'address', 'x.jp', false],
  ['a@x.jp', 'domain', 'a@x.jp', false],
] as const)('%s with suppressed %s %s: %s', (email, kind, value, expected) => {
  expect(
    isSuppressed(email, [
      { kind: 'domain', value: 'other.jp' },
      { kind, value },
    ]),
  ).toBe(expected);
});
