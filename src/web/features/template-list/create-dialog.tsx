import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useId, useRef } from 'react';
import { MAX_NAME_LENGTH, MAX_SUBJECT_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog.tsx';
import dialog from '#web/components/dialog-body.module.css';
import { SelectField } from '#web/components/select-field.tsx';
import { TextField } from '#web/components/text-field.tsx';
import { focusFault } from '#web/lib/focus-fault.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { reloadTemplates } from './change-templates.ts';
import { type Sample, type TemplateRow, templateList, templateSamples } from './list-templates.ts';
import { type Kind, useNewTemplate } from './new-template.ts';
import styles from './template-list.module.css';
import type { NewTemplateKind } from './template-list.tsx';
import { CREATE_MESSAGES as messages, TEMPLATE_LIST_MESSAGES } from './words.ts';

interface Props {
  readonly kind: NewTemplateKind;
  readonly onCreated: (id: number) => void;
  readonly onClose: () => void;
}

/** Creates a template: blank, from a sample, or as a copy. */
export function CreateDialog({ kind, onCreated, onClose }: Props) {
  const client = useQueryClient();
  const { data } = useQuery(templateList);
  const samples = useQuery(templateSamples);
  const created = useNewTemplate(kind, samples.data ?? [], data?.templates ?? []);
  const { form, faults, refusal, busy, change } = created;
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (Object.keys(faults).length > 0) focusFault(element.current);
  }, [faults]);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const id = await created.create();
    if (id === null) return;
    toast('success', messages.created);
    void reloadTemplates(client);
    onCreated(id);
  }

  return (
    <Dialog title={messages.title} size={640} grows isSheet onClose={() => !busy && onClose()}>
      <form ref={element} className={styles.create} onSubmit={(event) => void submit(event)} noValidate>
        {refusal === null ? null : (
          <p className={styles.fault} role="alert">
            {refusal}
          </p>
        )}
        <Kinds kind={form.kind} onChange={(next) => change({ kind: next })} />
        <Beginning created={created} samples={samples} templates={data?.templates ?? []} />
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
        {data === undefined || data.folders.length === 0 ? null : (
          <SelectField
            label={messages.folder}
            error={faults.folder_id}
            choices={[
              { value: '', label: TEMPLATE_LIST_MESSAGES.folders.none },
              ...data.folders.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
            value={form.folder}
            onChange={(folder) => change({ folder })}
          />
        )}
        <div className={dialog.buttons}>
          <Button busy={busy} onClick={onClose}>
            {COMMON_MESSAGES.actions.cancel}
          </Button>
          <Button type="submit" variant="primary" busy={busy}>
            {messages.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface BeginningProps {
  readonly created: ReturnType<typeof useNewTemplate>;
  readonly samples: UseQueryResult<Sample[]>;
  readonly templates: readonly TemplateRow[];
}

/** What the new template begins with: a sample, or another template. */
function Beginning({ created: { form, faults, change }, samples, templates }: BeginningProps) {
  return (
    <>
      {form.kind === 'sample' ? (
        <Samples
          samples={samples.data ?? []}
          fault={samples.isError ? messages.samplesFailed : faults.sample}
          chosen={form.sample}
          onChange={(sample) => change({ sample })}
        />
      ) : null}
      {form.kind === 'copy' ? (
        <SelectField
          label={messages.copyOf}
          error={faults.copy_of}
          choices={copyChoices(templates)}
          value={form.copyOf}
          onChange={(copyOf) => change({ copyOf })}
        />
      ) : null}
    </>
  );
}

const copyChoices = (templates: readonly TemplateRow[]) => [
  { value: '', label: '' },
  ...templates.map(({ id, name }) => ({ value: String(id), label: name })),
];

function Kinds({ kind, onChange }: { readonly kind: Kind; readonly onChange: (kind: Kind) => void }) {
  const name = useId();
  return (
    <fieldset className={styles.kinds}>
      <legend>{messages.kind}</legend>
      {(['sample', 'blank', 'copy'] as const).map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={kind === choice} onChange={() => onChange(choice)} />
          {messages.kinds[choice]}
        </label>
      ))}
    </fieldset>
  );
}

interface SamplesProps {
  readonly samples: readonly Sample[];
  readonly fault: string | undefined;
  readonly chosen: string;
  readonly onChange: (key: string) => void;
}

function Samples({ samples, fault, chosen, onChange }: SamplesProps) {
  const name = useId();
  const text = samples.find(({ key }) => key === chosen)?.text_body;
  return (
    <fieldset className={styles.samples}>
      <legend>{messages.sample}</legend>
      {samples.map(({ key, name: title, description }) => (
        <label key={key}>
          <input type="radio" name={name} checked={key === chosen} onChange={() => onChange(key)} />
          <span>
            {title}
            <small>{description}</small>
          </span>
        </label>
      ))}
      {fault === undefined ? null : <p className={styles.fault}>{fault}</p>}
      {text === undefined ? null : (
        <details>
          <summary>{messages.sampleText}</summary>
          <pre className={styles.sampleText}>{text}</pre>
        </details>
      )}
    </fieldset>
  );
}
