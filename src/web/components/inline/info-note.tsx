import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { type ReactNode, useId, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './info-note.module.css';

interface Props {
  /** Names the mark and the note by the subject of the note. */
  readonly about: keyof typeof COMMON_MESSAGES.infoNotes;
  readonly isOpenAtFirst?: boolean;
  readonly children: ReactNode;
}

/**
 * Shows a mark (ⓘ) that opens a note which few users need. Names of server settings appear only in such notes. Mark
 * and note are separate elements of the line or row of badges, so that opening moves no mark.
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

/** Says that the server's operator has to change a setting, and names it in a note. */
export function ServerSetting({ children }: { readonly children: ReactNode }) {
  return (
    <span>
      {COMMON_MESSAGES.serverSetting}
      <InfoNote about="howToSet">{children}</InfoNote>
    </span>
  );
}
