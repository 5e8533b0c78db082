import { useId } from 'react';
import { addDays, isDay } from '#domain/time/calendar.ts';
import control from '#web/components/field/field.module.css';
import { RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import bounds from '../filter/range-field.module.css';
import { FILTER_MESSAGES } from '../filter/words.ts';
import { PART_OF_DAY, readOwnBounds, type TypedBounds } from './own-draft.ts';
import styles from './own-filter.module.css';
import { OWN_LIST_MESSAGES } from './words.ts';

const { fields: messages } = OWN_LIST_MESSAGES;

interface RangeProps {
  readonly type: 'number' | 'date';
  readonly label: string;
  readonly wanted: TypedBounds;
  readonly onChange: (wanted: TypedBounds) => void;
}

/** Shows two bounds: of numbers exclusive, as those of other columns; of days the first and the last. */
export function OwnRange({ type, label, wanted, onChange }: RangeProps) {
  const noteId = useId();
  const read = readOwnBounds(wanted);
  const fault = read.from.fault ?? read.to.fault;
  const Bound = type === 'date' ? DayBound : NumberBound;
  const bound = (side: 'from' | 'to') => (
    <Bound
      side={side}
      label={label}
      value={wanted[side] ?? ''}
      faultId={read[side].fault === undefined ? undefined : noteId}
      onChange={(value) => onChange({ ...wanted, [side]: value })}
    />
  );
  return (
    <div>
      <div className={`${bounds.bounds} ${styles[type]}`}>
        {bound('from')}
        <span className={bounds.between}>{type === 'date' ? RANGE_SEPARATOR : FILTER_MESSAGES.above}</span>
        {bound('to')}
        {type === 'date' ? null : <span className={bounds.between}>{FILTER_MESSAGES.below}</span>}
      </div>
      {fault === undefined ? null : (
        <span id={noteId} className={control.error}>
          {type === 'date'
            ? messages.day[fault === 'nothing_between' ? fault : 'not_a_number']
            : messages.number[fault]}
        </span>
      )}
    </div>
  );
}

interface BoundProps {
  readonly side: 'from' | 'to';
  readonly label: string;
  /** As typed. */
  readonly value: string;
  readonly faultId: string | undefined;
  readonly onChange: (value: string) => void;
}

const NumberBound = ({ side, label, value, faultId, onChange }: BoundProps) => (
  <input
    type="text"
    className={control.control}
    aria-label={FILTER_MESSAGES[side](label)}
    aria-invalid={faultId !== undefined || undefined}
    aria-describedby={faultId}
    autoComplete="off"
    maxLength={64}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  />
);

/** The day before the first one, and the day after the last one, bound what is found. */
function DayBound({ side, label, value, faultId, onChange }: BoundProps) {
  const outwards = side === 'from' ? -1 : 1;

  function read({ value: day, validity }: HTMLInputElement): void {
    const next = day === '' ? '' : addDays(day, outwards);
    const isWhole = day === '' ? !validity.badInput : isDay(next);
    if (next !== value || !isWhole) onChange(isWhole ? next : PART_OF_DAY);
  }

  return (
    <input
      type="date"
      className={control.control}
      aria-label={(side === 'from' ? messages.fromDay : messages.toDay)(label)}
      aria-invalid={faultId !== undefined || undefined}
      aria-describedby={faultId}
      max="9999-12-30"
      value={isDay(value) ? addDays(value, -outwards) : ''}
      onChange={({ target }) => read(target)}
      // Browsers tell nothing of a day that is typed in part.
      onBlur={({ target }) => read(target)}
    />
  );
}
