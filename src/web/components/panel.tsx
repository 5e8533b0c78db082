import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

interface Props {
  readonly title: string;
  /** What can be done with the whole panel, at the end of the heading's line. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

/** A titled part of a screen. */
export function Panel({ title, tools, children }: Props) {
  const id = useId();
  return (
    <section className={`surface ${styles.panel}`} aria-labelledby={id}>
      <div className={`row ${styles.head}`}>
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
