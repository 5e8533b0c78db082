import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Popover } from '../dialog/popover.tsx';
import styles from './info-note.module.css';

interface Props {
  /** Names the mark and the panel by the subject of the note. */
  readonly about: keyof typeof COMMON_MESSAGES.infoNotes;
  readonly children: string;
}

/** Shows the mark of a note (ⓘ) where a line cannot grow, as in a row of a table: the note lies above the page. */
export function InfoPopover({ about, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const label = COMMON_MESSAGES.infoNotes[about];
  return (
    <Popover
      title={label}
      isOpen={isOpen}
      onToggle={setOpen}
      isOnTop
      hint={label}
      buttonClass={styles.mark}
      label={
        <>
          <IconInfoCircle size={16} aria-hidden />
          <span className="visually-hidden">{label}</span>
        </>
      }
    >
      <p>{children}</p>
    </Popover>
  );
}
