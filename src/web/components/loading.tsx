import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './loading.module.css';

/** In place of what is still to come. */
export function Loading() {
  return (
    <p className={styles.loading} aria-busy="true">
      {COMMON_MESSAGES.loading}
    </p>
  );
}
