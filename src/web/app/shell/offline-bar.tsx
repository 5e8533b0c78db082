import { useSyncExternalStore } from 'react';
import { APP_MESSAGES } from '../words.ts';
import styles from './shell.module.css';

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** Shows a message while there is no network. The region stays, so that a screen reader announces it. */
export function OfflineBar() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status" className={styles.offline}>
      {isOnline ? null : <p>{APP_MESSAGES.shell.offline}</p>}
    </div>
  );
}
