import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { APP_MESSAGES } from '../words.ts';
import styles from './message-page.module.css';

export function NotFound() {
  return (
    <div className={styles.page}>
      <title>{`${APP_MESSAGES.notFound.title} | ${PRODUCT_NAME}`}</title>
      <h1>{APP_MESSAGES.notFound.title}</h1>
      <p>{APP_MESSAGES.notFound.help}</p>
      <Link to={PATHS.attackList}>{APP_MESSAGES.notFound.home}</Link>
    </div>
  );
}
