import { PageFrame } from '#web/components/page-frame.tsx';
import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import { MailWarnings } from '#web/features/mail-preview/mail-warnings.tsx';
import { TemplateEditor } from '#web/features/mail-templates/editor/template-editor.tsx';
import { TEMPLATE_MESSAGES } from '#web/features/mail-templates/editor/words.ts';
import { readId } from '#web/lib/address/params.ts';
import { PATHS } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useParams } from '#web/lib/router/use-router.ts';
import { NotFound } from './not-found.tsx';

export function Component() {
  const id = readId(useParams().id);
  if (id === undefined) return <NotFound />;
  return (
    <PageFrame
      title={TEMPLATE_MESSAGES.title}
      back={<Link to={PATHS.templates}>{TEMPLATE_MESSAGES.back}</Link>}
      guide="templates"
    >
      <TemplateEditor
        key={id}
        id={id}
        renderMail={({ warnings, text, html }) => (
          <>
            <MailWarnings warnings={warnings} />
            <MailBody text={text} html={html} />
          </>
        )}
      />
    </PageFrame>
  );
}
