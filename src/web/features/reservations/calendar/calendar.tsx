import IconChevronLeft from '@tabler/icons-react/dist/esm/icons/IconChevronLeft.mjs';
import IconChevronRight from '@tabler/icons-react/dist/esm/icons/IconChevronRight.mjs';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import {
  addDays,
  addMonths,
  startOfMonth,
  startOfWeek,
  weeksAround,
  weeksFrom,
  weeksOf,
} from '#domain/time/calendar.ts';
import { monthName, weekName } from '#domain/time/calendar-names.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import { useDayKeys } from '#web/components/day-grid/day-grid.tsx';
import field from '#web/components/field/field.module.css';
import { Segmented } from '#web/components/field/segmented.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { RESERVATIONS, reservationsPath } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { reservationCalendar } from '../reservation-queries.ts';
import { ALL_RESERVATIONS_MESSAGES } from '../words.ts';
import { Agenda } from './agenda.tsx';
import styles from './calendar.module.css';
import type { Span } from './day-items.tsx';
import { WideDays } from './wide-days.tsx';
import { CALENDAR_MESSAGES as messages } from './words.ts';

/** A reservation that has just been moved. */
export interface Landed {
  readonly id: number;
  readonly day: string;
}

interface Props {
  readonly groups: readonly { readonly id: number; readonly group_name: string }[];
  /** Returns the address of one reservation. */
  readonly pathOf: (id: number) => string;
  /** Asks to change a reservation. @param sendAt the same time on another day, epoch milliseconds */
  readonly onMove: (id: number, sendAt: number) => void;
  /** The moved reservation, which gets the focus at its new place. */
  readonly landed: Landed | undefined;
  readonly onFound: () => void;
}

/** Shows the real reservations by day: a grid; on phones a strip of days above cards. */
export default function ReservationCalendar({ groups, pathOf, onMove, landed, onFound }: Props) {
  const [{ group, date, span: asked }, change] = useAddress(RESERVATIONS);
  const isNarrow = useNarrowScreen();
  const today = dayOf(serverNow());
  const span = asked ?? (isNarrow ? 'week' : 'month');
  const shown = date ?? today;
  const weeks = weeksOnScreen(span, shown, isNarrow);
  const days = weeks.flat().filter((day) => day !== null);
  const [chosen, choose] = useState(shown);
  const active = [chosen, shown].find((day) => days.includes(day)) ?? shown;
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const query = { from, to, ...(group !== undefined && { sender_group_id: group }) };
  const { data, isError, error, isPlaceholderData, isFetching, refetch } = useQuery(reservationCalendar(query));

  function go(day: string, isLeap = true): void {
    choose(day);
    if (isLeap || !days.includes(day)) change({ date: day === today ? undefined : day });
  }
  const { ref, onKeyDown } = useDayKeys(today, go);
  useLanding(ref, { landed, isFetching, go, onFound });

  const shownDays = {
    weeks,
    active,
    today,
    byDay: new Map(data?.days.map((day) => [day.day, day])),
    isBusy: data === undefined || isPlaceholderData,
    pathOf,
    listOf: (day: string) => reservationsPath({ group, state: 'all', day }),
    onChoose: choose,
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it
    <div ref={ref} className={`fill ${styles.calendar}`} onKeyDown={onKeyDown}>
      <div className={`row ${styles.tools}`}>
        <Steps span={span} shown={shown} onGo={go} />
        <h2 aria-live="polite" className={styles.title}>
          {span === 'month' ? monthName(shown) : weekName(from, to)}
        </h2>
        <SelectField
          className={`push ${field.inline} ${styles.group}`}
          label={ALL_RESERVATIONS_MESSAGES.group}
          choices={[
            { value: '', label: ALL_RESERVATIONS_MESSAGES.all },
            ...groups.map(({ id, group_name }) => ({ value: String(id), label: group_name })),
          ]}
          value={String(group ?? '')}
          onChange={(value) => change({ group: value })}
        />
        <Segmented
          label={messages.span}
          choices={(['month', 'week'] as const).map((value) => ({ value, label: messages.spans[value] }))}
          value={span}
          onChange={(value) => change({ span: value, date: active === today ? undefined : active })}
        />
      </div>
      {isError && data === undefined ? (
        <LoadFailed what={ALL_RESERVATIONS_MESSAGES.title} error={error} onRetry={() => void refetch()} />
      ) : isNarrow ? (
        <Agenda {...shownDays} group={group} />
      ) : (
        <WideDays {...shownDays} span={span} month={shown.slice(0, 7)} onMove={onMove} />
      )}
    </div>
  );
}

/** Returns the week or the month of a day. On a phone, a month has no days of its neighbours. */
function weeksOnScreen(span: Span, day: string, isNarrow: boolean): (string | null)[][] {
  if (span === 'week') return weeksFrom(day, 1);
  return isNarrow ? weeksOf(day) : weeksAround(day);
}

interface StepsProps {
  readonly span: Span;
  readonly shown: string;
  readonly onGo: (day: string) => void;
}

/** Shows buttons for the previous and the next month or week, and for today. */
function Steps({ span, shown, onGo }: StepsProps) {
  const step = (steps: number) =>
    onGo(span === 'week' ? addDays(startOfWeek(shown), 7 * steps) : addMonths(startOfMonth(shown), steps));
  return (
    <div className="line">
      <Button aria-label={messages.previous[span]} title={messages.previous[span]} onClick={() => step(-1)}>
        <IconChevronLeft size={16} aria-hidden />
      </Button>
      <Button onClick={() => onGo(dayOf(serverNow()))}>{messages.today}</Button>
      <Button aria-label={messages.next[span]} title={messages.next[span]} onClick={() => step(1)}>
        <IconChevronRight size={16} aria-hidden />
      </Button>
    </div>
  );
}

interface Landing extends Pick<Props, 'landed' | 'onFound'> {
  readonly isFetching: boolean;
  readonly go: (day: string, isLeap: boolean) => void;
}

/** Moves the focus to the moved reservation once it is rendered at its new place, otherwise to its day. */
function useLanding(root: RefObject<HTMLElement | null>, { landed, isFetching, go, onFound }: Landing): void {
  const show = useEffectEvent((day: string) => go(day, false));
  const day = landed?.day;
  useEffect(() => {
    if (day !== undefined) show(day);
  }, [day]);
  useEffect(() => {
    if (landed === undefined || isFetching) return;
    const find = (selector: string) => root.current?.querySelector<HTMLElement>(selector);
    const found = find(`[data-day="${landed.day}"] [data-item="${landed.id}"]`) ?? find(`[data-stop="${landed.day}"]`);
    found?.focus();
    // A dialog that is still open keeps the focus.
    if (found && found === document.activeElement) onFound();
  });
}
