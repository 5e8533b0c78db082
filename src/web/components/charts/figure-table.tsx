import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './charts.module.css';

interface Props {
  readonly caption: string;
  /** The first heading names the column of row headings. */
  readonly headings: readonly string[];
  readonly rows: readonly { readonly key: string; readonly label: string; readonly values: readonly string[] }[];
}

/** Constants, because linters report these roles in JSX as redundant. Safari drops the roles of rows shown as cards. */
const ROLES = { table: 'table', rowGroup: 'rowgroup', row: 'row', rowHeader: 'rowheader', cell: 'cell' } as const;

const FRAME = `scrolls ${styles.tableFrame}`;

/** Shows the figures of a chart as a table. On phones each row is a card. */
export function FigureTable({ caption, headings, rows }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={FRAME} aria-label={COMMON_MESSAGES.charts.tableOf(caption)} tabIndex={0}>
      <table role={ROLES.table} className={styles.figures}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role={ROLES.rowGroup}>
          {rows.map(({ key, label, values }) => (
            <tr key={key} role={ROLES.row}>
              <th role={ROLES.rowHeader} scope="row">
                {label}
              </th>
              {values.map((value, index) => (
                <td key={headings[index + 1]} role={ROLES.cell} data-label={headings[index + 1]}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
