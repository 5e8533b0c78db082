import { DEFAULT_PERIODS, type Outside, type Period } from '#domain/sending/sending-hours.ts';
import { WEEKDAYS } from '#domain/time/calendar.ts';
import { formatTimeOfDay } from '#domain/time/tokyo-time.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import type { GroupRules } from '#web/lib/data/group-rules.ts';
import type { Seen, TheirField } from '#web/lib/form/merged-form.ts';
import { LIST_SEPARATOR, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { HOURS_MESSAGES as messages } from './words.ts';

/** From Monday, as a working week is read. */
export const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;
export const WORKDAYS = WEEK.slice(0, 5);
type DayField = `day_${(typeof WEEK)[number]}`;

/** The edited hours of a group. The periods of each weekday are a string, so that drafts merge by weekday. */
export type HoursForm = Readonly<Record<DayField, string>> & {
  readonly on_holidays: boolean;
  readonly outside: Outside;
};

/** A period of a weekday, in minutes since midnight. */
export type Span = Pick<Period, 'opens' | 'closes'>;

export const STEP_MINUTES = 15;
export const DAY_MINUTES = 24 * 60;
const LUNCH = { opens: 12 * 60, closes: 13 * 60 };

export const dayField = (weekday: (typeof WEEK)[number]): DayField => `day_${weekday}`;

export const readSpans = (written: string): Span[] =>
  written === ''
    ? []
    : written.split(',').map((span) => {
        const [opens = 0, closes = 0] = span.split('-').map(Number);
        return { opens, closes };
      });

export const writeSpans = (spans: readonly Span[]): string =>
  spans.map(({ opens, closes }) => `${opens}-${closes}`).join(',');

/** The hours of a weekday that is ticked when no other weekday has hours. */
export const DEFAULT_SPANS = writeSpans(DEFAULT_PERIODS.slice(0, 1));

export const storedOf = ({ periods, on_holidays, outside, version }: GroupRules): Seen<HoursForm> => ({
  version: String(version),
  form: {
    ...(Object.fromEntries(
      WEEK.map((weekday) => [
        dayField(weekday),
        writeSpans(
          periods.filter((period) => period.weekday === weekday).toSorted((one, other) => one.opens - other.opens),
        ),
      ]),
    ) as Record<DayField, string>),
    on_holidays: on_holidays === 1,
    outside,
  },
});

/** Returns the periods of all weekdays, in the order in which they are sent. */
export const periodsOf = (form: HoursForm): Period[] =>
  WEEK.flatMap((weekday) => readSpans(form[dayField(weekday)]).map((span) => ({ weekday, ...span })));

function faultOfDay(spans: readonly Span[]): string | null {
  if (spans.some(({ opens, closes }) => opens >= closes)) return messages.faults.order;
  const [first, second] = spans;
  return first !== undefined && second !== undefined && second.opens < first.closes ? messages.faults.overlap : null;
}

/** Returns whether one line shows the week: equal times from Monday to Friday, none at the weekend. */
export const isOneLine = (form: HoursForm): boolean =>
  form.day_1 !== '' && WEEK.every((weekday) => form[dayField(weekday)] === (weekday % 6 === 0 ? '' : form.day_1));

/** Returns the errors that need no request. */
export function hoursFaults(form: HoursForm): Faults {
  if (periodsOf(form).length === 0) return { [dayField(1)]: messages.faults.none };
  return Object.fromEntries(
    WEEK.flatMap((weekday) => {
      const fault = faultOfDay(readSpans(form[dayField(weekday)]));
      return fault === null ? [] : [[dayField(weekday), fault]];
    }),
  );
}

/** Returns the field for a path of the request: a period belongs to its weekday. */
export function fieldOf(path: string, form: HoursForm): string {
  const [, field = '', place] = path.split('.');
  if (field !== 'periods') return field;
  return dayField((periodsOf(form)[Number(place ?? 0)]?.weekday ?? 1) as (typeof WEEK)[number]);
}

/** Splits one period at lunch or in its middle; joins two periods. */
export function splitOrJoin([first, second]: readonly Span[]): Span[] {
  if (first === undefined) return [];
  const { opens, closes } = first;
  if (second !== undefined) return [{ opens, closes: Math.max(closes, second.closes) }];
  if (opens < LUNCH.opens && closes > LUNCH.closes) {
    return [
      { opens, closes: LUNCH.opens },
      { opens: LUNCH.closes, closes },
    ];
  }
  const middle = opens + Math.floor((closes - opens) / 2 / STEP_MINUTES) * STEP_MINUTES;
  return [
    { opens, closes: middle },
    { opens: middle, closes },
  ];
}

export const spansAsText = (written: string): string =>
  readSpans(written)
    .map(({ opens, closes }) => `${formatTimeOfDay(opens)}${RANGE_SEPARATOR}${formatTimeOfDay(closes)}`)
    .join(LIST_SEPARATOR) || messages.closed;

/** Returns another member's value as the form displays it. */
export function shownValue({ field, theirs }: TheirField<HoursForm>): { label: string; value: string } {
  if (field === 'on_holidays') return { label: messages.onHolidays, value: messages.onHolidaysWords[theirs ? 1 : 0] };
  if (field === 'outside') return { label: messages.outside, value: messages.outsides[theirs] };
  return { label: messages.weekday(WEEKDAYS[Number(field.slice(-1))] ?? ''), value: spansAsText(theirs) };
}
