import type { KeyboardEvent } from 'react';
import { CALENDAR_ITEMS } from '#contract/reservations-names.ts';
import { moveFault, nextMove, onDay, RESERVATION_FAULT_MESSAGES } from '#domain/sending/reservation-window.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { DayGrid } from '#web/components/day-grid/day-grid.tsx';
import { serverNow } from '#web/lib/server-clock.ts';
import { toast } from '#web/lib/toast.ts';
import type { CalendarItem } from '../reservation-queries.ts';
import styles from './calendar.module.css';
import {
  DayFigure,
  DayItems,
  dayName,
  isClosed,
  isMovable,
  type ShownDays,
  type Span,
  sendAtOf,
  textOf,
} from './day-items.tsx';
import { useItemDrag } from './use-item-drag.ts';
import { CALENDAR_MESSAGES as messages } from './words.ts';

interface Props extends ShownDays {
  readonly span: Span;
  /** `YYYY-MM`: days of other months are beside it. */
  readonly month: string;
  readonly onMove: (id: number, sendAt: number) => void;
}

/** A week has room for all that the server shows of a day. */
const LINES: Readonly<Record<Span, number>> = { month: 3, week: CALENDAR_ITEMS + 1 };

/** A month or week as a grid. Reservations that can be moved are dragged, or shifted by keys, to another day. */
export function WideDays({ span, month, weeks, active, today, byDay, isBusy, onChoose, onMove, ...links }: Props) {
  function move(item: CalendarItem, day: string): void {
    if (day === dayOf(sendAtOf(item))) return;
    const fault = moveFault(sendAtOf(item), day, serverNow());
    if (fault === null) onMove(item.id, onDay(sendAtOf(item), day));
    else toast('warning', RESERVATION_FAULT_MESSAGES[fault]);
  }
  const { drag, onPress } = useItemDrag(move);

  function onShift(item: CalendarItem, step: 1 | -1): void {
    const day = isMovable(item) ? nextMove(sendAtOf(item), step, serverNow()) : null;
    if (day !== null) onMove(item.id, onDay(sendAtOf(item), day));
    else toast('warning', isMovable(item) ? RESERVATION_FAULT_MESSAGES.out_of_window : messages.noMove);
  }

  /** Whether the dragged reservation can be dropped on the day under it. */
  function dropOn(day: string): 'here' | 'no' | undefined {
    if (drag?.day !== day || day === dayOf(sendAtOf(drag.item))) return undefined;
    return moveFault(sendAtOf(drag.item), day, serverNow()) === null ? 'here' : 'no';
  }

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it */}
      <div
        className={`surface ${styles.scroller}`}
        data-scroller
        data-span={span}
        data-dragging={drag !== null || undefined}
        onKeyDown={enterDay}
        onFocus={({ target }) => onChoose(target.closest<HTMLElement>('[data-day]')?.dataset.day ?? active)}
      >
        <DayGrid
          label={messages.label}
          className={styles.days}
          weeks={weeks}
          active={active}
          today={today}
          isBusy={isBusy}
          lookOf={(day) => {
            const of = byDay.get(day);
            return {
              name: textOf(day, of, today),
              isClosed: isClosed(day, of),
              isBeside: span === 'month' && !day.startsWith(month),
              content: (
                <div className={styles.day} data-drop={dropOn(day)}>
                  <div className={styles.head} aria-hidden>
                    <span className={styles.number}>{numberOf(day)}</span>
                    <span className={`cut ${styles.name}`} title={dayName(of)}>
                      {dayName(of)}
                    </span>
                    {of === undefined ? null : <DayFigure of={of} today={today} />}
                  </div>
                  {of === undefined ? null : (
                    <DayItems
                      {...links}
                      of={of}
                      lines={LINES[span]}
                      isActive={day === active}
                      dragged={drag?.item.id}
                      onPress={onPress}
                      onShift={onShift}
                    />
                  )}
                </div>
              ),
            };
          }}
        />
      </div>
      <p className={`note ${styles.help}`}>{messages.help}</p>
      {drag === null ? null : (
        <div className={`floats ${styles.ghost}`} style={{ left: drag.x, top: drag.y, width: drag.width }} aria-hidden>
          {drag.text}
        </div>
      )}
    </>
  );
}

/** The first of a month says which. */
const numberOf = (day: string): string =>
  day.endsWith('-01') ? messages.firstDay(Number(day.slice(5, 7))) : String(Number(day.slice(8)));

/** Enter on a day goes to its first reservation. */
function enterDay(event: KeyboardEvent<HTMLElement>): void {
  const { key, target } = event;
  if (key !== 'Enter' || !(target instanceof HTMLTableCellElement)) return;
  // The key would open what gets the focus.
  event.preventDefault();
  target.querySelector<HTMLElement>('a')?.focus();
}
