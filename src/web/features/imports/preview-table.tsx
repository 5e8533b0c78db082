import styles from './file-step.module.css';
import type { Look } from './import-query.ts';
import { COLUMN_MESSAGES, FILE_MESSAGES } from './words.ts';

interface Props {
  readonly look: Look;
  /** Another reading is loading. */
  readonly isOutdated: boolean;
}

/** The first rows of the file as they are read. */
export function PreviewTable({ look: { columns, rows }, isOutdated }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it
    <section className={styles.preview} aria-label={FILE_MESSAGES.preview} aria-busy={isOutdated} tabIndex={0}>
      <table>
        <caption>{FILE_MESSAGES.preview}</caption>
        <thead>
          <tr>
            <th scope="col">{FILE_MESSAGES.row}</th>
            {columns.map(({ index, heading }) => (
              <th key={index} scope="col">
                {heading === '' ? COLUMN_MESSAGES.unnamed(index + 1) : heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, cells }) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {columns.map(({ index }) => (
                <td key={index}>{cells[index]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
