import { useSyncExternalStore } from 'react';
import { WORDS } from '#web/lib/words.ts';
import styles from './shell.module.css';

function subscribe(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}

/** Says that there is no network for as long as that lasts. The region stays, so that a screen reader announces it. */
export function OfflineBar() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status" className={styles.offline}>
      {isOnline ? null : <p>{WORDS.shell.offline}</p>}
    </div>
  );
}
