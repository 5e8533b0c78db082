import { DayGrid } from '#web/components/day-grid/day-grid.tsx';
import { dayWithWeekday } from '#web/lib/with-weekday.ts';
import type { CalendarDay } from '../reservation-queries.ts';
import styles from './calendar.module.css';
import { countOf, DayFigure, dayName, ItemCard, isClosed, lookOf, MoreLink, type ShownDays } from './day-items.tsx';
import { CALENDAR_MESSAGES as messages } from './words.ts';

/** Days in a strip, above the cards of the chosen one and of those after it. */
export function Agenda({ weeks, active, today, byDay, isBusy, pathOf, listOf, onChoose }: ShownDays) {
  const days = weeks
    .flat()
    .filter((day) => day !== null)
    .filter((day) => day >= active);
  const isListed = (of: CalendarDay) => of.day === active || countOf(of) > 0 || dayName(of) !== '';
  const listed = days.flatMap((day) => byDay.get(day) ?? []).filter(isListed);
  return (
    <>
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
            content: <StripDay day={day} of={byDay.get(day)} />,
          })}
          onPress={onChoose}
        />
      </div>
      <div className={styles.agenda}>
        {listed.map((of) => (
          <section key={of.day} data-day={of.day} aria-label={dayWithWeekday(of.day)}>
            <h3 className={styles.heading}>
              <span>{dayWithWeekday(of.day)}</span>
              <span className={styles.name}>{dayName(of)}</span>
              <DayFigure of={of} today={today} />
            </h3>
            {of.items.length === 0 && dayName(of) === '' ? <p className="note">{messages.noneOf}</p> : null}
            <ul className="stack-tight">
              {of.items.map((item) => (
                <ItemCard key={item.id} item={item} pathOf={pathOf} />
              ))}
            </ul>
            <MoreLink to={listOf(of.day)} day={of.day} rest={of.more} />
          </section>
        ))}
      </div>
      <p className="note">{messages.phoneHelp}</p>
    </>
  );
}

function StripDay({ day, of }: { readonly day: string; readonly of: CalendarDay | undefined }) {
  const reservations = of === undefined ? 0 : countOf(of);
  const isOff = isClosed(day, of) && dayName(of) !== '';
  const mark = reservations > 0 ? messages.short(reservations) : isOff ? messages.closed : '';
  return (
    <>
      <span>{Number(day.slice(8))}</span>
      <small className={styles.mark} data-any={reservations > 0 || undefined}>
        {mark}
      </small>
    </>
  );
}
