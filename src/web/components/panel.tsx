import { type ReactNode, useId } from 'react';
import styles from './panel.module.css';

interface Props {
  readonly title: string;
  /** One line below the heading. */
  readonly help?: string;
  /** Buttons for the whole panel, at the end of the heading's line. */
  readonly tools?: ReactNode;
  /** On wide screens the description is beside the controls. */
  readonly isSplit?: boolean;
  readonly children: ReactNode;
}

/** Shows a titled part of a screen. */
export function Panel({ title, help, tools, isSplit = false, children }: Props) {
  const id = useId();
  return (
    <section className={`surface ${styles.panel}`} aria-labelledby={id} data-split={isSplit || undefined}>
      <div>
        <div className={`row ${styles.head}`}>
          <h2 id={id}>{title}</h2>
          {tools}
        </div>
        {help === undefined ? null : <p className={`note ${styles.help}`}>{help}</p>}
      </div>
      {isSplit ? <div>{children}</div> : children}
    </section>
  );
}
