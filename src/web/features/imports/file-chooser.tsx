import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import { FileButton } from '#web/components/field/file-button.tsx';
import { Drawing } from '#web/components/state/drawing.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import styles from './file-step.module.css';
import { FILE_MESSAGES } from './words.ts';

const TYPES = '.csv,.tsv,.txt,.xlsx';

interface Props {
  readonly button: string;
  readonly error: string | null;
  /** The button that solves the error. */
  readonly cure?: ReactNode;
  readonly busy: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly children?: ReactNode;
}

/** Shows a field for one file, which can also be dropped anywhere on the page. */
export function FileChooser({ button, error, cure, busy, onFiles, children }: Props) {
  const id = useId();
  const isOver = useFileDrop((files) => {
    if (!busy) onFiles(files);
  });
  return (
    <div className={`stack ${styles.chooser}`} data-over={isOver || undefined}>
      <Drawing name="companies" />
      <p className={styles.drop}>{FILE_MESSAGES.drop}</p>
      <FileButton
        variant="primary"
        accept={TYPES}
        busy={busy}
        aria-invalid={error === null ? undefined : true}
        aria-describedby={error === null ? `${id}-limits` : `${id}-fault ${id}-limits`}
        onFiles={onFiles}
      >
        {button}
      </FileButton>
      {error === null ? null : (
        <Notice tone="bad" role="alert" id={`${id}-fault`}>
          {error}
        </Notice>
      )}
      {cure}
      <small id={`${id}-limits`}>{FILE_MESSAGES.limitsHelp}</small>
      {children}
    </div>
  );
}

/** Takes files dropped on the page. @returns whether a file is dragged over it */
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
