import { MailBody } from '#web/features/mail-preview/mail-body.tsx';
import { MailWarnings } from '#web/features/mail-preview/mail-warnings.tsx';
import { TemplateEditor } from '#web/features/mail-templates/editor/template-editor.tsx';
import { selectSender, selectSenderGroup } from '#web/features/senders/senders-state.ts';
import { readId } from '#web/lib/address/params.ts';
import { useParams } from '#web/lib/router/use-router.ts';
import { NotFound } from './not-found.tsx';

export function Component() {
  const id = readId(useParams().id);
  if (id === undefined) return <NotFound />;
  return (
    <TemplateEditor
      key={id}
      id={id}
      renderMail={({ warnings, text, html }, notice) => (
        <>
          {notice ?? <MailWarnings warnings={warnings} />}
          <MailBody text={text} html={html} />
        </>
      )}
      onSend={({ id: senderId, sender_group_id }) => {
        selectSenderGroup(sender_group_id);
        selectSender(senderId);
      }}
    />
  );
}
