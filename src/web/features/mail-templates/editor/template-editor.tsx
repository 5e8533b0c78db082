import { useQuery } from '@tanstack/react-query';
import { lazy, useEffect, useRef, useState } from 'react';
import type { MailTemplate } from '#contract/templates/mail-templates.ts';
import { Button } from '#web/components/button.tsx';
import { AskDialog } from '#web/components/dialog/ask-dialog.tsx';
import { LeaveGuard } from '#web/components/dialog/leave-guard.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { NotThere } from '#web/components/page-frame.tsx';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { hasStatus } from '#web/lib/api/query-client.ts';
import { asMessage } from '#web/lib/phrases.ts';
import { useKey } from '#web/lib/screen/keys.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { sessionSlice } from '#web/lib/session/session-store.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './mail-template.module.css';
import { sendTest } from './preview-query.ts';
import { type FieldsHandle, TemplateFields } from './template-fields.tsx';
import { mailOf } from './template-form.ts';
import { BACK, EmptyPage, type Sender, TemplateHead } from './template-head.tsx';
import { TemplateNotices } from './template-notices.tsx';
import { type RenderMail, TemplatePreview } from './template-preview.tsx';
import { templateQuery } from './template-query.ts';
import { type Preview, usePreview } from './use-preview.ts';
import { type EditedTemplate, useTemplateForm } from './use-template-form.ts';
import { TEMPLATE_MESSAGES } from './words.ts';

interface Props {
  readonly id: number;
  readonly renderMail: RenderMail;
  /** Chooses the sender before a link opens its attack list. */
  readonly onSend: (sender: Sender) => void;
}

export function TemplateEditor({ id, ...parts }: Props) {
  const { data: template, error, refetch } = useQuery(templateQuery(id));
  if (template !== undefined) return <Editor template={template} {...parts} />;
  return (
    <EmptyPage>
      {hasStatus(error, 404) ? (
        <NotThere title={TEMPLATE_MESSAGES.notFound} help={TEMPLATE_MESSAGES.notFoundHelp} back={BACK} />
      ) : (
        <NotLoaded what={TEMPLATE_MESSAGES.template} error={error} onRetry={() => void refetch()} />
      )}
    </EmptyPage>
  );
}

/** Lazy, because it imports a library that compares texts. */
const HistoryDialog = lazy(async () => ({
  default: (await loadPart(() => import('./dialogs/history-dialog.tsx'))).HistoryDialog,
}));

/** Lazy, because only phones open it. */
const NameDialog = lazy(async () => ({
  default: (await loadPart(() => import('./dialogs/name-dialog.tsx'))).NameDialog,
}));

interface EditorProps extends Omit<Props, 'id'> {
  readonly template: MailTemplate;
}

function Editor({ template, renderMail, onSend }: EditorProps) {
  const edited = useTemplateForm(template);
  const preview = usePreview(template, edited.form);
  const test = useTestSend(template, preview, edited);
  const [open, setOpen] = useState<DialogName | null>(null);
  const fields = useRef<FieldsHandle>(null);
  const { form, isDirty, busy, isOutdated, name, seen } = edited;
  const mayEdit = useMay('updateMailTemplate');
  const shown = <TemplatePreview preview={preview} template={template} renderMail={renderMail} />;

  function save(version: string): void {
    if (mayEdit && isDirty) edited.save(version, (faults) => fields.current?.show(faults));
  }

  useKey('save', () => {
    save(seen);
    return true;
  });

  return (
    <TemplateHead
      template={template}
      name={form.name}
      dirty={isDirty}
      busy={busy}
      isTesting={test.isSending}
      isTested={test.isTested}
      sender={preview.sender}
      onName={() => setOpen('name')}
      onHistory={() => setOpen('history')}
      onTest={() => void test.send()}
      onDiscard={() => setOpen('discard')}
      onSave={() => save(seen)}
      onSend={onSend}
    >
      <TemplateNotices template={template} />
      {isOutdated ? (
        <ConflictNotice
          template={template}
          onCompare={() => setOpen('history')}
          onLoad={edited.discard}
          onOverwrite={() => save(template.version)}
        />
      ) : null}
      {mayEdit ? (
        <TemplateFields
          ref={fields}
          template={template}
          edited={edited}
          faults={{ ...preview.faults, ...edited.faults }}
          preview={shown}
          onName={() => setOpen('name')}
        />
      ) : (
        <div className={styles.alone}>{shown}</div>
      )}
      <LeaveGuard draft={name} dirty={isDirty} {...TEMPLATE_MESSAGES.leaving} />
      <EditorDialog open={open} template={template} edited={edited} onClose={() => setOpen(null)} />
    </TemplateHead>
  );
}

type DialogName = 'discard' | 'history' | 'name';

interface EditorDialogProps {
  readonly open: DialogName | null;
  readonly template: MailTemplate;
  readonly edited: EditedTemplate;
  readonly onClose: () => void;
}

function EditorDialog({ open, template, edited, onClose }: EditorDialogProps) {
  if (open === 'name')
    return (
      <PartBoundary>
        <NameDialog
          name={edited.form.name}
          fault={edited.faults.name}
          onSet={(name) => edited.change({ name })}
          onClose={onClose}
        />
      </PartBoundary>
    );
  if (open === 'history')
    return (
      <PartBoundary>
        <HistoryDialog template={template} edited={edited} onClose={onClose} />
      </PartBoundary>
    );
  if (open === null) return null;
  return (
    <AskDialog
      {...COMMON_MESSAGES.discarding}
      stay={COMMON_MESSAGES.unsavedChanges.stay}
      onStay={onClose}
      onDiscard={() => {
        onClose();
        edited.discard();
      }}
    />
  );
}

interface Tested {
  /** The version of each template, by id, that the member has last sent to the own address. */
  readonly tested_templates: Readonly<Record<string, string>>;
}
const useTested = sessionSlice<Tested>(({ tested_templates = {} }) => ({ tested_templates }));

/** Sends the unsaved template, as in the preview, to its editor, and remembers for the session which was sent. */
function useTestSend({ id, version }: MailTemplate, { request }: Preview, { form, isDirty }: EditedTemplate) {
  const [isSending, setSending] = useState(false);
  /** The mail of the last test. It may be saved afterwards. */
  const [sent, setSent] = useState<string | null>(null);
  const isTested = useTested(({ tested_templates }) => tested_templates[id] === version);
  const becameSaved = !isTested && !isDirty && sent !== null && sent === mailOf(form);
  useEffect(() => {
    if (becameSaved)
      useTested.setState(({ tested_templates }) => ({ tested_templates: { ...tested_templates, [id]: version } }));
  }, [becameSaved, id, version]);

  async function send(): Promise<void> {
    setSending(true);
    const answer = await sendTest(id, request);
    setSending(false);
    if (!answer.ok) return toast('warning', answer.message);
    setSent(mailOf(form));
    const { to, legal_faults = [] } = answer.data;
    const lacking = legal_faults.find(({ level }) => level === 'error');
    if (lacking === undefined) toast('success', TEMPLATE_MESSAGES.testSent(to));
    else toast('warning', TEMPLATE_MESSAGES.testSentUnlawful(to, asMessage(lacking.message)));
  }
  return { isSending, isTested, send };
}

interface ConflictNoticeProps {
  /** The version that was saved meanwhile. */
  readonly template: MailTemplate;
  readonly onCompare: () => void;
  readonly onLoad: () => void;
  readonly onOverwrite: () => void;
}

/** Shows who saved another version meanwhile, and asks which one to keep. */
function ConflictNotice({ template: { updated_at, updated_by }, onCompare, onLoad, onOverwrite }: ConflictNoticeProps) {
  const messages = TEMPLATE_MESSAGES.conflict;
  const title = updated_by === null ? messages.title : messages.titleBy(updated_by, sentenceTime(updated_at));
  return (
    <TheirChanges message={title} help={messages.help} theirs={[]}>
      <Button onClick={onCompare}>{messages.difference}</Button>
      <Button onClick={onLoad}>{messages.load}</Button>
      <Button onClick={onOverwrite}>{messages.overwrite}</Button>
    </TheirChanges>
  );
}
