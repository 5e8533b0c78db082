import { RunList } from '#web/features/send-history/run-list.tsx';
import { PRODUCT_NAME, WORDS } from '#web/lib/words.ts';
import { sendPath } from '../paths.ts';
import styles from './sends.module.css';

export function Component() {
  return (
    <div className={styles.page}>
      <title>{`${WORDS.sends.title} | ${PRODUCT_NAME}`}</title>
      <h1 className={styles.title}>{WORDS.sends.title}</h1>
      <RunList pathOf={sendPath} />
    </div>
  );
}
