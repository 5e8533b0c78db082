import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { Button } from './button.tsx';
import styles from './load-failed.module.css';

/** In place of what could not be loaded; the reason is told by a toast. */
export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div className={styles.failed}>
      <p>{COMMON_MESSAGES.errors.loadFailed}</p>
      <Button onClick={onRetry}>{COMMON_MESSAGES.actions.retry}</Button>
    </div>
  );
}
