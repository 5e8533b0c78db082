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

test('a limited sender needs the time its limit gives', () => {
  expect(secondsLeft({ mailsPerMinute: 60 })).toBe(120);
  expect(secondsLeft({ mailsPerMinute: 60, recent: { mails: 1000, seconds: 10 } })).toBe(120);
});

test('an unlimited one goes on as fast as lately', () => {
  expect(secondsLeft({ recent: { mails: 30, seconds: 15 } })).toBe(60);
});

test('nobody knows while nothing has been sent', () => {
  expect(secondsLeft({})).toBeNull();
  expect(secondsLeft({ recent: { mails: 5, seconds: 0 } })).toBeNull();
});

test('what waits for another try, or for the mail server, is waited for', () => {
  expect(secondsLeft({ mailsPerMinute: 60, lastDueAt: NOW + 900_000 })).toBe(900);
  expect(secondsLeft({ mailsPerMinute: 60, pausedUntil: NOW + 30_000 })).toBe(150);
  expect(secondsLeft({ mailsPerMinute: 60, pausedUntil: NOW - 30_000 })).toBe(120);
});

test('a reserved run that is late rests at night', () => {
  const tokyo = (text: string) => Date.parse(`${text}+09:00`);
  const pace = { ...PACE, mailsPerMinute: 10, reservedFor: tokyo('2026-11-18T20:30:00') };
  expect(estimateEnd({ ...pace, ahead: 10 }, tokyo('2026-11-18T21:00:00'))).toBe(tokyo('2026-11-18T21:01:00'));
  expect(estimateEnd({ ...pace, ahead: 400 }, tokyo('2026-11-18T21:00:00'))).toBe(tokyo('2026-11-19T08:10:00'));
  const pausedUntil = tokyo('2026-11-18T21:35:00');
  expect(estimateEnd({ ...pace, ahead: 10, pausedUntil }, tokyo('2026-11-18T21:25:00'))).toBe(
    tokyo('2026-11-19T08:01:00'),
  );
});
