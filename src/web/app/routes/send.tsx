import { Link, useParams } from 'react-router';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import { RunDetail } from '#web/features/send-history/run-detail.tsx';
import { HISTORY_MESSAGES } from '#web/features/send-history/words.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { PATHS } from '../paths.ts';
import { NotFound } from './not-found.tsx';
import styles from './sends.module.css';

export function Component() {
  const { id = '' } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return (
    <div className={styles.page}>
      <title>{`${HISTORY_MESSAGES.details} | ${PRODUCT_NAME}`}</title>
      <div className={styles.head}>
        <h1 className={styles.title}>{HISTORY_MESSAGES.details}</h1>
        <Link to={PATHS.sends}>{HISTORY_MESSAGES.back}</Link>
      </div>
      <RunDetail key={id} id={Number(id)} renderMail={({ text, html }) => <MailBody text={text} html={html} />} />
    </div>
  );
}
