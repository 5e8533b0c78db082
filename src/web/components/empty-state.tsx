import IconFilterOff from '@tabler/icons-react/dist/esm/icons/IconFilterOff.mjs';
import IconInbox from '@tabler/icons-react/dist/esm/icons/IconInbox.mjs';
import IconLock from '@tabler/icons-react/dist/esm/icons/IconLock.mjs';
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

const ICONS = { none: IconInbox, 'no-match': IconFilterOff, 'not-allowed': IconLock };

interface Props {
  /** Nothing exists yet, nothing matches the conditions, or the user may not see it. */
  readonly kind: keyof typeof ICONS;
  readonly title: string;
  readonly help?: string | undefined;
  /** The button that starts the cure. */
  readonly children?: ReactNode;
}

/** Shown in place of a list without rows: what is missing, and what to do about it. */
export function EmptyState({ kind, title, help, children }: Props) {
  const Icon = ICONS[kind];
  return (
    <div className={styles.empty}>
      <Icon size={32} stroke={1.5} aria-hidden />
      <strong>{title}</strong>
      {help === undefined ? null : <p>{help}</p>}
      {children === undefined ? null : <div className={styles.cure}>{children}</div>}
    </div>
  );
}
