import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef } from 'react';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { focusFault } from '#web/lib/form/focus-fault.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { reloadTemplates } from './change-templates.ts';
import { type TemplatePage, templateList } from './list-templates.ts';
import { useNewTemplate } from './new-template.ts';
import { Beginning, Kinds } from './template-beginning.tsx';
import type { NewTemplateKind } from './template-list.tsx';
import { CREATE_MESSAGES as messages, TEMPLATE_LIST_MESSAGES } from './words.ts';

interface Props {
  readonly kind: NewTemplateKind;
  readonly onCreated: (id: number) => void;
  readonly onClose: () => void;
}

const NO_TEMPLATES: TemplatePage = { templates: [], folders: [] };

/** Creates a template: blank, from a sample, or as a copy. */
export function CreateDialog({ kind, onCreated, onClose }: Props) {
  const client = useQueryClient();
  const { data: { templates, folders } = NO_TEMPLATES } = useQuery(templateList);
  const created = useNewTemplate(kind, templates);
  const { form, faults, problem, busy, isWaiting, change } = created;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(faults).length > 0) focusFault(element.current);
  }, [faults]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const id = await created.create(() => element.current !== null);
    if (id === null) return;
    toast('success', messages.created);
    void reloadTemplates(client);
    onCreated(id);
  }

  return (
    <Dialog title={messages.title} size={840} grows isSheet onClose={() => !busy && onClose()}>
      <form ref={element} className="stack" onSubmit={(event) => void submit(event)} noValidate>
        {problem === null ? null : (
          <p className="fault" role="alert">
            {problem}
          </p>
        )}
        <Kinds kind={form.kind} onChange={(next) => change({ kind: next })} />
        <Beginning created={created} templates={templates} />
        <TextField
          label={messages.name}
          help={messages.nameHelp}
          error={faults.name}
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <TextField
          label={messages.subject}
          error={faults.subject}
          maxLength={MAX_SUBJECT_LENGTH}
          value={form.subject}
          onChange={(subject) => change({ subject })}
        />
        {folders.length === 0 ? null : (
          <SelectField
            label={messages.folder}
            error={faults.folder_id}
            choices={[
              { value: '', label: TEMPLATE_LIST_MESSAGES.folders.none },
              ...folders.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            value={form.folder}
            onChange={(folder) => change({ folder })}
          />
        )}
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={onClose} />}
          act={
            <Button type="submit" variant="primary" busy={busy || isWaiting}>
              {messages.create}
            </Button>
          }
        />
      </form>
    </Dialog>
  );
}
