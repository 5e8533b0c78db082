import { useQuery } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { useLeaveQuestion } from '#web/components/leave-guard.tsx';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { TheirChanges } from '#web/components/their-changes.tsx';
import { type TemplateChoice, templateChoices } from '#web/lib/templates.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { shownValues } from './sender-fields.ts';
import { SenderFormFields } from './sender-form-fields.tsx';
import styles from './sender-settings.module.css';
import { type SenderDetail, senderDetail } from './settings-query.ts';
import { type SenderOf, useSenderForm } from './use-sender-form.ts';
import { SENDER_FORM_MESSAGES as messages } from './words.ts';

interface Props {
  readonly of: SenderOf;
  readonly onClose: () => void;
}

/** The form of a sender, in a dialog. */
export function SenderDialog({ of, onClose }: Props) {
  const id = 'id' in of ? of.id : null;
  const sender = useQuery({ ...senderDetail(id ?? 0), enabled: id !== null });
  const templates = useQuery(templateChoices);
  if (templates.data !== undefined && (id === null || sender.data !== undefined)) {
    return <Form of={of} stored={sender.data ?? null} templates={templates.data} onClose={onClose} />;
  }
  const reload = () => {
    if (id !== null) void sender.refetch();
    void templates.refetch();
  };
  return (
    <Dialog title={id === null ? messages.title.add : messages.title.edit} size={640} grows onClose={onClose}>
      <NotLoaded hasFailed={sender.isError || templates.isError} onRetry={reload} />
    </Dialog>
  );
}

interface FormProps extends Props {
  readonly stored: SenderDetail | null;
  readonly templates: readonly TemplateChoice[];
}

function Form({ of, stored, templates, onClose }: FormProps) {
  const edited = useSenderForm({ of, stored, templateId: templates[0]?.id, onSaved: onClose });
  const { element, busy, problem, conflict, theirs } = edited;
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose, closing: messages.discarding });

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    edited.save();
  }

  // In place of the form, as two dialogs would cover each other. Its text is in the draft.
  if (question !== null) return question;
  return (
    <Dialog
      title={stored === null ? messages.title.add : messages.title.edit}
      size={640}
      grows
      onClose={() => busy || close()}
    >
      <form ref={element} onSubmit={submit} noValidate>
        {problem === undefined ? null : (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        <TheirChanges message={conflict} theirs={shownValues(theirs, stored)}>
          <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
        <SenderFormFields edited={edited} stored={stored} templates={withOwn(templates, stored)} />
        <div className={dialog.buttons}>
          <Button busy={busy} onClick={() => busy || close()}>
            {COMMON_MESSAGES.actions.cancel}
          </Button>
          <Button type="submit" variant="primary" busy={busy}>
            {COMMON_MESSAGES.actions.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** An archived template stays the choice of a sender that has it. */
function withOwn(templates: readonly TemplateChoice[], stored: SenderDetail | null): readonly TemplateChoice[] {
  if (stored === null || templates.some(({ id }) => id === stored.template_id)) return templates;
  const { template_id: id, template_name: name, subject, sendgrid_template_id } = stored;
  return [...templates, { id, name, subject, sendgrid_template_id }];
}
