import { Button } from '#web/components/button.tsx';
import { TheirChanges } from '#web/components/their-changes.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './remarks-cell.module.css';

interface Props {
  /** The server's sentence: who changed them, and when. */
  readonly message: string | undefined;
  readonly theirs: string;
  readonly busy: boolean;
  readonly onOverwrite: () => void;
  readonly onBoth: () => void;
  readonly onTake: () => void;
}

const { overwrite, both, load } = COMMON_MESSAGES.theirChanges;

/** Shows the remarks that another member has saved meanwhile, and asks which text stays. */
export function RemarksConflict({ message, theirs, busy, onOverwrite, onBoth, onTake }: Props) {
  return (
    <TheirChanges
      className={styles.conflict}
      message={message}
      theirs={[{ label: COMMON_MESSAGES.prospects.columns.remarks, value: theirs }]}
    >
      {theirs === '' ? null : (
        <Button busy={busy} onClick={onBoth}>
          {both}
        </Button>
      )}
      <Button busy={busy} onClick={onOverwrite}>
        {overwrite}
      </Button>
      <Button busy={busy} onClick={onTake}>
        {load}
      </Button>
    </TheirChanges>
  );
}
