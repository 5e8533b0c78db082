import type { ReactNode } from 'react';
import styles from './filter-bar.module.css';

/** One line of fields above a table, each with its label before it. On phones the fields stand below one another. */
export function FilterBar({ children }: { readonly children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}
