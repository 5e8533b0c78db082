import type { ComponentProps, KeyboardEvent, PointerEvent } from 'react';
import { isWeekend } from '#domain/time/calendar.ts';
import { calendarDay } from '#domain/time/calendar-names.ts';
import { clockInSentence } from '#domain/time/shown-time.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useMay } from '#web/lib/session/use-may.ts';
import { ReservationBadge, STATE_LOOKS } from '../reservation-badge.tsx';
import type { CalendarDay, CalendarItem } from '../reservation-queries.ts';
import { ALL_RESERVATIONS_MESSAGES } from '../words.ts';
import styles from './calendar.module.css';
import { CALENDAR_MESSAGES as messages } from './words.ts';

/** Whether a reservation can be moved: one that is pending, held or missed. */
export const isMovable = ({ state }: CalendarItem): boolean => ['pending', 'held', 'missed'].includes(state);

export const sendAtOf = ({ send_at }: CalendarItem): number => parseDateTime(send_at) ?? 0;

const timeOf = (item: CalendarItem): string => clockInSentence(sendAtOf(item));

export type Span = 'month' | 'week';

/** The days on screen, with their data. */
export interface ShownDays {
  readonly weeks: readonly (readonly (string | null)[])[];
  /** The day that has or gets the focus. */
  readonly active: string;
  readonly today: string;
  readonly byDay: ReadonlyMap<string, CalendarDay>;
  /** Whether days may still be missing. */
  readonly isBusy: boolean;
  /** Returns the address of one reservation. */
  readonly pathOf: (id: number) => string;
  /** Returns the address of a day's list. */
  readonly listOf: (day: string) => string;
  readonly onChoose: (day: string) => void;
}

/** Returns the name of a holiday or closing day; '': it is neither, or unknown. */
export const dayName = (of: CalendarDay | undefined): string => of?.closing_day ?? of?.holiday ?? '';

/** Whether the rules close a day: a holiday alone does not. */
export const isClosed = (day: string, of: CalendarDay | undefined): boolean =>
  of === undefined ? isWeekend(day) : of.is_open === 0;

export const countOf = ({ items, more }: CalendarDay): number => items.length + more;

/** Returns a day's number of mails: those sent, and from today on the planned ones. */
const mailsOf = ({ day, planned, sent }: CalendarDay, today: string): number => (day < today ? sent : planned + sent);

/** Returns the mails of a day in words; '': none. */
function figureText(of: CalendarDay, today: string): string {
  const all = mailsOf(of, today);
  if (all === 0) return '';
  if (of.day < today) return messages.sent(all);
  return of.limit === null ? messages.planned(all) : messages.ofLimit(all, of.limit);
}

/** Returns what happens to the mails above a day's limit; '': there are none. */
export function overText(of: CalendarDay, today: string): string {
  const over = of.limit === null || of.day < today ? 0 : mailsOf(of, today) - of.limit;
  return over > 0 ? messages.over(over) : '';
}

/** Returns how a day looks in a grid, apart from its content. */
export function lookOf({ byDay, today }: Pick<ShownDays, 'byDay' | 'today'>, day: string) {
  const of = byDay.get(day);
  const known =
    of === undefined
      ? []
      : [dayName(of), figureText(of, today), overText(of, today), messages.reservations(countOf(of))];
  const name = [calendarDay(day), ...known].filter((text) => text !== '').join(LIST_SEPARATOR);
  return { name, isClosed: isClosed(day, of) };
}

/** Returns a reservation in one line, which follows the pointer during a drag. */
export const itemText = (item: CalendarItem): string => messages.moved(timeOf(item), item.subject);

/** Shows the number of a day's mails, with a bar for its share of the account's limit. */
export function DayFigure({ of, today }: { readonly of: CalendarDay; readonly today: string }) {
  const text = figureText(of, today);
  if (text === '') return null;
  const { day, limit } = of;
  const part = limit === null || day < today ? null : mailsOf(of, today) / limit;
  const over = overText(of, today);
  return (
    <span className={styles.figure} data-over={over !== '' || undefined} title={over || undefined}>
      {text}
      {part === null ? null : (
        <span className={styles.bar} aria-hidden>
          <span style={{ width: `${Math.min(part, 1) * 100}%` }} />
        </span>
      )}
    </span>
  );
}

/** The actions on a reservation of a day. */
interface ItemActs extends Pick<ShownDays, 'pathOf' | 'listOf'> {
  readonly onPress: (event: PointerEvent<HTMLElement>, item: CalendarItem) => void;
  readonly onShift: (item: CalendarItem, step: 1 | -1) => void;
  /** The item that is being dragged. */
  readonly dragged: number | undefined;
}

interface ItemsProps extends ItemActs {
  readonly of: CalendarDay;
  /** The maximum number of lines, including the one that counts the rest. */
  readonly lines: number;
  /** Whether its reservations are in the Tab order. */
  readonly isActive: boolean;
}

/** Moves up and down among the reservations of a day; Escape returns to the day. */
function goWithin(event: KeyboardEvent<HTMLElement>): void {
  const cell = event.currentTarget.closest<HTMLElement>('td');
  const links = [...(cell?.querySelectorAll<HTMLElement>('a') ?? [])];
  const place = links.indexOf(event.currentTarget);
  const next = { ArrowUp: links[place - 1] ?? cell, ArrowDown: links[place + 1], Escape: cell }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/** Shows the reservations of a day in a cell. */
export function DayItems({ of, lines, isActive, dragged, ...acts }: ItemsProps) {
  const { day, items, more } = of;
  const total = items.length + more;
  const shown = total > lines ? items.slice(0, lines - 1) : items;
  const hidden = total - shown.length;
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      {shown.map((item) => (
        <ItemLink key={item.id} item={item} tabIndex={tabIndex} isDragged={dragged === item.id} {...acts} />
      ))}
      <MoreLink to={acts.listOf(day)} day={day} rest={hidden} tabIndex={tabIndex} onKeyDown={goWithin} />
    </>
  );
}

interface MoreProps extends ComponentProps<typeof Link> {
  readonly day: string;
  /** The number of reservations of the day that are not shown. */
  readonly rest: number;
}

/** Links to the list of a day that has more reservations than are shown. */
export function MoreLink({ day, rest, ...link }: MoreProps) {
  if (rest === 0) return null;
  return (
    <Link {...link} className={styles.more}>
      <span className="visually-hidden">{messages.allOf(calendarDay(day))} </span>
      {messages.more(rest)}
    </Link>
  );
}

interface ItemProps extends Omit<ItemActs, 'dragged' | 'listOf'> {
  readonly item: CalendarItem;
  readonly tabIndex: number;
  readonly isDragged: boolean;
}

function ItemLink({ item, tabIndex, isDragged, pathOf, onPress, onShift }: ItemProps) {
  const { id, subject, group, targets, state } = item;
  const { tone, Icon } = STATE_LOOKS[state];
  const may = useMay('updateReservation', { groupId: group.id });
  const canMove = may && isMovable(item);
  const word = ALL_RESERVATIONS_MESSAGES.states[state];
  function onKeyDown(event: KeyboardEvent<HTMLAnchorElement>): void {
    const step = { ArrowLeft: -1 as const, ArrowRight: 1 as const }[event.key];
    if (event.shiftKey && step !== undefined) {
      event.preventDefault();
      if (may) onShift(item, step);
    } else goWithin(event);
  }
  return (
    <Link
      to={pathOf(id)}
      draggable={false}
      tabIndex={tabIndex}
      aria-keyshortcuts={canMove ? 'Shift+ArrowLeft Shift+ArrowRight' : undefined}
      title={messages.item(subject, word)}
      className={`tone ${styles.item}`}
      data-tone={tone}
      data-item={id}
      data-movable={canMove || undefined}
      data-dragged={isDragged || undefined}
      onPointerDown={canMove ? (event) => onPress(event, item) : undefined}
      onKeyDown={onKeyDown}
    >
      <span className={styles.time}>
        {/* Hidden for pending items, which are the most: their other parts show the state. */}
        {state === 'pending' ? null : <Icon size={14} aria-hidden />}
        {timeOf(item)}
      </span>{' '}
      <span className={styles.subject}>{subject}</span> <span className={styles.group}>{group.group_name}</span>{' '}
      <span className={styles.companies}>{messages.companies(targets)}</span>{' '}
      <span className="visually-hidden">{word}</span>
    </Link>
  );
}

/** Shows a reservation on a phone as a card that opens it. */
export function ItemCard({ item, pathOf }: Pick<ItemProps, 'item' | 'pathOf'>) {
  return (
    <li>
      <Link to={pathOf(item.id)} data-item={item.id} className={`surface ${styles.card}`}>
        <span className={styles.time}>{timeOf(item)}</span>
        <span className={styles.subject}>{item.subject}</span>
        <span className={`row ${styles.below}`}>
          {item.group.group_name} {messages.companies(item.targets)} <ReservationBadge state={item.state} />
        </span>
      </Link>
    </li>
  );
}
