import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from './drawing.tsx';
import styles from './empty-state.module.css';

/** The drawings for kinds without their own drawing. */
const DRAWN = { none: 'sends' } as const satisfies Record<string, DrawingName>;

interface Props {
  /** Why the list is empty: nothing exists yet, nothing matches the conditions, or the user may not see it. */
  readonly kind: 'none' | DrawingName;
  readonly title: string;
  readonly help?: ReactNode;
  /** The button that solves it. */
  readonly children?: ReactNode;
}

/** Shows a drawing, a sentence and an action in place of a list without rows, or of a part that has ended. */
export function EmptyState({ kind, title, help, children }: Props) {
  return (
    <div className={`stack-tight note ${styles.empty}`}>
      <Drawing name={kind === 'none' ? DRAWN.none : kind} />
      <strong>{title}</strong>
      {help === undefined ? null : <p>{help}</p>}
      {children === undefined || children === null ? null : <div className={`row ${styles.cure}`}>{children}</div>}
    </div>
  );
}
