import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs';
import { type ReactNode, useId, useState } from 'react';
import { useNarrowScreen } from '#web/lib/screen/narrow-screen.ts';
import { Button } from '../button.tsx';
import styles from './filter-bar.module.css';

interface Props {
  /** On phones a button with this text hides or shows the fields. Absent: they are always shown. */
  readonly fold?: string;
  readonly children: ReactNode;
}

/** Shows a line of fields above a table, each below its label. On phones the fields are stacked. */
export function FilterBar({ fold, children }: Props) {
  const isNarrow = useNarrowScreen();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  if (fold === undefined || !isNarrow) return <div className={`row ${styles.bar}`}>{children}</div>;
  return (
    <>
      <Button aria-expanded={isOpen} aria-controls={id} className={styles.fold} onClick={() => setOpen(!isOpen)}>
        {fold}
        <IconChevronDown size={16} aria-hidden className={styles.chevron} />
      </Button>
      <div id={id} className={`row ${styles.bar}`} hidden={!isOpen}>
        {isOpen ? children : null}
      </div>
    </>
  );
}
