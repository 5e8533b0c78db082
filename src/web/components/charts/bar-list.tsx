import type { CSSProperties } from 'react';
import styles from './charts.module.css';

export interface Bar {
  /** The length, as a share (0 to 1) of the longest bar. */
  readonly share: number;
  readonly text: string;
  readonly look: 'sent' | 'replied' | 'refused';
}

export interface BarRow {
  readonly key: string;
  readonly label: string;
  /** One bar for each heading. */
  readonly bars: readonly Bar[];
}

/** Shows rows with a label and one bar in each column. */
export function BarList({
  headings,
  rows,
}: {
  readonly headings: readonly string[];
  readonly rows: readonly BarRow[];
}) {
  return (
    <div className={styles.bars} style={{ '--columns': headings.length } as CSSProperties}>
      <div className={styles.barHead}>
        <span />
        {headings.map((heading) => (
          <span key={heading}>{heading}</span>
        ))}
      </div>
      {rows.map(({ key, label, bars }) => (
        <div key={key} className={styles.barRow}>
          <span className="cut" title={label}>
            {label}
          </span>
          {bars.map(({ share, text, look }, index) => (
            <span key={headings[index]} className={styles.bar}>
              <i className={styles.part} data-look={look} style={{ width: `${100 * share}%` }} />
              <span>{text}</span>
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}
