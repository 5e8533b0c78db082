import { Button } from '#web/components/button.tsx';
import { partFault, reloadPage } from '#web/lib/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './message-page.module.css';

/** Shown in place of a screen that failed: by a bug, without a connection, or replaced by a new version. */
export function RouteError({ error }: { readonly error: unknown }) {
  const { title, help } = partFault(error);
  return (
    <div className={styles.page} role="alert">
      <h1>{title}</h1>
      <p>{help}</p>
      <Button variant="primary" onClick={() => void reloadPage()}>
        {COMMON_MESSAGES.actions.retry}
      </Button>
    </div>
  );
}
