import { describe, expect, test } from 'vitest';
import { resendCutoff } from './eligibility.ts';

const DAY = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 10, 20, 3, 4, 5, 678);

describe('the instant before which the last mail must lie', () => {
  test('is N times 24 hours ago', () => {
    expect(resendCutoff(now, 7)).toBe(now - 7 * DAY);
  });

  test('bad-inputs 194: a day is 24 hours, also where a zone changes its clocks', () => {
    const afterNewYorkChange = Date.UTC(2026, 10, 4, 12);
    expect(resendCutoff(afterNewYorkChange, 7)).toBe(Date.UTC(2026, 9, 28, 12));
  });

  test('lies behind all mails for an interval of 0 days, also where the clock of the last mail is ahead', () => {
    expect(resendCutoff(now, 0)).toBeGreaterThan(now + 1000 * DAY);
  });
});
