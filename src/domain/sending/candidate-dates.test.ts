import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CANDIDATE_FAULT_MESSAGES,
  type CandidateDate,
  candidateFaults,
  isOver,
  nextCandidate,
  renderCandidates,
} from './candidate-dates.ts';

/** Thursday. */
const now = Date.parse('2026-11-19T12:00:00+09:00');
const row = (date: string, start_time = '9:00', end_time = '18:00') => ({ date, start_time, end_time });

describe('a new row', () => {
  test('the first one is tomorrow, 9:00 to 18:00', () => {
    expect(nextCandidate([], now)).toStrictEqual(row('2026-11-20'));
  });

  test('bad-inputs 179: the first one on a Friday is on Monday', () => {
    expect(nextCandidate([], Date.parse('2026-11-20T23:59:59+09:00'))).toStrictEqual(row('2026-11-23'));
  });

  test.each([
    ['the same day', '2026-11-19T13:00:00+09:00', '2026-11-20'],
    ['tomorrow, at midnight', '2026-11-20T00:00:00+09:00', '2026-11-23'],
    ['next Tuesday', '2026-11-24T20:45:00+09:00', '2026-11-25'],
    ['next Friday', '2026-11-27T08:00:00+09:00', '2026-11-30'],
  ])('the first one is after the day of a mail that leaves on %s', (_, sendAt, date) => {
    expect(nextCandidate([], now, Date.parse(sendAt))).toStrictEqual(row(date));
  });

  test.each([
    ['2026-11-23', '2026-11-24'],
    ['2026-11-20', '2026-11-23'],
    ['2026-12-31', '2027-01-01'],
    ['', '2026-11-20'],
  ])('after %j it is on %s', (previous, date) => {
    expect(nextCandidate([row('2026-11-24'), row(previous, '10:00', '11:00')], now)).toStrictEqual(row(date));
  });

  test('is on no closed day, nor behind the window to find one', () => {
    const closed = ['2026-12-29', '2026-12-30', '2026-12-31', '2027-01-01'];
    const next = (rows: CandidateDate[], days: readonly string[]) =>
      nextCandidate(rows, now, null, (day) => days.includes(day)).date;
    expect(next([row('2026-12-28')], closed)).toBe('2027-01-04');
    expect(next([], ['2026-11-20', '2026-11-23'])).toBe('2026-11-24');
    expect(nextCandidate([], now, null, () => true).date).toBe('2027-02-22');
  });

  test('rows added one after the other are all valid, as long as the window lasts', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: now, max: now + 400 * 86_400_000 }),
        fc.integer({ min: 1, max: 60 }),
        (at, count) => {
          const rows: CandidateDate[] = [];
          for (let index = 0; index < count; index += 1) rows.push(nextCandidate(rows, at));
          expect(candidateFaults(rows, at)).toStrictEqual(rows.map(() => null));
        },
      ),
    );
  });
});

describe('a row at fault', () => {
  test.each([
    [row('2026-11-20'), null],
    [row('2026-11-20', '09:00', '18:00'), null],
    [row('2026-11-20', '8:00', '20:45'), null],
    [row('2027-02-19'), null],
    [row('2026-02-30'), 'bad_date'],
    [row('2026/11/20'), 'bad_date'],
    [row('令和8年'), 'bad_date'],
    [row('2026-11-20', '24:00'), 'bad_time'],
    [row('2026-11-20', '9:00', ''), 'bad_time'],
    [row('2026-11-20', '9:00', '18:00:30'), 'bad_time'],
    [row('2026-11-19'), 'out_of_window'],
    [row('2027-02-22'), 'out_of_window'],
    [row('2026-11-21'), 'weekend'],
    [row('2026-11-22'), 'weekend'],
    [row('2026-11-20', '7:45'), 'hour'],
    [row('2026-11-20', '9:00', '21:00'), 'hour'],
    [row('2026-11-20', '9:07'), 'step'],
    [row('2026-11-20', '18:00', '9:00'), 'end_not_after_start'],
    [row('2026-11-20', '9:00', '09:00'), 'end_not_after_start'],
  ])('%j: %s', (candidate, fault) => {
    expect(candidateFaults([candidate], now)).toStrictEqual([fault]);
  });

  test.each([
    [row('2027-02-18', '8:00', '20:45'), null],
    [row('2027-02-19', '8:00', '8:15'), 'out_of_window'],
    [row('2027-02-19'), 'out_of_window'],
  ])('where the window ends at 8:00 of Friday 19 February, %j: %s', (candidate, fault) => {
    expect(candidateFaults([candidate], Date.parse('2026-11-18T12:00:00+09:00'))).toStrictEqual([fault]);
  });

  test('the later of two overlapping rows, also when they are not neighbours', () => {
    const rows = [
      row('2026-11-20', '9:00', '10:00'),
      row('2026-11-23', '9:00', '10:00'),
      row('2026-11-20', '10:00', '11:00'),
      row('2026-11-20', '10:45', '12:00'),
      row('2026-11-20', '09:00', '10:00'),
    ];
    expect(candidateFaults(rows, now)).toStrictEqual([null, null, null, 'overlap', 'overlap']);
  });

  test('every fault has its words', () => {
    for (const text of Object.values(CANDIDATE_FAULT_MESSAGES)) expect(text).toMatch(/^候補日.+$/);
  });
});

test('a slot has ended from its end on, in Tokyo', () => {
  const end = Date.parse('2026-11-24T18:00:00+09:00');
  expect([end - 1, end].map((instant) => isOver(row('2026-11-24'), instant))).toStrictEqual([false, true]);
});

test('candidate dates are rendered one per line', () => {
  expect(renderCandidates([row('2026-11-24'), row('2026-12-01', '09:00', '10:30')])).toBe(
    '・11月24日(火) 9:00〜18:00\n・12月1日(火) 9:00〜10:30',
  );
});
