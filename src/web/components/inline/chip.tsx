import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from '#web/lib/router/link.tsx';
import styles from './chip.module.css';

interface Props {
  readonly children: ReactNode;
  /** The whole text, if the chip may cut it. */
  readonly title?: string | undefined;
  /** A short text after the label, never cut. */
  readonly note?: string | undefined;
  /** Whether it is the selected one of its neighbours; only for chips that can be pressed. */
  readonly isChosen?: boolean;
  readonly onPress?: () => void;
  /** The target, which makes the chip a link. */
  readonly link?: Pick<ComponentProps<typeof Link>, 'to' | 'target' | 'rel'>;
  /** Removes what the chip stands for; requires its name. */
  readonly onRemove?: () => void;
  readonly removeName?: string;
}

/** Shows a short text for one thing: a condition, a template, a choice. Cut at 280 px. */
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
