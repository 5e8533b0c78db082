import { WORDS } from '#web/lib/words.ts';
import { Button } from './button.tsx';
import styles from './load-failed.module.css';

/** In place of what could not be loaded; the reason is told by a toast. */
export function LoadFailed({ onRetry }: { readonly onRetry: () => void }) {
  return (
    <div className={styles.failed}>
      <p>{WORDS.errors.loadFailed}</p>
      <Button onClick={onRetry}>{WORDS.actions.retry}</Button>
    </div>
  );
}
