import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from './drawing.tsx';
import styles from './empty-state.module.css';

/** What is drawn where nothing exists yet and the screen names no drawing of its own. */
const DRAWN = { none: 'sends' } as const satisfies Record<string, DrawingName>;

interface Props {
  /** What does not exist yet (`none`: mails), that nothing matches the conditions, or that the user may not see it. */
  readonly kind: 'none' | DrawingName;
  readonly title: string;
  readonly help?: string | undefined;
  /** The button that starts the cure. */
  readonly children?: ReactNode;
}

/** Shown in place of a list without rows, or of a part that has ended: one drawing, one sentence, one act. */
export function EmptyState({ kind, title, help, children }: Props) {
  return (
    <div className={`stack-tight note ${styles.empty}`}>
      <Drawing name={kind === 'none' ? DRAWN.none : kind} />
      <strong>{title}</strong>
      {help === undefined ? null : <p>{help}</p>}
      {children === undefined ? null : <div className={`row ${styles.cure}`}>{children}</div>}
    </div>
  );
}
