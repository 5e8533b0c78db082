import IconFileUpload from '@tabler/icons-react/dist/esm/icons/IconFileUpload.mjs';
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import styles from './file-step.module.css';
import { FILE_MESSAGES } from './words.ts';

const TYPES = '.csv,.tsv,.txt,.xlsx';

interface Props {
  readonly button: string;
  readonly error: string | null;
  /** What can be done about it. */
  readonly cure?: ReactNode;
  readonly busy: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
}

/** A field for one file, which can also be dropped anywhere on the page. */
export function FileChooser({ button, error, cure, busy, onFiles, children }: Props) {
  const id = useId();
  const isOver = useFileDrop((files) => {
    if (!busy) onFiles(files);
  });
  return (
    <div className={styles.chooser} data-over={isOver || undefined}>
      <IconFileUpload size={32} stroke={1.5} aria-hidden />
      <p className={styles.drop}>{FILE_MESSAGES.drop}</p>
      <label className={styles.choose} data-busy={busy || undefined}>
        {button}
        <input
          type="file"
          accept={TYPES}
          className="visually-hidden"
          disabled={busy}
          aria-invalid={error === null ? undefined : true}
          aria-describedby={error === null ? `${id}-limits` : `${id}-fault ${id}-limits`}
          onChange={({ target }) => {
            const files = [...(target.files ?? [])];
            // The same file can be chosen again after a fault.
            target.value = '';
            if (files.length > 0) onFiles(files);
          }}
        />
      </label>
      {error === null ? null : (
        <p id={`${id}-fault`} role="alert" className={styles.fault}>
          {error}
        </p>
      )}
      {cure}
      <p id={`${id}-limits`} className={styles.limits}>
        {FILE_MESSAGES.limitsHelp}
      </p>
      {children}
    </div>
  );
}

/** Takes files that are dropped on the page, which ImportScreen keeps open. @returns whether one is held over it */
function useFileDrop(onFiles: (files: readonly File[]) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent((event: DragEvent) => {
    setOver(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) onFiles(files);
  });
  useEffect(() => {
    const over = () => setOver(true);
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => take(event);
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  return isOver;
}
