import type { CSSProperties } from 'react';
import styles from './charts.module.css';
import { ticksTo } from './ticks.ts';

/** A part of each column. Its pattern distinguishes it without colour. */
export interface Part {
  readonly label: string;
  readonly look: 'sent' | 'failed' | 'unknown';
}

export interface StackedColumn {
  readonly key: string;
  /** The values of the parts, from the bottom up. */
  readonly values: readonly number[];
  /** Shown below the column; absent: no label. */
  readonly tick?: string | undefined;
  /** Shown on hover. */
  readonly title: string;
  /** A day on which nothing is sent, with a grey stripe behind the column. */
  readonly isOff?: boolean;
}

const totalOf = ({ values }: StackedColumn): number => values.reduce((sum, value) => sum + value, 0);

interface Props {
  readonly parts: readonly Part[];
  readonly columns: readonly StackedColumn[];
}

/** Shows stacked columns over time, with an axis and a legend. They fill the available width. */
export function StackedColumns({ parts, columns }: Props) {
  const ticks = ticksTo(Math.max(0, ...columns.map(totalOf)));
  const top = ticks.at(-1) ?? 1;
  const share = (value: number) => `${(100 * value) / top}%`;
  return (
    <div>
      <div className={styles.plot}>
        <div className={styles.axis}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: share(tick) }}>
              {tick.toLocaleString('ja-JP')}
            </span>
          ))}
        </div>
        <div className={styles.columns} style={{ '--count': columns.length } as CSSProperties}>
          {ticks.map((tick) => (
            <i key={tick} className={styles.line} style={{ bottom: share(tick) }} />
          ))}
          {columns.map((column) => (
            <div key={column.key} className={styles.column} title={column.title} data-off={column.isOff || undefined}>
              <div className={styles.stack}>
                {column.values.map((value, index) =>
                  value === 0 ? null : (
                    <i
                      key={parts[index]?.look}
                      className={styles.part}
                      data-look={parts[index]?.look}
                      style={{ height: share(value) }}
                    />
                  ),
                )}
              </div>
              {column.tick === undefined ? null : <span className={styles.tick}>{column.tick}</span>}
            </div>
          ))}
        </div>
      </div>
      <ul className="row note">
        {parts.map(({ label, look }) => (
          <li key={look} className="line">
            <i className={`${styles.part} ${styles.swatch}`} data-look={look} />
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}
