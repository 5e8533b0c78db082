import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { type ReactNode, useId, useState } from 'react';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { Button } from '../button.tsx';
import { FRAME_MESSAGES } from '../words.ts';
import styles from './filter-bar.module.css';
import type { Choice } from './select-field.tsx';

interface Props {
  /** What the fields are set to (`choiceOf`): phones fold the fields behind this line. Absent: always open. */
  readonly chosen?: readonly string[];
  /** Whether a field has a fault: it is not folded. */
  readonly hasFault?: boolean;
  /** The count of matches, after the fields. On phones it stays below the folded ones. */
  readonly status?: ReactNode;
  readonly children: ReactNode;
}

/** Shows a line of fields above a table, each below its label. On phones they are stacked, and folded at first. */
export function FilterBar({ chosen, hasFault = false, status, children }: Props) {
  const isNarrow = useNarrowScreen();
  const [wasOpened, setOpen] = useState(false);
  const isOpen = wasOpened || hasFault;
  const id = useId();
  if (chosen === undefined || !isNarrow) {
    return (
      <div className={`row ${styles.bar}`}>
        {children}
        {status}
      </div>
    );
  }
  return (
    <>
      <Button aria-expanded={isOpen} aria-controls={id} className={styles.fold} onClick={() => setOpen(!isOpen)}>
        {FRAME_MESSAGES.filter} <span className={`note cut ${styles.chosen}`}>{chosen.join(LIST_SEPARATOR)}</span>
        <IconChevronDown size={16} aria-hidden className={styles.chevron} />
      </Button>
      <div id={id} className={`row ${styles.bar}`} hidden={!isOpen}>
        {isOpen ? children : null}
      </div>
      {status === undefined ? null : <div className={styles.status}>{status}</div>}
    </>
  );
}

/** Returns what a field is set to, with its label. Nothing for '' and undefined, which hide no row. */
export const saidOf = (label: string, value = ''): readonly string[] =>
  value === '' ? [] : [FRAME_MESSAGES.chosen(label, value)];

/** Returns the same of a search field. */
export const searchOf = (search: string | undefined): readonly string[] => saidOf(FRAME_MESSAGES.search, search);

/** Returns the same of a select, by the name of its choice. @param rest its value at first */
export const choiceOf = (
  label: string,
  choices: readonly Choice[],
  value: string | number | undefined,
  rest = '',
): readonly string[] =>
  value === rest ? [] : saidOf(label, choices.find((choice) => choice.value === String(value ?? ''))?.label);
