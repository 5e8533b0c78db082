import type { ReactNode } from 'react';
import styles from './import-screen.module.css';

/** The buttons of a step, which stay in view below a long table. */
export const StepButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className={`row ${styles.buttons}`}>{children}</div>
);
