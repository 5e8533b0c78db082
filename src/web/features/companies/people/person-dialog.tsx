import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CompanyPerson } from '#contract/companies/people.ts';
import { MAX_NAME_LENGTH } from '#domain/limits.ts';
import { DraftDialog } from '#web/components/dialog/draft-dialog.tsx';
import { TextField } from '#web/components/field/text-field.tsx';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { hasCode, unwrap } from '#web/lib/api/query-client.ts';
import { useOnceKey } from '#web/lib/api/use-once-key.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import { changedNames, type Seen } from '#web/lib/form/merged-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { useDebounced } from '#web/lib/screen/use-debounced.ts';
import { AffectedMails, typedCheck } from '../company-check.tsx';
import { reloadCompany } from '../company-query.ts';
import { SuppressionReply, suppressionText } from '../suppression-reply.tsx';
import { COMPANY_FORM_MESSAGES } from '../words.ts';
import styles from './people.module.css';
import { putPerson } from './people-query.ts';
import { PEOPLE_MESSAGES as messages } from './words.ts';

interface Props {
  readonly companyId: number;
  /** The stored person; null: a new one. */
  readonly stored: CompanyPerson | null;
  readonly onClose: () => void;
}

const FIELDS = ['name', 'department', 'title', 'email', 'phone', 'met_on'] as const;
type Field = (typeof FIELDS)[number];
type PersonForm = Readonly<Record<Field, string>>;

const BLANK: PersonForm = { name: '', department: '', title: '', email: '', phone: '', met_on: '' };
const TYPES: Readonly<Partial<Record<Field, 'email' | 'tel' | 'date'>>> = {
  email: 'email',
  phone: 'tel',
  met_on: 'date',
};
const LENGTHS: Readonly<Partial<Record<Field, number>>> = {
  name: MAX_NAME_LENGTH,
  department: MAX_NAME_LENGTH,
  title: MAX_NAME_LENGTH,
};

/** Adds a person to a company, or edits one. */
export default function PersonDialog({ companyId, stored, onClose }: Props) {
  const edited = usePersonForm(companyId, stored, onClose);
  const { form, faults, theirs, change } = edited;
  const check = useCheck(companyId, stored?.id, form);
  const isMoved = stored !== null && form.email.trim() !== (stored.email ?? '');

  return (
    <DraftDialog
      title={stored === null ? messages.dialog.add : messages.dialog.edit}
      size={560}
      edited={edited}
      theirs={theirs.map(({ field, theirs: value }) => ({ label: messages.fields[field], value }))}
      act={stored === null ? messages.addAct : undefined}
      foot={
        isMoved && check.affected !== undefined ? (
          <AffectedMails affected={check.affected} suppressed={check.suppressed ?? null} />
        ) : null
      }
      onClose={onClose}
    >
      <div className={styles.form}>
        {FIELDS.map((field) => (
          <TextField
            key={field}
            label={messages.fields[field]}
            className={field === 'email' ? styles.wide : undefined}
            error={faults[field]}
            type={TYPES[field] ?? 'text'}
            maxLength={LENGTHS[field]}
            data-autofocus={field === 'name' || undefined}
            value={form[field]}
            onChange={(value) => change({ [field]: value })}
          />
        ))}
      </div>
      <Hints check={check} />
    </DraftDialog>
  );
}

type PersonCheck = AnswerOf<'checkPerson'>;

/** Shows how a mail greets the person, who is the same, and whether the address is suppressed. */
function Hints({ check: { addressee, same = null, suppressed = null } }: { readonly check: Partial<PersonCheck> }) {
  if (addressee === undefined) return null;
  return (
    <div role="status">
      <p className="note">{messages.greeting(addressee)}</p>
      {same === null ? null : (
        <p className="note" data-state="look">
          {(same.archived === 1 ? messages.sameArchived : messages.same)(same.name)}
        </p>
      )}
      {suppressed === null ? null : (
        <p className="note" data-state="look">
          {COMPANY_FORM_MESSAGES.suppressed(suppressionText(suppressed))}
          <SuppressionReply suppressed={suppressed} />
        </p>
      )}
    </div>
  );
}

/**
 * Asks the server for hints about the typed person, when typing pauses. Until the answer the last greeting keeps its
 * line; what else was true of the text before is not shown.
 */
function useCheck(prospect_id: number, id: number | undefined, form: PersonForm): Partial<PersonCheck> {
  const { name, department, title, email } = form;
  const isBlank = [name, department, title, email].every((text) => text.trim() === '');
  const request = useDebounced(isBlank ? '' : JSON.stringify({ prospect_id, id, name, department, title, email }));
  const { data, isPlaceholderData } = useQuery({
    ...typedCheck('checkPerson', request),
    placeholderData: keepPreviousData,
    enabled: request !== '',
  });
  if (isBlank || data === undefined) return {};
  return isPlaceholderData ? { addressee: data.addressee } : data;
}

function storedOf(person: CompanyPerson | null): Seen<PersonForm> {
  if (person === null) return { version: null, form: BLANK };
  const { name, department, title, email, phone, met_on } = person;
  return {
    version: person.version,
    form: { name, department, title, email: email ?? '', phone: phone ?? '', met_on: met_on ?? '' },
  };
}

const isNobody = ({ met_on: _met, ...who }: PersonForm): boolean =>
  Object.values(who).every((text) => text.trim() === '');

function usePersonForm(companyId: number, person: CompanyPerson | null, onSaved: () => void) {
  const client = useQueryClient();
  const { keyOf } = useOnceKey();
  const stored = useMemo(() => storedOf(person), [person]);
  const edited: EditedForm<PersonForm> = useDraftForm({
    name: `company.${companyId}.person.${person?.id ?? 'new'}`,
    stored,
    check: (form: PersonForm) => (isNobody(form) ? { name: messages.missing } : {}),
    send: async (form: PersonForm) => {
      const written = Object.fromEntries(
        changedNames(form, stored.form).map((field) => [field, form[field].trim()]),
      ) as Partial<PersonForm>;
      if (person !== null) return putPerson(person, written);
      const body = { add_info: { prospect_id: companyId, ...written } };
      return unwrap(await call('createPerson', { body }, { headers: { 'Idempotency-Key': keyOf(body) } }));
    },
    onSaved: async (_answer, { name, email }) => {
      await reloadCompany(client, companyId);
      edited.discard();
      const trimmed = name.trim();
      const called = trimmed === '' ? email.trim() || messages.somebody : messages.polite(trimmed);
      toast('success', (person === null ? messages.added : messages.saved)(called));
      onSaved();
    },
    isConflict: (error) => hasCode(error, 'person_changed'),
    reload: () => reloadCompany(client, companyId),
    // An error without a field is shown above the form.
    showsItself: () => true,
  });
  return edited;
}
