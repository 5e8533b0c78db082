import { type ReactNode, useId, useState } from 'react';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './charts.module.css';

const { charts: messages } = COMMON_MESSAGES;

interface Props {
  readonly title: string;
  /** What the chart shows, in one or two sentences: read in place of the picture, and shown below the title. */
  readonly summary: string;
  readonly chart: ReactNode;
  /** The same figures as a table. */
  readonly table: ReactNode;
}

/** A chart with its title, a summary in words, and the same figures as a table beside it. */
export function ChartPanel({ title, summary, chart, table }: Props) {
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const id = useId();
  return (
    <section className={styles.panel} aria-labelledby={`${id}-title`}>
      <div className={styles.panelHead}>
        <h2 id={`${id}-title`}>{title}</h2>
        <fieldset className={styles.views} aria-label={messages.viewsOf(title)}>
          {(['chart', 'table'] as const).map((choice) => (
            <button key={choice} type="button" aria-pressed={view === choice} onClick={() => setView(choice)}>
              {messages[choice]}
            </button>
          ))}
        </fieldset>
      </div>
      <p id={`${id}-summary`} className={styles.summary}>
        {summary}
      </p>
      {view === 'chart' ? (
        <div role="img" aria-labelledby={`${id}-title`} aria-describedby={`${id}-summary`}>
          {chart}
        </div>
      ) : (
        table
      )}
    </section>
  );
}
