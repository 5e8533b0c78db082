import type { ReactNode } from 'react';
import styles from './import-screen.module.css';

/** Shows the buttons of a step, which stay visible below a long table. */
export const StepButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className={`row ${styles.buttons}`}>{children}</div>
);
