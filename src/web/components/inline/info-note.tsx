import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { type ReactNode, useId, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './info-note.module.css';

interface Props {
  /** What it tells: names the mark and the note. */
  readonly about: keyof typeof COMMON_MESSAGES.infoNotes;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/**
 * A mark (ⓘ) that shows what few need. Names of the server's settings stand behind one, never in sight. Both parts
 * belong to the line, or the row of badges, that they are put into: opening moves no mark.
 */
export function InfoNote({ about, isOpenAtFirst = false, children }: Props) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  const label = COMMON_MESSAGES.infoNotes[about];
  return (
    <>
      <button
        type="button"
        className={styles.mark}
        aria-label={label}
        title={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <IconInfoCircle size={16} aria-hidden />
      </button>
      <span id={id} className={styles.text} role="note" aria-label={label} hidden={!isOpen}>
        {children}
      </span>
    </>
  );
}

/** Says that whoever runs the server has to set something, and what behind the mark. */
export function ServerSetting({ children }: { readonly children: ReactNode }) {
  return (
    <span>
      {COMMON_MESSAGES.serverSetting}
      <InfoNote about="howToSet">{children}</InfoNote>
    </span>
  );
}
