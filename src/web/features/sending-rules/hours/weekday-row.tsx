import { useId } from 'react';
import { WEEKDAYS } from '#domain/time/calendar.ts';
import { formatTimeOfDay } from '#domain/time/tokyo-time.ts';
import { Button } from '#web/components/button.tsx';
import field from '#web/components/field/field.module.css';
import { RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import styles from './hours.module.css';
import { DAY_MINUTES, readSpans, type Span, STEP_MINUTES, splitOrJoin, writeSpans } from './hours-form.ts';
import { HOURS_MESSAGES as messages } from './words.ts';

/** The times that can be chosen, including midnight at the end of the day. */
const TIMES = Array.from({ length: DAY_MINUTES / STEP_MINUTES + 1 }, (_, place) => place * STEP_MINUTES);
const OPENING_TIMES = TIMES.slice(0, -1);
const CLOSING_TIMES = TIMES.slice(1);

interface Props {
  readonly weekday: number;
  /** The weekday's periods as a string. */
  readonly written: string;
  /** The periods that it gets when it is ticked. */
  readonly spansWhenTicked: string;
  readonly fault: string | undefined;
  readonly onChange: (written: string) => void;
}

/** Shows a weekday with no, one or two periods. */
export function WeekdayRow({ weekday, written, spansWhenTicked, fault, onChange }: Props) {
  const id = useId();
  const day = WEEKDAYS[weekday] ?? '';
  const isTicked = written !== '';
  return (
    <li className={styles.day}>
      <label className="line">
        <input
          type="checkbox"
          checked={isTicked}
          aria-label={messages.weekday(day)}
          aria-invalid={(fault !== undefined && !isTicked) || undefined}
          aria-describedby={fault === undefined ? undefined : id}
          onChange={({ target }) => onChange(target.checked ? spansWhenTicked : '')}
        />
        {day}
      </label>
      <Spans id={id} name={messages.weekday(day)} written={written} fault={fault} onChange={onChange} />
    </li>
  );
}

/** Shows the one line of Monday to Friday, which have the same times. */
export function WorkdaysRow({ written, fault, onChange }: Pick<Props, 'written' | 'fault' | 'onChange'>) {
  const id = useId();
  return (
    <div className={styles.day}>
      <span className="line">{messages.workdays}</span>
      <Spans id={id} name={messages.workdays} written={written} fault={fault} onChange={onChange} />
    </div>
  );
}

interface SpansProps extends Pick<Props, 'written' | 'fault' | 'onChange'> {
  /** The id of the error. */
  readonly id: string;
  /** The name of the day or days. */
  readonly name: string;
}

/** Shows the one or two times of a day, the button that splits or joins them, and their error. */
function Spans({ id, name, written, fault, onChange }: SpansProps) {
  const spans = readSpans(written);
  const faultId = fault === undefined ? undefined : id;
  const act = spans.length === 1 ? messages.split : messages.join;
  const isShort = useNarrowScreen() && spans.length === 1;
  const put = (place: number, part: Partial<Span>) =>
    onChange(writeSpans(spans.map((span, at) => (at === place ? { ...span, ...part } : span))));
  return (
    <div className={styles.spans}>
      {spans.length === 0 ? <span className="note">{messages.closed}</span> : null}
      {spans.map((span, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second time of a day
        <span key={place} className={styles.span}>
          <Time
            name={messages.opens(name, place)}
            times={OPENING_TIMES}
            value={span.opens}
            faultId={faultId}
            onChange={(opens) => put(place, { opens })}
          />
          {RANGE_SEPARATOR}
          <Time
            name={messages.closes(name, place)}
            times={CLOSING_TIMES}
            value={span.closes}
            faultId={faultId}
            onChange={(closes) => put(place, { closes })}
          />
        </span>
      ))}
      {spans.length === 0 ? null : (
        <Button
          variant="quiet"
          aria-label={messages.ofDay(name, act)}
          onClick={() => onChange(writeSpans(splitOrJoin(spans)))}
        >
          {isShort ? messages.splitShort : act}
        </Button>
      )}
      {fault === undefined ? null : (
        <span id={id} className={`${field.error} ${styles.fault}`}>
          {fault}
        </span>
      )}
    </div>
  );
}

interface TimeProps {
  readonly name: string;
  readonly times: readonly number[];
  /** Minutes since midnight. */
  readonly value: number;
  readonly faultId: string | undefined;
  readonly onChange: (value: number) => void;
}

const Time = ({ name, times, value, faultId, onChange }: TimeProps) => (
  <select
    className={field.control}
    aria-label={name}
    aria-invalid={faultId === undefined ? undefined : true}
    aria-describedby={faultId}
    value={value}
    onChange={({ target }) => onChange(Number(target.value))}
  >
    {times.map((time) => (
      <option key={time} value={time}>
        {formatTimeOfDay(time)}
      </option>
    ))}
  </select>
);
