import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from '#web/lib/router/link.tsx';
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
  /** Where it leads; it is then a link. */
  readonly link?: Pick<ComponentProps<typeof Link>, 'to' | 'target' | 'rel'>;
  /** Takes what the chip stands for away; needs its name. */
  readonly onRemove?: () => void;
  readonly removeName?: string;
}

/** A short text that stands for one thing: a condition, a template, a choice. Cut at 280 px. */
export function Chip({ children, title, note, isChosen, onPress, link, onRemove, removeName }: Props) {
  const text = (
    <>
      <span className={styles.text}>{children}</span>
      {note === undefined ? null : <span className={styles.note}> {note}</span>}
    </>
  );
  return (
    <span className={styles.chip} title={title} data-chosen={isChosen || undefined}>
      {link !== undefined ? (
        <Link {...link}>{text}</Link>
      ) : onPress === undefined ? (
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
