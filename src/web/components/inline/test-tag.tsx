import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './test-tag.module.css';

/** Marks a test run, whose mails go to the user's own addresses. */
export function TestTag() {
  return <span className={styles.tag}>{COMMON_MESSAGES.test}</span>;
}
