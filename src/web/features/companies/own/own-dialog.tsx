import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useMemo } from 'react';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { MAX_EXTERNAL_ID_LENGTH, MAX_OWN_VALUE_LENGTH } from '#domain/limits.ts';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { useLeaveQuestion } from '#web/components/dialog/leave-guard.tsx';
import { SelectField } from '#web/components/field/select-field.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import type { OwnField } from '#web/lib/data/own-fields.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import { reloadCompany } from '../company-query.ts';
import { putCompany, type Undo } from '../save-company.ts';
import styles from './own.module.css';
import { changedOwn, EXTERNAL_ID, nameOf, type OwnForm, storedOwn } from './own-form.ts';
import { OWN_MESSAGES as messages } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  /** The fields in use, in their order. */
  readonly fields: readonly OwnField[];
  readonly onSaved: (undo: Undo) => void;
  readonly onClose: () => void;
}

/** Edits the own values of a company, and gives it its external id, once. */
export default function OwnDialog({ company, fields, onSaved, onClose }: Props) {
  const edited = useOwnForm(company, fields, (undo) => {
    onSaved(undo);
    onClose();
  });
  const { element, form, faults, busy, problem, conflict, theirs, change } = edited;
  const { close, question } = useLeaveQuestion({ draft: edited.name, onClose, closing: messages.discarding });
  const labelOf = (name: string) => fields.find((field) => nameOf(field) === name)?.label ?? messages.externalId;

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    edited.save();
  }

  if (question !== null) return question;
  return (
    <Dialog title={messages.edit} size={640} isSheet onClose={() => busy || close()}>
      <form ref={element} onSubmit={submit} noValidate>
        {problem === undefined ? null : (
          <Notice tone="bad" role="alert">
            {problem}
          </Notice>
        )}
        <TheirChanges
          message={conflict}
          theirs={theirs.map(({ field, theirs: value }) => ({ label: labelOf(field), value: value ?? '' }))}
        >
          <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
        </TheirChanges>
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
          {company.external_id === null ? (
            <TextField
              label={messages.externalId}
              help={messages.externalIdHelp}
              error={faults[EXTERNAL_ID]}
              maxLength={MAX_EXTERNAL_ID_LENGTH}
              spellCheck={false}
              value={form[EXTERNAL_ID] ?? ''}
              onChange={(value) => change({ [EXTERNAL_ID]: value })}
            />
          ) : null}
        </div>
        <DialogFoot
          stay={<CancelButton busy={busy} onClick={() => busy || close()} />}
          act={
            <Button type="submit" variant="primary" busy={busy}>
              {COMMON_MESSAGES.actions.save}
            </Button>
          }
        />
      </form>
    </Dialog>
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
      const info = changedOwn(form, stored.form, fields);
      const isChanged = Object.keys(info).length > 0;
      const version = isChanged ? await putCompany(id, company.version, info, 1) : company.version;
      // An external id stays: it is set once.
      return { version, info: changedOwn(stored.form, form, fields.filter(isIn(info.custom))), remarks: null };
    },
    onSaved: (undo) => {
      edited.discard();
      void reloadCompany(client, id);
      onSaved({ ...undo, info: undo.info.custom === undefined ? {} : { custom: undo.info.custom } });
    },
    isConflict: (error) => hasCode(error, 'company_changed'),
    reload: () => reloadCompany(client, id),
    fieldOf: (path) => path.replace(/^update_info\./, ''),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}

const isIn =
  (custom: Readonly<Record<string, string>> = {}) =>
  ({ key }: OwnField): boolean =>
    key in custom;
