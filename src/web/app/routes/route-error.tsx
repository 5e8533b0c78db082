import { useRouteError } from 'react-router';
import { Button } from '#web/components/button.tsx';
import { partFault, reloadPage } from '#web/lib/load-part.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './message-page.module.css';

/** In place of a screen that cannot be shown: a fault of ours, no connection, or files that a new version has replaced. */
export function RouteError() {
  const { title, help } = partFault(useRouteError());
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
