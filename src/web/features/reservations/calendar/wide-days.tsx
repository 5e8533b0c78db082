import type { KeyboardEvent } from 'react';
import { CALENDAR_ITEMS } from '#contract/sending/reservations-names.ts';
import { moveFault, nextMove, onDay, RESERVATION_FAULT_MESSAGES } from '#domain/sending/reservation-window.ts';
import { dateOf } from '#domain/time/calendar.ts';
import { calendarDay } from '#domain/time/calendar-names.ts';
import { monthAndDate } from '#domain/time/shown-time.ts';
import { dayOf } from '#domain/time/tokyo-time.ts';
import { DayGrid } from '#web/components/day-grid/day-grid.tsx';
import { serverNow } from '#web/lib/api/server-clock.ts';
import { useClosedDays } from '#web/lib/data/group-rules.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { useMedia } from '#web/lib/screen/narrow-screen.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { May } from '#web/lib/session/use-may.ts';
import type { CalendarItem } from '../reservation-queries.ts';
import styles from './calendar.module.css';
import {
  DayFigure,
  DayItems,
  dayName,
  isClosed,
  isMovable,
  itemText,
  lookOf,
  overText,
  type ShownDays,
  type Span,
  sendAtOf,
} from './day-items.tsx';
import { useItemDrag } from './use-item-drag.ts';
import { CALENDAR_MESSAGES as messages } from './words.ts';

interface Props extends ShownDays {
  readonly span: Span;
  /** `YYYY-MM`. Days of other months are dimmed. */
  readonly month: string;
  readonly onMove: (id: number, sendAt: number) => void;
}

/** Below this width a cell of a month shows two reservations of two lines instead of three of one line. */
const TIGHT = '(width <= 1280px)';
/** The maximum lines of a cell. A week has space for all reservations that the server returns for a day. */
const LINES = { month: 3, tight: 2, week: CALENDAR_ITEMS + 1 };

/** Shows a month or week as a grid. Reservations can be dragged, or moved by keys, to another day. */
export function WideDays({ span, month, weeks, active, today, byDay, isBusy, onChoose, onMove, ...links }: Props) {
  function move(item: CalendarItem, day: string): void {
    if (day === dayOf(sendAtOf(item))) return;
    const fault = moveFault(sendAtOf(item), day, serverNow());
    if (fault === null) onMove(item.id, onDay(sendAtOf(item), day));
    else toast('warning', RESERVATION_FAULT_MESSAGES[fault]);
  }
  const { drag, onPress } = useItemDrag(move);
  const closedOn = useClosedDays(drag?.item.group.id);
  const look = useMedia(TIGHT) && span === 'month' ? 'tight' : span;

  function onShift(item: CalendarItem, step: 1 | -1): void {
    const day = isMovable(item) ? nextMove(sendAtOf(item), step, serverNow()) : null;
    if (day !== null) onMove(item.id, onDay(sendAtOf(item), day));
    else toast('warning', isMovable(item) ? RESERVATION_FAULT_MESSAGES.out_of_window : messages.noMove);
  }

  const dropOn = (day: string): Drop | null =>
    drag === null ? null : dropOf(drag.item, day, closedOn(day)?.text ?? null, isClosed(day, byDay.get(day)));
  const target = drag === null || drag.day === null ? null : dropOn(drag.day);

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it */}
      <div
        className={`surface ${styles.scroller}`}
        data-scroller
        data-look={look}
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
            const drop = dropOn(day);
            const over = of === undefined ? '' : overText(of, today);
            return {
              ...lookOf({ byDay, today }, day),
              isBeside: span === 'month' && !day.startsWith(month),
              content: (
                <div
                  className={styles.day}
                  data-drop={drop?.kind}
                  data-takes={drop !== null && drag?.day === day ? drop.takes : undefined}
                >
                  <DayHead day={day} of={of} today={today} />
                  {over === '' ? null : <p className={styles.over}>{over}</p>}
                  {of === undefined ? null : (
                    <DayItems
                      {...links}
                      of={of}
                      lines={LINES[look] - (over === '' ? 0 : 1)}
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
      <May call="updateReservation">
        <p className={`note ${styles.help}`}>{messages.help}</p>
      </May>
      {drag === null ? null : <Ghost drag={drag} target={target} />}
    </>
  );
}

/** What a drop of the dragged reservation on a day would do. */
interface Drop {
  readonly kind: 'far' | 'closed' | 'open';
  readonly takes: boolean;
  readonly text: string | null;
}

/**
 * Returns what a drop on a day would do, and why; null: the reservation is on that day.
 * @param closed why its group sends nothing on that day; null: it sends
 * @param isClosedForAll no group sends on that day
 */
function dropOf(item: CalendarItem, day: string, closed: string | null, isClosedForAll: boolean): Drop | null {
  if (day === dayOf(sendAtOf(item))) return null;
  const fault = moveFault(sendAtOf(item), day, serverNow());
  const isFar = fault !== null && fault !== 'weekend';
  return {
    kind: isFar ? 'far' : fault !== null || closed !== null || isClosedForAll ? 'closed' : 'open',
    takes: fault === null,
    text: fault === null ? closed && asMessage(closed) : RESERVATION_FAULT_MESSAGES[fault],
  };
}

/** Shows the dragged reservation at the pointer, and what a drop on the day below would do. */
function Ghost({ drag, target }: { readonly drag: Drag; readonly target: Drop | null }) {
  return (
    <div className={`floats ${styles.ghost}`} style={{ left: drag.x, top: drag.y, width: drag.width }} aria-hidden>
      <p className="cut">{itemText(drag.item)}</p>
      {target === null || drag.day === null ? null : (
        <>
          <p className="note" data-state={target.kind === 'open' ? undefined : 'look'}>
            {target.text ?? messages.to(calendarDay(drag.day))}
          </p>
          <p className="note">{target.takes ? messages.drop : messages.noDrop}</p>
        </>
      )}
    </div>
  );
}

type Drag = NonNullable<ReturnType<typeof useItemDrag<CalendarItem>>['drag']>;

interface HeadProps extends Pick<ShownDays, 'today'> {
  readonly day: string;
  readonly of: ReturnType<ShownDays['byDay']['get']>;
}

function DayHead({ day, of, today }: HeadProps) {
  return (
    <div className={styles.head} aria-hidden>
      <span className={styles.number}>{numberOf(day)}</span>
      <span className={`cut ${styles.name}`} title={dayName(of)}>
        {dayName(of)}
      </span>
      {of === undefined ? null : <DayFigure of={of} today={today} />}
    </div>
  );
}

/** Returns the number of a day; the first of a month includes the month. */
const numberOf = (day: string): string => (day.endsWith('-01') ? monthAndDate(day) : String(dateOf(day)));

/** Moves the focus from a day to its first reservation at Enter. */
function enterDay(event: KeyboardEvent<HTMLElement>): void {
  const { key, target } = event;
  if (key !== 'Enter' || !(target instanceof HTMLTableCellElement)) return;
  // Otherwise the same key would open the newly focused reservation.
  event.preventDefault();
  target.querySelector<HTMLElement>('a')?.focus();
}
