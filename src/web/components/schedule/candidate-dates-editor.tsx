import { useEffect, useRef } from 'react';
import { MAX_CANDIDATE_DATES } from '#domain/limits.ts';
import { type CandidateDate, candidateDays, nextCandidate } from '#domain/sending/candidate-dates.ts';
import { Button } from '#web/components/button.tsx';
import { useClosedDays } from '#web/lib/data/group-rules.ts';
import { CandidateRow } from './candidate-row.tsx';
import styles from './schedule.module.css';
import type { RowFault } from './schedule.ts';
import { SCHEDULE_MESSAGES } from './words.ts';

interface Props {
  /** At least one. */
  readonly rows: readonly CandidateDate[];
  readonly faults: readonly (RowFault | null)[];
  /** The group that sends the mails. Its closed days are marked, and a new row skips them. */
  readonly groupId: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly onChange: (rows: readonly CandidateDate[]) => void;
}

export function CandidateDatesEditor({ rows, faults, groupId, now, onChange }: Props) {
  const editor = useRef<HTMLDivElement>(null);
  const rowToFocus = useRef<number | null>(null);
  const closedOn = useClosedDays(groupId);
  const next = nextCandidate(rows, now, null, (day) => closedOn(day) !== null);
  const isFull = rows.length >= MAX_CANDIDATE_DATES || next.date > candidateDays(now).lastDay;

  // Moves the focus to an added row, or to the next row when one is removed.
  useEffect(() => {
    if (rowToFocus.current === null) return;
    editor.current
      ?.querySelectorAll('fieldset')
      [rowToFocus.current]?.querySelector<HTMLElement>('[role="combobox"]')
      ?.focus();
    rowToFocus.current = null;
  });

  function add(): void {
    rowToFocus.current = rows.length;
    onChange([...rows, next]);
  }

  function remove(index: number): void {
    rowToFocus.current = Math.min(index, rows.length - 2);
    onChange(rows.toSpliced(index, 1));
  }

  return (
    <div ref={editor} className={styles.editor}>
      {rows.map((row, index) => (
        <CandidateRow
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its index and has no state
          key={index}
          number={index + 1}
          row={row}
          now={now}
          fault={faults[index] ?? null}
          closedOn={closedOn}
          onChange={(change) => onChange(rows.with(index, { ...row, ...change }))}
          onRemove={rows.length > 1 ? () => remove(index) : undefined}
        />
      ))}
      {isFull ? (
        <p className={styles.note}>{SCHEDULE_MESSAGES.full}</p>
      ) : (
        <Button onClick={add}>{SCHEDULE_MESSAGES.addCandidate}</Button>
      )}
    </div>
  );
}
