import { RunList } from '#web/features/send-history/run-list.tsx';
import { HISTORY_WORDS } from '#web/lib/history-words.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { sendPath } from '../paths.ts';
import styles from './sends.module.css';

export function Component() {
  return (
    <div className={styles.page}>
      <title>{`${HISTORY_WORDS.sends.title} | ${PRODUCT_NAME}`}</title>
      <h1 className={styles.title}>{HISTORY_WORDS.sends.title}</h1>
      <RunList pathOf={sendPath} />
    </div>
  );
}
