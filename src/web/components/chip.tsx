import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ReactNode } from 'react';
import styles from './chip.module.css';

interface Props {
  readonly children: ReactNode;
  /** The whole text, where the chip may cut it. */
  readonly title?: string | undefined;
  /** Short, and never cut: stands behind the text. */
  readonly note?: string | undefined;
  /** Chosen among its neighbours. Only of a chip that is pressed. */
  readonly isChosen?: boolean;
  readonly onPress?: () => void;
  /** Takes what the chip stands for away; needs its name. */
  readonly onRemove?: () => void;
  readonly removeName?: string;
}

/** A short text that stands for one thing: a condition, a template, a choice. Cut at 280 px. */
export function Chip({ children, title, note, isChosen, onPress, onRemove, removeName }: Props) {
  const text = (
    <>
      <span className={styles.text}>{children}</span>
      {note === undefined ? null : <span className={styles.note}> {note}</span>}
    </>
  );
  return (
    <span className={styles.chip} title={title} data-chosen={isChosen || undefined}>
      {onPress === undefined ? (
        text
      ) : (
        <button type="button" aria-pressed={isChosen} onClick={onPress}>
          {text}
        </button>
      )}
      {onRemove === undefined ? null : (
        <button type="button" className={styles.remove} aria-label={removeName} onClick={onRemove}>
          <IconX size={14} aria-hidden />
        </button>
      )}
    </span>
  );
}
