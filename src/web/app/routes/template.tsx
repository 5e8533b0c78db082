import { Link, useParams } from 'react-router';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import { MailWarnings } from '#web/features/mail-preview/mail-warnings.tsx';
import { TemplateEditor } from '#web/features/mail-template/template-editor.tsx';
import { TEMPLATE_MESSAGES } from '#web/features/mail-template/words.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { PATHS } from '../paths.ts';
import { NotFound } from './not-found.tsx';
import styles from './sends.module.css';

export function Component() {
  const { id = '' } = useParams();
  if (!/^[1-9]\d{0,14}$/.test(id)) return <NotFound />;
  return (
    <div className={styles.page}>
      <title>{`${TEMPLATE_MESSAGES.title} | ${PRODUCT_NAME}`}</title>
      <div className={styles.head}>
        <h1 className={styles.title}>{TEMPLATE_MESSAGES.title}</h1>
        <Link to={PATHS.attackList}>{TEMPLATE_MESSAGES.back}</Link>
      </div>
      <TemplateEditor
        key={id}
        id={Number(id)}
        renderMail={({ warnings, text, html }) => (
          <>
            <MailWarnings warnings={warnings} />
            <MailBody text={text} html={html} />
          </>
        )}
      />
    </div>
  );
}
