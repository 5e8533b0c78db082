import { useQueryClient } from '@tanstack/react-query';
import { OWN_FIELD_TYPES, type OwnFieldType } from '#contract/companies/own-fields-names.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { call } from '#web/lib/api/call.ts';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import type { OwnField } from '#web/lib/data/own/own-fields.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { type OptionForm, OptionsField } from './options-field.tsx';
import styles from './own-fields.module.css';
import { putField, reloadOwn } from './own-fields-query.ts';
import { OWN_FIELD_MESSAGES as messages } from './words.ts';

interface Props {
  /** The stored field; null: a new one. */
  readonly stored: OwnField | null;
  readonly onClose: () => void;
}

interface FieldForm {
  readonly label: string;
  readonly type: OwnFieldType;
  /** Blank: the server chooses one. */
  readonly key: string;
  readonly options: readonly OptionForm[];
}

const NEW: FieldForm = { label: '', type: 'text', key: '', options: [] };

const TYPES = OWN_FIELD_TYPES.map((value) => ({ value, label: messages.types[value] }));

const formOf = ({ label, type, key, options }: OwnField): FieldForm => ({
  label,
  type,
  key,
  options: options.map(({ id, label: text, archived }) => ({ id, label: text, archived: archived === 1 })),
});

/** Adds an own field, or changes its name and its options. */
export default function FieldDialog({ stored, onClose }: Props) {
  const edited = useFieldForm(stored, onClose);
  const { form, faults, theirs, change } = edited;

  return (
    <DraftDialog
      title={stored === null ? messages.dialog.add : messages.dialog.edit}
      edited={edited}
      theirs={stored === null || theirs.length === 0 ? [] : storedValues(stored)}
      act={stored === null ? messages.addAct : undefined}
      onClose={onClose}
    >
      <div className={styles.fields}>
        <TextField
          label={messages.fields.label}
          help={messages.labelHelp}
          error={faults.label}
          maxLength={MAX_NAME_LENGTH}
          data-autofocus
          value={form.label}
          onChange={(label) => change({ label })}
        />
        {stored === null ? (
          <NewField form={form} faults={faults} onChange={change} />
        ) : (
          <dl className="terms">
            <dt>{messages.fields.type}</dt>
            <dd>{messages.types[stored.type]}</dd>
            <dt>{messages.fields.key}</dt>
            <dd>{messages.mergeField(stored.key)}</dd>
          </dl>
        )}
        {form.type === 'choice' ? (
          <OptionsField options={form.options} error={faults.options} onChange={(options) => change({ options })} />
        ) : null}
      </div>
    </DraftDialog>
  );
}

interface NewProps {
  readonly form: FieldForm;
  readonly faults: Faults;
  readonly onChange: (change: Partial<FieldForm>) => void;
}

/** What is chosen once. */
const NewField = ({ form, faults, onChange }: NewProps) => (
  <>
    <SelectField
      label={messages.fields.type}
      help={messages.typeHelp}
      choices={TYPES}
      value={form.type}
      onChange={(type) => onChange({ type: OWN_FIELD_TYPES.find((one) => one === type) ?? 'text' })}
    />
    <TextField
      label={messages.fields.key}
      help={messages.keyHelp}
      error={faults.key}
      spellCheck={false}
      autoCapitalize="none"
      value={form.key}
      onChange={(key) => onChange({ key })}
    />
  </>
);

/** What another admin has saved meanwhile, in words. */
const storedValues = ({ label, type, options }: OwnField) => [
  { label: messages.columns.label, value: label },
  ...(type === 'choice'
    ? [{ label: messages.fields.options, value: options.map((option) => option.label).join(LIST_SEPARATOR) }]
    : []),
];

const faultsIn = ({ label, type, options }: FieldForm): Faults => ({
  ...(label.trim() === '' && { label: messages.labelMissing }),
  ...(type === 'choice' && options.some((option) => option.label.trim() === '') && { options: messages.optionMissing }),
});

function useFieldForm(stored: OwnField | null, onSaved: () => void): EditedForm<FieldForm> {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const edited: EditedForm<FieldForm> = useDraftForm({
    name: `custom_field.${stored?.id ?? 'new'}`,
    stored: stored === null ? { version: null, form: NEW } : { version: stored.version, form: formOf(stored) },
    // The options are in an order: they are this admin's, or the other's.
    merge: keepWhole,
    check: faultsIn,
    send: async (form: FieldForm) => {
      if (stored === null) await addField(form, keyOf);
      else await putField(stored.id, stored.version, changeOf(form));
      await reloadOwn(client);
    },
    onSaved: (_answer, { label }) => {
      edited.discard();
      toast('success', (stored === null ? messages.added : messages.saved)(label.trim()));
      onSaved();
    },
    isConflict: (error) => hasCode(error, 'field_changed'),
    reload: () => reloadOwn(client),
    fieldOf: (path) => path.replace(/^(add|update)_info\./, '').replace(/^options\..*/, 'options'),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}

async function addField({ label, type, key, options }: FieldForm, keyOf: (body: unknown) => string): Promise<void> {
  const written = key.trim();
  const add_info = {
    label,
    type,
    ...(written !== '' && { key: written }),
    ...(type === 'choice' && { options: options.map((option) => option.label) }),
  };
  const body = { add_info };
  unwrap(await call('addCustomField', { body }, { headers: { 'Idempotency-Key': keyOf(body) } }));
}

const changeOf = ({ label, type, options }: FieldForm) => ({
  label,
  ...(type === 'choice' && {
    options: options.map(({ id, label: text, archived }) => ({
      ...(id !== null && { id }),
      label: text,
      archived: archived ? (1 as const) : (0 as const),
    })),
  }),
});
