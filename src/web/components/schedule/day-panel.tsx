import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { type RefObject, useLayoutEffect, useState } from 'react';
import { addMonths, dateOf, startOfMonth, weeksOf } from '#domain/time/calendar.ts';
import { calendarDay, monthName } from '#domain/time/calendar-names.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { Button } from '../button.tsx';
import { DayGrid, useDayKeys } from '../day-grid/day-grid.tsx';
import { usePlaceBeside } from '../dialog/place-beside.ts';
import type { DayChoice } from './picker-choices.ts';
import styles from './schedule.module.css';
import { SCHEDULE_MESSAGES } from './words.ts';

interface Props {
  readonly id: string;
  /** The label of the field. */
  readonly label: string;
  /** The element beside which the panel stands. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly days: readonly DayChoice[];
  readonly value: string;
  /** Returns the name of a holiday or closing day. */
  readonly noteOf: (day: string) => string | undefined;
  readonly onChoose: (day: string) => void;
}

/** Shows a month of days over the page and its dialogs. Days off take the focus, but cannot be chosen. */
export function DayPanel({ id, label, anchor, days, value, noteOf, onChoose }: Props) {
  const [shown, show] = useState(days.some(({ day }) => day === value) ? value : (days[0]?.day ?? value));
  const offered = new Set(days.flatMap(({ day, isOffered }) => (isOffered ? day : [])));
  const [first = value, last = value] = [days[0]?.day, days.at(-1)?.day];
  const month = shown.slice(0, 7);
  const weeks = weeksOf(shown);
  const within = (day: string): string => (day < first ? first : day > last ? last : day);
  const { ref, onKeyDown } = useDayKeys(first, show, within);
  usePlaceBeside(ref, anchor);
  useLayoutEffect(() => ref.current?.querySelector<HTMLElement>('[data-stop][tabindex="0"]')?.focus(), [ref]);

  const step = (name: string, Icon: typeof IconChevronLeft, months: 1 | -1) => {
    const to = addMonths(startOfMonth(shown), months);
    const isEnd = to < startOfMonth(first) || to > last;
    return (
      <Button
        variant="quiet"
        aria-label={name}
        title={name}
        // A disabled button would lose the focus, and the panel its keys.
        aria-disabled={isEnd}
        onClick={() => isEnd || show(within(to))}
      >
        <Icon size={16} aria-hidden />
      </Button>
    );
  };
  const noted = weeks.flat().flatMap((day) => {
    const note = day !== null && offered.has(day) ? noteOf(day) : undefined;
    return day === null || note === undefined ? [] : { day, note };
  });
  return (
    <div
      ref={ref}
      id={id}
      popover="manual"
      role="dialog"
      aria-label={SCHEDULE_MESSAGES.calendarOf(label)}
      className={`floats ${styles.panel}`}
      onKeyDown={onKeyDown}
    >
      <div className="spread">
        {step(SCHEDULE_MESSAGES.previousMonth, IconChevronLeft, -1)}
        <strong aria-live="polite">{monthName(month)}</strong>
        {step(SCHEDULE_MESSAGES.nextMonth, IconChevronRight, 1)}
      </div>
      <DayGrid
        label={monthName(month)}
        weeks={weeks}
        active={shown}
        today={dayOf(serverNow())}
        lookOf={(day) => {
          const note = noteOf(day);
          const isOff = !offered.has(day);
          return {
            name: [calendarDay(day), note].filter(Boolean).join(' '),
            title: note,
            isClosed: isOff,
            isOff,
            isChosen: day === value,
            content: <span data-noted={(note !== undefined && !isOff) || undefined}>{dateOf(day)}</span>,
          };
        }}
        onPress={onChoose}
      />
      {noted.length === 0 ? null : (
        <ul className="note">
          {noted.map(({ day, note }) => (
            <li key={day}>{SCHEDULE_MESSAGES.dateOf(dateOf(day), note)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
