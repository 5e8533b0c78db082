import { type ReactNode, useId, useState } from 'react';
import { Segmented } from '#web/components/field/segmented.tsx';
import { Panel } from '#web/components/panel.tsx';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './charts.module.css';

const { charts: messages } = COMMON_MESSAGES;

interface Props {
  readonly title: string;
  /** The chart in one or two sentences: shown below the title, and read aloud in place of the picture. */
  readonly summary: string;
  readonly chart: ReactNode;
  /** The same figures as a table. */
  readonly table: ReactNode;
}

/** Shows a chart with its title, a summary in words, and a table of the same figures. */
export function ChartPanel({ title, summary, chart, table }: Props) {
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const id = useId();
  return (
    <Panel
      title={title}
      tools={
        <Segmented
          label={messages.viewsOf(title)}
          choices={(['chart', 'table'] as const).map((value) => ({ value, label: messages[value] }))}
          value={view}
          onChange={setView}
        />
      }
    >
      <p id={id} className={`note ${styles.summary}`}>
        {summary}
      </p>
      {view === 'chart' ? (
        <div role="img" aria-label={title} aria-describedby={id}>
          {chart}
        </div>
      ) : (
        table
      )}
    </Panel>
  );
}
