import type { ReactNode } from 'react';
import styles from './docked-action.module.css';

/** Shows the primary button of a screen at the end of its line. On phones it stays at the bottom of the window. */
export const DockedAction = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles.action} data-page-action>
    {children}
  </div>
);
