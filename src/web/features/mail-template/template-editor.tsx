import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { MailTemplate } from '#contract/mail-template.ts';
import { AskDialog } from '#web/components/ask-dialog.tsx';
import { Button } from '#web/components/button.tsx';
import { LoadFailed } from '#web/components/load-failed.tsx';
import { Loading } from '#web/components/loading.tsx';
import { keyText, useKey } from '#web/lib/keys.ts';
import { withNote } from '#web/lib/phrases.ts';
import { ApiError } from '#web/lib/query-client.ts';
import { withWeekday } from '#web/lib/with-weekday.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { ConflictNotice } from './conflict-notice.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import styles from './mail-template.module.css';
import { type FieldsHandle, TemplateFields } from './template-fields.tsx';
import { type RenderMail, TemplatePreview, usePreview } from './template-preview.tsx';
import { templateQuery } from './template-query.ts';
import { useTemplateForm } from './use-template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly renderMail: RenderMail;
}

export function TemplateEditor({ id, renderMail }: Props) {
  const { data: template, error, refetch } = useQuery(templateQuery(id));
  if (template !== undefined) return <Editor template={template} renderMail={renderMail} />;
  if (error instanceof ApiError && error.failure.status === 404)
    return <p className={styles.nothing}>{TEMPLATE_MESSAGES.notFound}</p>;
  return error === null ? <Loading /> : <LoadFailed onRetry={() => void refetch()} />;
}

function Editor({ template, renderMail }: { readonly template: MailTemplate; readonly renderMail: RenderMail }) {
  const edited = useTemplateForm(template);
  const preview = usePreview(template, edited.form);
  const [asksToDiscard, setAsksToDiscard] = useState(false);
  const fields = useRef<FieldsHandle>(null);
  const { form, dirty, busy, conflict, name } = edited;

  function save(version: string): void {
    if (dirty) edited.save(version, (faults) => fields.current?.show(faults));
  }

  useKey('save', () => {
    save(form.version);
    return true;
  });

  return (
    <div className={styles.editor}>
      <div className={styles.bar}>
        <p className={styles.state} role="status">
          {dirty ? TEMPLATE_MESSAGES.unsaved : TEMPLATE_MESSAGES.savedAt(withWeekday(template.updated_at))}
        </p>
        <Button disabled={!dirty} onClick={() => setAsksToDiscard(true)}>
          {TEMPLATE_MESSAGES.discard}
        </Button>
        <Button
          variant="primary"
          busy={busy}
          disabled={!dirty}
          title={withNote(COMMON_MESSAGES.actions.save, keyText('save').shown)}
          aria-keyshortcuts={keyText('save').aria}
          onClick={() => save(form.version)}
        >
          {COMMON_MESSAGES.actions.save}
        </Button>
      </div>
      <p className={styles.inUse}>{TEMPLATE_MESSAGES.inUse}</p>
      {template.faults.length === 0 ? null : (
        <p className={styles.unusable} role="alert">
          {TEMPLATE_MESSAGES.unusable}
        </p>
      )}
      {conflict ? <ConflictNotice onLoad={edited.discard} onOverwrite={() => save(template.version)} /> : null}
      <div className={styles.columns}>
        <TemplateFields
          ref={fields}
          template={template}
          edited={edited}
          faults={{ ...preview.faults, ...edited.faults }}
        />
        <TemplatePreview preview={preview} senders={template.senders} renderMail={renderMail} />
      </div>
      <LeaveGuard draft={name} dirty={dirty} />
      {asksToDiscard ? (
        <AskDialog
          {...TEMPLATE_MESSAGES.discarding}
          stay={COMMON_MESSAGES.unsavedChanges.stay}
          discard={TEMPLATE_MESSAGES.discarding.discard}
          onStay={() => setAsksToDiscard(false)}
          onDiscard={() => {
            setAsksToDiscard(false);
            edited.discard();
          }}
        />
      ) : null}
    </div>
  );
}
