import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './loading.module.css';

/** Shown in place of data that is loading. */
export function Loading() {
  return (
    <p className={styles.loading} aria-busy="true">
      {COMMON_MESSAGES.loading}
    </p>
  );
}
