import { Button } from '#web/components/button.tsx';
import { WORDS } from '#web/lib/words.ts';
import styles from './message-page.module.css';

/** Where a screen cannot be shown at all: a fault of ours, or a file that a new version has replaced. */
export function RouteError() {
  return (
    <div className={styles.page} role="alert">
      <h1>{WORDS.errors.screenTitle}</h1>
      <p>{WORDS.errors.screenHelp}</p>
      <Button variant="primary" onClick={() => location.reload()}>
        {WORDS.actions.retry}
      </Button>
    </div>
  );
}
