import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react';
import { addDays, addMonths, WEEKDAYS } from '#domain/time/calendar.ts';
import { ROLES } from '../data-table/roles.ts';
import { SCHEDULE_MESSAGES } from '../schedule/words.ts';
import styles from './day-grid.module.css';

/** The appearance of a day in a grid. */
export interface DayLook {
  /** The accessible name, which replaces the day's content for screen readers. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly isClosed: boolean;
  /** It takes the focus, but no press. */
  readonly isOff?: boolean;
  /** The details below the grid describe this day. */
  readonly isChosen?: boolean;
  /** The day belongs to the previous or the next month. */
  readonly isBeside?: boolean;
  readonly content: ReactNode;
}

interface Props {
  readonly label: string;
  /** Weeks from Monday on; null: a blank cell. */
  readonly weeks: readonly (readonly (string | null)[])[];
  /** The day in the Tab order. Of several grids only one has it. */
  readonly active: string;
  readonly today: string;
  readonly lookOf: (day: string) => DayLook;
  /** Makes days buttons. Absent: only their content can be pressed. */
  readonly onPress?: (day: string) => void;
  readonly isBusy?: boolean;
  readonly className?: string | undefined;
}

const HEADS = [...WEEKDAYS.slice(1), WEEKDAYS[0]];

/** Shows days by week, from Monday (WAI-ARIA grid). `useDayKeys` on the element around it moves between the days. */
export function DayGrid({ label, weeks, active, today, lookOf, onPress, isBusy = false, className = '' }: Props) {
  return (
    <table
      role={ROLES.table}
      aria-label={label}
      aria-busy={isBusy}
      className={`${styles.grid} ${className}`}
      data-pressed={onPress !== undefined || undefined}
    >
      <thead>
        <tr>
          {HEADS.map((weekday) => (
            <th key={weekday} scope="col" abbr={SCHEDULE_MESSAGES.weekday(weekday)}>
              {weekday}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week.find((day) => day !== null)}>
            {week.map((day, place) =>
              day === null ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: blank cells have no other name
                <td key={place} role={ROLES.cell} />
              ) : (
                <Day
                  key={day}
                  day={day}
                  look={lookOf(day)}
                  isActive={day === active}
                  isToday={day === today}
                  onPress={onPress}
                />
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  readonly day: string;
  readonly look: DayLook;
  readonly isActive: boolean;
  readonly isToday: boolean;
  readonly onPress: Props['onPress'] | undefined;
}

function Day({ day, look, isActive, isToday, onPress }: DayProps) {
  const { name, title, isClosed, isBeside = false, isOff, isChosen, content } = look;
  const stop = {
    'data-stop': day,
    'aria-current': isToday ? ('date' as const) : undefined,
    tabIndex: isActive ? 0 : -1,
  };
  const cell = { 'data-day': day, 'data-closed': isClosed || undefined, 'data-beside': isBeside || undefined };
  const read = <span className="visually-hidden">{name}</span>;
  return onPress === undefined ? (
    <td role={ROLES.cell} {...cell} {...stop} title={title}>
      {read}
      {content}
    </td>
  ) : (
    <td role={ROLES.cell} {...cell}>
      <button
        type="button"
        {...stop}
        aria-pressed={isChosen}
        aria-disabled={isOff}
        title={title}
        onClick={() => isOff || onPress(day)}
      >
        {read}
        <span aria-hidden className={styles.look}>
          {content}
        </span>
      </button>
    </td>
  );
}

/** Returns the day that a key leads to; undefined: the grid ignores the key. */
function dayAt(key: string, from: string, today: string): string | undefined {
  switch (key) {
    case 'ArrowLeft':
      return addDays(from, -1);
    case 'ArrowRight':
      return addDays(from, 1);
    case 'ArrowUp':
      return addDays(from, -7);
    case 'ArrowDown':
      return addDays(from, 7);
    case 'PageUp':
      return addMonths(from, -1);
    case 'PageDown':
      return addMonths(from, 1);
    case 'Home':
      return today;
    default:
      return undefined;
  }
}

/**
 * Moves the focus in day grids: arrows by day and week, PageUp and PageDown by month, Home to today.
 * @param onGo gets the day, which the grids then show. isLeap: show its month, even if the day is already on screen
 * @param within returns the nearest day that may be shown; absent: any
 */
export function useDayKeys(
  today: string,
  onGo: (day: string, isLeap: boolean) => void,
  within = (day: string): string => day,
) {
  const root = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  // The day may only exist after a later render.
  useEffect(() => {
    if (wanted.current === null) return;
    const stop = root.current?.querySelector<HTMLElement>(`[data-stop="${wanted.current}"]`);
    if (!stop) return;
    wanted.current = null;
    stop.focus();
  });
  return {
    ref: root,
    onKeyDown(event: KeyboardEvent<HTMLElement>): void {
      const { key, altKey, ctrlKey, metaKey, shiftKey, defaultPrevented } = event;
      if (defaultPrevented || altKey || ctrlKey || metaKey || shiftKey) return;
      const from = (event.target as HTMLElement).closest<HTMLElement>('td[data-day]')?.dataset.day;
      const to = from === undefined ? undefined : dayAt(key, from, today);
      if (to === undefined) return;
      const day = within(to);
      event.preventDefault();
      wanted.current = day;
      onGo(day, !key.startsWith('Arrow'));
    },
  };
}
