import { expect, test } from 'vitest';
import { estimateEnd, type RunPace } from './run-estimate.ts';
import { DEFAULT_CALENDAR } from './sending-hours.ts';

const NOW = 1_000_000_000;
const PACE: RunPace = {
  ahead: 120,
  mailsPerMinute: null,
  recent: { mails: 0, seconds: 60 },
  lastDueAt: NOW,
  pausedUntil: null,
  reservedFor: null,
  calendar: DEFAULT_CALENDAR,
};
const secondsLeft = (pace: Partial<RunPace>) => {
  const end = estimateEnd({ ...PACE, ...pace }, NOW);
  return end === null ? null : (end - NOW) / 1000;
};

test('the end of a run follows the limit of its sender', () => {
  expect(secondsLeft({ mailsPerMinute: 60 })).toBe(120);
  expect(secondsLeft({ mailsPerMinute: 60, recent: { mails: 1000, seconds: 10 } })).toBe(120);
});

test('without a limit the end follows the recent pace', () => {
  expect(secondsLeft({ recent: { mails: 30, seconds: 15 } })).toBe(60);
});

test('no end is estimated while no mail was sent recently', () => {
  expect(secondsLeft({})).toBeNull();
  expect(secondsLeft({ recent: { mails: 5, seconds: 0 } })).toBeNull();
});

test("the end is not before the last retry or the end of the transport's pause", () => {
  expect(secondsLeft({ mailsPerMinute: 60, lastDueAt: NOW + 900_000 })).toBe(900);
  expect(secondsLeft({ mailsPerMinute: 60, pausedUntil: NOW + 30_000 })).toBe(150);
  expect(secondsLeft({ mailsPerMinute: 60, pausedUntil: NOW - 30_000 })).toBe(120);
});

test("a late reserved run pauses outside of its group's hours", () => {
  const tokyo = (text: string) => Date.parse(`${text}+09:00`);
  const pace = { ...PACE, mailsPerMinute: 10, reservedFor: tokyo('2026-11-18T20:30:00') };
  expect(estimateEnd({ ...pace, ahead: 10 }, tokyo('2026-11-18T21:00:00'))).toBe(tokyo('2026-11-18T21:01:00'));
  expect(estimateEnd({ ...pace, ahead: 400 }, tokyo('2026-11-18T21:00:00'))).toBe(tokyo('2026-11-19T08:10:00'));
  const pausedUntil = tokyo('2026-11-18T21:35:00');
  expect(estimateEnd({ ...pace, ahead: 10, pausedUntil }, tokyo('2026-11-18T21:25:00'))).toBe(
    tokyo('2026-11-19T08:01:00'),
  );
});
