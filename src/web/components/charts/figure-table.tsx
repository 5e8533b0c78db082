import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './charts.module.css';

interface Props {
  readonly caption: string;
  /** The first one is of the rows' own headings. */
  readonly headings: readonly string[];
  readonly rows: readonly { readonly key: string; readonly label: string; readonly values: readonly string[] }[];
}

/** The figures of a chart as a table, which scrolls sideways where it is too wide. */
export function FigureTable({ caption, headings, rows }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={styles.tableFrame} aria-label={COMMON_MESSAGES.charts.tableOf(caption)} tabIndex={0}>
      <table className={styles.figures}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, label, values }) => (
            <tr key={key}>
              <th scope="row">{label}</th>
              {values.map((value, index) => (
                <td key={headings[index + 1]}>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
