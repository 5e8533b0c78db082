import type { ReactNode } from 'react';
import styles from './read-only.module.css';

interface Props {
  /** Whether the member may change the values. */
  readonly may: boolean;
  readonly children: ReactNode;
}

/** Shows the fields of a form; for a member who may not change them as text, without buttons. */
export const ReadOnly = ({ may, children }: Props) =>
  may ? (
    children
  ) : (
    <fieldset disabled className={styles.shown}>
      {children}
    </fieldset>
  );
