import { RunList } from '#web/features/send-history/run-list.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-history/words.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { sendPath } from '../paths.ts';
import styles from './sends.module.css';

export function Component() {
  return (
    <div className={styles.page}>
      <title>{`${HISTORY_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <h1 className={styles.title}>{HISTORY_MESSAGES.title}</h1>
      <RunList pathOf={sendPath} />
    </div>
  );
}
