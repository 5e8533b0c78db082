import type { CandidateDate } from '#domain/sending/candidate-dates.ts';
import { companies as companiesOf, FIGURE_SEPARATOR, LIST_SEPARATOR, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { sentenceDay, sentenceTime } from '#web/lib/screen-time.ts';
import { ALL_RESERVATIONS_MESSAGES as messages } from './words.ts';

export const slotText = ({ date, start_time, end_time }: CandidateDate): string =>
  `${sentenceDay(date)}${start_time}${RANGE_SEPARATOR}${end_time}`;

export const slotsText = (slots: readonly CandidateDate[], separator: string = LIST_SEPARATOR): string =>
  slots.length === 0 ? messages.noDates : slots.map(slotText).join(separator);

interface Figures {
  /** Epoch milliseconds. */
  readonly sendAt: number;
  readonly companies: number;
  readonly dates: number;
}

/** Returns one line about a reservation: time, companies, dates. */
export const figuresText = ({ sendAt, companies, dates }: Figures): string =>
  [sentenceTime(sendAt), companiesOf(companies), ...(dates === 0 ? [] : [messages.dates(dates)])].join(
    FIGURE_SEPARATOR,
  );
