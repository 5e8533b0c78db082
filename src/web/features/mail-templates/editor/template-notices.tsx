import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { ReadOnly } from '#web/components/read-only.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { confirmSendGridFooter, templateQuery } from './template-query.ts';
import { TEMPLATE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly template: MailTemplate;
}

/** Shows where the template is used, why it cannot be used, and what its mails must show. */
export function TemplateNotices({ template }: Props) {
  const { reservations, archived, faults, asks_for_reply, sendgrid_template_id } = template;
  return (
    <>
      {reservations === 0 ? null : <Notice>{messages.reservedHelp(reservations)}</Notice>}
      {archived === 1 ? <Notice>{messages.archivedHelp}</Notice> : null}
      {faults.length === 0 ? null : (
        <Notice tone="bad" role="alert">
          {messages.unusable}
        </Notice>
      )}
      {asks_for_reply === 1 ? <Notice tone="warning">{messages.asksForReplyHelp}</Notice> : null}
      {sendgrid_template_id === null ? null : <SendGridFooter template={template} />}
    </>
  );
}

/** Lets the user confirm what the mails of SendGrid's template show by law, because the server cannot read them. */
function SendGridFooter({ template: { id, sendgrid_footer_confirmed } }: Props) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: (confirmed: 0 | 1) => confirmSendGridFooter(id, confirmed),
    onSuccess: () => {
      toast('success', messages.sendGridFooter.saved);
      return client.invalidateQueries({ queryKey: templateQuery(id).queryKey });
    },
  });
  return (
    <Notice tone="warning">
      <ReadOnly may={useMay('confirmSendGridFooter')}>
        <label>
          <input
            type="checkbox"
            checked={sendgrid_footer_confirmed === 1}
            aria-disabled={isPending || undefined}
            onChange={(event) => isPending || mutate(event.target.checked ? 1 : 0)}
          />
          {messages.sendGridFooter.label}
        </label>
      </ReadOnly>
      <p>{messages.sendGridFooter.help}</p>
    </Notice>
  );
}
