import type { ReactNode } from 'react';
import styles from './card-line.module.css';

interface Props {
  /** As lists show it. */
  readonly time: string;
  readonly number: string;
  readonly group: string;
  /** The badge, and what else the closed card says. */
  readonly children: ReactNode;
}

/** The lines below the name on a phone's card of a run or a reservation. */
export const CardLine = ({ time, number, group, children }: Props) => (
  <span className={`line ${styles.line}`}>
    <strong>{time}</strong>
    <span>{number}</span>
    <span className={`cut ${styles.group}`}>{group}</span>
    {children}
  </span>
);
