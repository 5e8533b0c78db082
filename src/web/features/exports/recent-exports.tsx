import { useQuery } from '@tanstack/react-query';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import styles from './export.module.css';
import { exportList, isOpen } from './export-list.ts';
import { ExportRow } from './export-row.tsx';
import { EXPORT_MESSAGES } from './words.ts';

/** Lists the exports of the last days. Only the newest open one is followed by events. */
export function RecentExports() {
  const list = useQuery(exportList);
  const followed = list.data?.find(isOpen)?.id;
  return (
    <section aria-label={EXPORT_MESSAGES.recent}>
      <h3 className={styles.recent}>{EXPORT_MESSAGES.recent}</h3>
      {list.data === undefined ? (
        <NotLoaded hasFailed={list.isError} onRetry={() => void list.refetch()} />
      ) : list.data.length === 0 ? (
        <p className={styles.empty}>{EXPORT_MESSAGES.empty}</p>
      ) : (
        <ul className={styles.list}>
          {list.data.map((one) => (
            <ExportRow key={one.id} one={one} isFollowed={one.id === followed} />
          ))}
        </ul>
      )}
    </section>
  );
}
