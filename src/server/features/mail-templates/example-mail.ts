import { nextCandidate, renderCandidates } from '#domain/sending/candidate-dates.ts';

/** Returns two candidate dates that could be offered now, as lines of a mail. @param now epoch milliseconds */
export function exampleDates(now: number): string[] {
  const first = nextCandidate([], now);
  return renderCandidates([first, nextCandidate([first], now)]).split('\n');
}
