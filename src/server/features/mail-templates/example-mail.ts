import { nextCandidate, renderCandidates } from '#domain/candidate-dates.ts';

/** Two days that could be offered now, as they stand in a mail. @param now epoch milliseconds */
export function exampleDates(now: number): string[] {
  const first = nextCandidate([], now);
  return renderCandidates([first, nextCandidate([first], now)]).split('\n');
}
