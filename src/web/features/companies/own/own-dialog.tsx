import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { MAX_OWN_VALUE_LENGTH } from '#domain/limits.ts';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import type { OwnField } from '#web/lib/data/own/own-fields.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { reloadCompany } from '../company-query.ts';
import { putCompany, type Undo } from '../save-company.ts';
import styles from './own.module.css';
import { changedOwn, nameOf, type OwnForm, storedOwn } from './own-form.ts';
import { OWN_MESSAGES as messages } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  /** The fields in use, in their order. */
  readonly fields: readonly OwnField[];
  readonly onSaved: (undo: Undo) => void;
  readonly onClose: () => void;
}

/** Edits the own values of a company. */
export default function OwnDialog({ company, fields, onSaved, onClose }: Props) {
  const edited = useOwnForm(company, fields, (undo) => {
    onSaved(undo);
    onClose();
  });
  const { form, faults, theirs, change } = edited;
  const labelOf = (name: string) => fields.find((field) => nameOf(field) === name)?.label ?? name;

  return (
    <DraftDialog
      title={messages.edit}
      size={640}
      isSheet
      edited={edited}
      theirs={theirs.map(({ field, theirs: value }) => ({ label: labelOf(field), value: value ?? '' }))}
      onClose={onClose}
    >
      <div className={styles.form}>
        {fields.map((field, place) => (
          <OneField
            key={field.id}
            field={field}
            isFirst={place === 0}
            value={form[nameOf(field)] ?? ''}
            error={faults[nameOf(field)]}
            onChange={(value) => change({ [nameOf(field)]: value })}
          />
        ))}
      </div>
    </DraftDialog>
  );
}

const FLAGS = [
  { value: '', label: messages.unchosen },
  ...[messages.flags[1], messages.flags[0]].map((value) => ({ value, label: value })),
];

interface FieldProps {
  readonly field: OwnField;
  readonly isFirst: boolean;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Shows the control that fits a field's type. */
function OneField({ field, isFirst, value, error, onChange }: FieldProps) {
  const { label, type } = field;
  const shared = { label, error, value, onChange, 'data-autofocus': isFirst || undefined };
  if (type === 'flag') return <SelectField {...shared} choices={FLAGS} />;
  if (type === 'choice') return <SelectField {...shared} choices={choicesOf(field, value)} isBoxed />;
  if (type === 'date') return <TextField {...shared} type="date" />;
  return (
    <TextField
      {...shared}
      {...(type === 'url' && { type: 'url' })}
      {...(type === 'number' && { inputMode: 'decimal', help: messages.numberHelp })}
      maxLength={MAX_OWN_VALUE_LENGTH}
    />
  );
}

/** The options in use, and the company's own one where it is not used any more. */
function choicesOf({ options }: OwnField, value: string) {
  const offered = options.filter(({ archived, label }) => archived === 0 || label === value);
  return [{ value: '', label: messages.unchosen }, ...offered.map(({ label }) => ({ value: label, label }))];
}

function useOwnForm(company: CompanyDetail, fields: readonly OwnField[], onSaved: Props['onSaved']) {
  const client = useQueryClient();
  const { id } = company;
  const stored = useMemo(() => storedOwn(company, fields), [company, fields]);
  const edited: EditedForm<OwnForm> = useDraftForm({
    name: `company.${id}.own`,
    stored,
    send: async (form: OwnForm): Promise<Undo> => {
      const custom = changedOwn(form, stored.form, fields);
      const isChanged = Object.keys(custom).length > 0;
      const version = isChanged ? await putCompany(id, company.version, { custom }, 1) : company.version;
      return { version, info: isChanged ? { custom: changedOwn(stored.form, form, fields) } : {}, remarks: null };
    },
    onSaved: (undo) => {
      edited.discard();
      void reloadCompany(client, id);
      onSaved(undo);
    },
    isConflict: (error) => hasCode(error, 'company_changed'),
    reload: () => reloadCompany(client, id),
    fieldOf: (path) => path.replace(/^update_info\./, ''),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}
