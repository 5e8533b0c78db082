import type { ReactNode } from 'react';
import { Drawing, type DrawingName } from './drawing.tsx';
import styles from './empty-state.module.css';

interface Props {
  /** The drawing that says why the list is empty; none: no drawing fits. */
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
      {kind === 'none' ? null : <Drawing name={kind} />}
      <strong>{title}</strong>
      {help === undefined ? null : <p>{help}</p>}
      {children === undefined || children === null ? null : <div className={`row ${styles.cure}`}>{children}</div>}
    </div>
  );
}
