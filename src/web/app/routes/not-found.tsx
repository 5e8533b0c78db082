import { Link } from 'react-router';
import { PRODUCT_NAME, WORDS } from '#web/lib/words.ts';
import { PATHS } from '../paths.ts';
import styles from './message-page.module.css';

export function NotFound() {
  return (
    <div className={styles.page}>
      <title>{`${WORDS.notFound.title} | ${PRODUCT_NAME}`}</title>
      <h1>{WORDS.notFound.title}</h1>
      <p>{WORDS.notFound.help}</p>
      <Link to={PATHS.attackList}>{WORDS.notFound.home}</Link>
    </div>
  );
}
