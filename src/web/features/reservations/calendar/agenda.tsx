import { useQuery } from '@tanstack/react-query';
import { dateOf } from '#domain/time/calendar.ts';
import { calendarDay } from '#domain/time/calendar-names.ts';
import { dayOf, parseDateTime } from '#domain/time/tokyo-time.ts';
import { DayGrid } from '#web/components/day-grid/day-grid.tsx';
import { given, RESERVATIONS, reservationsPath } from '#web/lib/address/params.ts';
import { useAddress } from '#web/lib/address/use-address.ts';
import { Link } from '#web/lib/router/link.tsx';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { type CalendarDay, reservationPage } from '../reservation-queries.ts';
import styles from './calendar.module.css';
import {
  countOf,
  DayFigure,
  dayName,
  ItemCard,
  isClosed,
  lookOf,
  MoreLink,
  overText,
  type ShownDays,
} from './day-items.tsx';
import { CALENDAR_MESSAGES as messages } from './words.ts';

interface Props extends ShownDays {
  /** The group whose reservations are shown; undefined: all groups. */
  readonly group: number | undefined;
}

/** Shows a strip of days, above the cards of the chosen day and the days after it. */
export function Agenda({ group, weeks, active, today, byDay, isBusy, pathOf, listOf, onChoose }: Props) {
  const days = weeks
    .flat()
    .filter((day) => day !== null)
    .filter((day) => day >= active);
  const isListed = (of: CalendarDay) => of.day === active || countOf(of) > 0 || dayName(of) !== '';
  const listed = days.flatMap((day) => byDay.get(day) ?? []).filter(isListed);
  return (
    <>
      <p className={`note ${styles.real}`}>{messages.phoneHelp}</p>
      <div className={`surface ${styles.strip}`}>
        <DayGrid
          label={messages.label}
          weeks={weeks}
          active={active}
          today={today}
          isBusy={isBusy}
          lookOf={(day) => ({
            ...lookOf({ byDay, today }, day),
            isChosen: day === active,
            content: <StripDay day={day} of={byDay.get(day)} isOver={isOver(byDay.get(day), today)} />,
          })}
          onPress={onChoose}
        />
      </div>
      <div className={styles.agenda}>
        {listed.map((of) => (
          <section key={of.day} data-day={of.day} aria-label={calendarDay(of.day)}>
            <h3 className={styles.heading}>
              <span>{calendarDay(of.day)}</span>
              <span className={styles.name}>{dayName(of)}</span>
              <DayFigure of={of} today={today} />
            </h3>
            {overText(of, today) === '' ? null : <p className={styles.over}>{overText(of, today)}</p>}
            {countOf(of) === 0 && of.day === active ? <NoneOf day={active} group={group} onChoose={onChoose} /> : null}
            <ul className="stack-tight">
              {of.items.map((item) => (
                <ItemCard key={item.id} item={item} pathOf={pathOf} />
              ))}
            </ul>
            <MoreLink to={listOf(of.day)} day={of.day} rest={of.more} />
          </section>
        ))}
      </div>
    </>
  );
}

const isOver = (of: CalendarDay | undefined, today: string): boolean => of !== undefined && overText(of, today) !== '';

interface NoneProps extends Pick<ShownDays, 'onChoose'> {
  readonly day: string;
  readonly group: number | undefined;
}

/** Links from a day without reservations to the next pending one. */
function NoneOf({ day, group, onChoose }: NoneProps) {
  const [choice] = useAddress(RESERVATIONS);
  const order = { sort: 'send_at', order: 'asc', pagenate_num: 1, pagenate_count: 20 } as const;
  const query = { state: 'pending', test_send_mode: 0, from: day, sender_group_id: group, ...order } as const;
  const { data } = useQuery(reservationPage(given(query)));
  const next = data?.rows[0]?.send_at;
  const instant = next === undefined ? null : parseDateTime(next);
  return (
    <p className="note">
      {messages.noneOf}{' '}
      {instant === null ? null : (
        <Link to={reservationsPath({ ...choice, date: dayOf(instant) })} onClick={() => onChoose(dayOf(instant))}>
          {messages.nextOne(sentenceTime(instant))}
        </Link>
      )}
    </p>
  );
}

interface StripProps {
  readonly day: string;
  readonly of: CalendarDay | undefined;
  readonly isOver: boolean;
}

function StripDay({ day, of, isOver }: StripProps) {
  const reservations = of === undefined ? 0 : countOf(of);
  const { closing_day, holiday } = messages.closed;
  const off = of === undefined || !isClosed(day, of) ? '' : of.closing_day ? closing_day : of.holiday ? holiday : '';
  const mark = isOver ? messages.overMark : reservations > 0 ? messages.short(reservations) : off;
  return (
    <>
      <span>{dateOf(day)}</span>
      <small
        className={styles.mark}
        data-any={(reservations > 0 && !isOver) || undefined}
        data-over={isOver || undefined}
      >
        {mark}
      </small>
    </>
  );
}
