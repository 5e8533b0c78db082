import { useId } from 'react';
import { type CandidateDate, candidateDays } from '#domain/sending/candidate-dates.ts';
import type { ClosedDay } from '#domain/sending/off-hours.ts';
import { PICKER_TIMES } from '#domain/sending/picker-window.ts';
import { isWeekend } from '#domain/time/calendar.ts';
import { Button } from '#web/components/button.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { asMessage, RANGE_SEPARATOR } from '#web/lib/phrases.ts';
import { DayField } from './day-field.tsx';
import { dayChoices } from './picker-choices.ts';
import styles from './schedule.module.css';
import type { RowFault } from './schedule.ts';
import { SCHEDULE_MESSAGES } from './words.ts';

const TIMES = PICKER_TIMES.map((value) => ({ value, label: value }));

interface Props {
  /** From 1. */
  readonly number: number;
  readonly row: CandidateDate;
  readonly now: number;
  readonly fault: RowFault | null;
  /** Returns why the group is closed on a day. Such a day is marked, but can be chosen. */
  readonly closedOn: (day: string) => ClosedDay | null;
  readonly onChange: (change: Partial<CandidateDate>) => void;
  /** undefined: the only row cannot be removed. */
  readonly onRemove: (() => void) | undefined;
}

export function CandidateRow({ number, row, now, fault, closedOn, onChange, onRemove }: Props) {
  const faultId = useId();
  const messages = SCHEDULE_MESSAGES;
  const name = messages.candidate(number);
  const closed = fault === null ? closedOn(row.date) : null;
  const faultOf = (field: RowFault['field']) => (fault?.field === field ? { error: true, faultId } : {});
  return (
    <fieldset className={styles.row} aria-label={messages.candidateRow(name)}>
      <DayField
        className={styles.day}
        label={name}
        days={dayChoices(candidateDays(now), row.date)}
        markOf={(day) => (isWeekend(day) ? undefined : closedOn(day)?.mark)}
        value={row.date}
        {...(closed === null ? faultOf('date') : { faultId })}
        onChange={(date) => onChange({ date })}
      />
      <SelectField
        className={styles.time}
        label={messages.start}
        choices={TIMES}
        value={row.start_time}
        {...faultOf('start')}
        onChange={(start_time) => onChange({ start_time })}
      />
      <span className={styles.to} aria-hidden="true">
        {RANGE_SEPARATOR}
      </span>
      <SelectField
        className={styles.time}
        label={messages.end}
        choices={TIMES}
        value={row.end_time}
        {...faultOf('end')}
        onChange={(end_time) => onChange({ end_time })}
      />
      {onRemove === undefined ? null : (
        <Button aria-label={messages.removeCandidate(name)} onClick={onRemove}>
          {messages.remove}
        </Button>
      )}
      {fault === null && closed === null ? null : (
        <p id={faultId} className={styles.note} data-state={fault === null ? 'look' : undefined}>
          {fault?.text ?? asMessage(closed?.text ?? '')}
        </p>
      )}
    </fieldset>
  );
}
