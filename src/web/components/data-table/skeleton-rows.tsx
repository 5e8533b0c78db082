import styles from './skeleton-rows.module.css';

const ROWS = Array.from({ length: 12 }, (_, row) => row);

/** Placeholders of rows that are loading. */
export function SkeletonRows({ columns }: { readonly columns: readonly { readonly id: string }[] }) {
  return ROWS.map((row) => (
    <tr key={row} aria-hidden className={styles.skeleton}>
      {columns.map(({ id }) => (
        <td key={id}>
          <span />
        </td>
      ))}
    </tr>
  ));
}
