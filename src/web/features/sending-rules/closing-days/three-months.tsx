import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { calendarOf, closingDayOn } from '#domain/sending/rules/closing-days.ts';
import { DEFAULT_CALENDAR, isOpenOn } from '#domain/sending/sending-hours.ts';
import { addMonths, dateOf, startOfMonth, weeksOf } from '#domain/time/calendar.ts';
import { calendarDay, monthName } from '#domain/time/calendar-names.ts';
import { holidayName } from '#domain/time/holiday.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { DayGrid, useDayKeys } from '#web/components/day-grid/day-grid.tsx';
import { SCHEDULE_MESSAGES } from '#web/components/schedule/words.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { closingDayOf, type GroupRules, sendingCalendar } from '#web/lib/data/group-rules.ts';
import { holidays } from '#web/lib/data/holidays.ts';
import { withNote } from '#web/lib/phrases.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import styles from './closing-days.module.css';
import type { ClosingDayRow } from './closing-days-query.ts';
import { CLOSING_DAY_MESSAGES } from './words.ts';

const { months: messages } = CLOSING_DAY_MESSAGES;
const MONTHS = 3;
const MARKS = ['closing', 'holiday', 'working'] as const;

interface Props {
  /** undefined: no group. */
  readonly rules: GroupRules | undefined;
  /** The closing days that apply to the group. */
  readonly rows: readonly ClosingDayRow[];
  /** Edits the closing day of a day, or adds one; absent: not permitted. */
  readonly onPress?: (row: ClosingDayRow | undefined, day: string) => void;
}

/** The holiday or closing day of a day. */
interface Special {
  readonly mark: keyof typeof messages.marks | undefined;
  readonly name: string | undefined;
  readonly row: ClosingDayRow | undefined;
  readonly isClosed: boolean;
}

/** Shows three months from the current one, with holidays and closing days. A press on a day adds or edits one. */
export function ThreeMonths({ rules, rows, onPress }: Props) {
  const today = dayOf(serverNow());
  const [first, begin] = useState(startOfMonth(today));
  const [chosen, choose] = useState(today);
  const months = useNarrowScreen() ? 1 : MONTHS;
  const end = addMonths(first, months);
  const active = chosen >= first && chosen < end ? chosen : first;
  const specialOf = useSpecialDays(rules, rows, today);
  const { ref, onKeyDown } = useDayKeys(today, (day) => {
    choose(day);
    if (day < first) begin(startOfMonth(day));
    else if (day >= end) begin(addMonths(startOfMonth(day), 1 - months));
  });
  const step = (to: 'previousMonth' | 'nextMonth', Icon: typeof IconChevronLeft, by: number) => (
    <Button
      key={to}
      aria-label={SCHEDULE_MESSAGES[to]}
      title={SCHEDULE_MESSAGES[to]}
      onClick={() => begin(addMonths(first, by))}
    >
      <Icon size={16} aria-hidden />
    </Button>
  );
  const [previous, next] = [step('previousMonth', IconChevronLeft, -1), step('nextMonth', IconChevronRight, 1)];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grids in it
    <div ref={ref} className="stack" onKeyDown={onKeyDown}>
      <div className="row">
        {months === 1 ? null : [previous, next]}
        {onPress === undefined ? null : <p className="note">{messages.help}</p>}
        <Legend />
      </div>
      <div className={styles.months}>
        {Array.from({ length: months }, (_, at) => addMonths(first, at)).map((month) => (
          <Month
            key={month}
            month={month}
            steps={months === 1 ? { previous, next } : undefined}
            active={active}
            today={today}
            specialOf={specialOf}
            {...(onPress !== undefined && {
              onPress: (day) => {
                choose(day);
                onPress(specialOf(day).row, day);
              },
            })}
          />
        ))}
      </div>
    </div>
  );
}

/** Explains the marks and grey days. */
const Legend = () => (
  <ul className={styles.legend} aria-label={messages.legend}>
    {MARKS.map((mark) => (
      <li key={mark}>
        <b data-mark={mark}>{messages.marks[mark]}</b> {messages.meanings[mark]}
      </li>
    ))}
    <li>
      <span className={styles.swatch} /> {messages.closed}
    </li>
  </ul>
);

function useSpecialDays(
  rules: GroupRules | undefined,
  rows: readonly ClosingDayRow[],
  today: string,
): (day: string) => Special {
  const { data: names = {} } = useQuery(holidays);
  const days = rows.map((row) => ({ ...closingDayOf(row), row }));
  const closing = closingDayOn(days);
  const holidayOf = (day: string) => names[day]?.name ?? null;
  const calendar =
    rules === undefined
      ? calendarOf({ ...DEFAULT_CALENDAR, onHolidays: true }, days, holidayOf)
      : sendingCalendar(rules, rows, holidayOf);
  return (on) => {
    const holiday = names[on] === undefined ? undefined : holidayName(names[on].name, on, today);
    const day = closing(on);
    return {
      row: day?.row,
      name: day?.name ?? holiday,
      mark: day === undefined ? (holiday === undefined ? undefined : 'holiday') : day.working ? 'working' : 'closing',
      isClosed: !isOpenOn(on, calendar),
    };
  };
}

interface MonthProps {
  /** The month's first day. */
  readonly month: string;
  /** The buttons for the adjacent months, if one month is shown at a time. */
  readonly steps: { readonly previous: ReactNode; readonly next: ReactNode } | undefined;
  readonly active: string;
  readonly today: string;
  readonly specialOf: (day: string) => Special;
  readonly onPress?: (day: string) => void;
}

function Month({ month, steps, active, today, specialOf, onPress }: MonthProps) {
  const title = monthName(month);
  const weeks = weeksOf(month);
  return (
    <section aria-label={title}>
      <div className={styles.head}>
        {steps?.previous}
        <h3>{title}</h3>
        {steps?.next}
      </div>
      <DayGrid
        label={messages.label(title)}
        weeks={weeks}
        active={active}
        today={today}
        lookOf={(day) => {
          const { name, mark, isClosed } = specialOf(day);
          const text = calendarDay(day);
          return {
            name: name === undefined ? text : `${text} ${name}`,
            title: name,
            isClosed,
            content: (
              <>
                <span>{dateOf(day)}</span>
                <small className={styles.mark} data-mark={mark}>
                  {mark === undefined ? '' : messages.marks[mark]}
                </small>
              </>
            ),
          };
        }}
        {...(onPress !== undefined && { onPress })}
      />
      <ul className={styles.named}>
        {runsOf(weeks.flat(), specialOf).map(({ name, mark, from, to }) => (
          <li key={from}>
            <span className="note">{messages.days(dateOf(from), dateOf(to))}</span>
            <span>{mark === 'working' ? withNote(name, CLOSING_DAY_MESSAGES.isWorking) : name}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Run extends Pick<Special, 'mark'> {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the named days of a month; consecutive days of the same name are combined. */
function runsOf(days: readonly (string | null)[], specialOf: (day: string) => Special): Run[] {
  const runs: Run[] = [];
  let last: string | undefined;
  for (const day of days) {
    if (day === null) continue;
    const { name, mark } = specialOf(day);
    const before = runs.at(-1);
    if (name !== undefined && before !== undefined && last === name) runs.splice(-1, 1, { ...before, to: day });
    else if (name !== undefined) runs.push({ name, mark, from: day, to: day });
    last = name;
  }
  return runs;
}
