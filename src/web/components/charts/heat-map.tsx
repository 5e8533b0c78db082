import type { CSSProperties } from 'react';
import styles from './charts.module.css';

export interface HeatCell {
  /** From 0 (nothing) to 1 (the highest); null: nothing to measure. */
  readonly share: number | null;
  readonly text: string;
  readonly title: string;
}

interface Props {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly label: string; readonly cells: readonly HeatCell[] }[];
}

/** The number of tones that a cell can have. */
const TONES = 4;

/** Shows a grid whose cells have their value as a text and as a tone. */
export function HeatMap({ columns, rows }: Props) {
  return (
    <div className={styles.heat} style={{ '--count': columns.length } as CSSProperties}>
      <span />
      {columns.map((column) => (
        <span key={column} className={styles.heatHead}>
          {column}
        </span>
      ))}
      {rows.map(({ label, cells }) => [
        <span key={label} className={styles.heatHead}>
          {label}
        </span>,
        ...cells.map(({ share, text, title }, index) => (
          <span
            key={`${label} ${columns[index]}`}
            className={styles.cell}
            title={title}
            data-tone={share === null ? undefined : ''}
            style={{ '--tone': Math.ceil((share ?? 0) * TONES) } as CSSProperties}
          >
            {text}
          </span>
        )),
      ])}
    </div>
  );
}
