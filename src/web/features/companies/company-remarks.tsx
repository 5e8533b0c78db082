import { useQueryClient } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies.ts';
import { Button } from '#web/components/button.tsx';
import fieldStyles from '#web/components/field.module.css';
import { Field } from '#web/components/field.tsx';
import { TheirChanges } from '#web/components/their-changes.tsx';
import { useDraftForm } from '#web/lib/draft-form.ts';
import { keepWhole } from '#web/lib/merged-form.ts';
import { hasCode } from '#web/lib/query-client.ts';
import { toast } from '#web/lib/toast.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './company.module.css';
import { groupOf, labelOf } from './company-form.ts';
import { reloadCompany } from './company-query.ts';
import { type Group, saveOfGroup } from './save-company.ts';
import { COMPANY_FORM_MESSAGES, COMPANY_MESSAGES } from './words.ts';

interface Props {
  readonly company: CompanyDetail;
  readonly group: Group;
}

/** The remarks of the chosen group, written where the company is read. */
export function CompanyRemarks({ company, group }: Props) {
  const client = useQueryClient();
  const { id } = company;
  const { remarks = '', remarks_version = null } = groupOf(company, group.id) ?? {};
  const isConflict = (error: Error) => hasCode(error, 'remarks_changed');
  const reload = () => reloadCompany(client, id);
  const edited = useDraftForm({
    name: `company.${id}.remarks.${group.id}`,
    stored: { version: remarks_version, form: { remarks } },
    merge: keepWhole,
    send: (form) => saveOfGroup(id, group.id, { remarks: form.remarks.trim() }, remarks_version),
    onSaved: () => {
      toast('success', COMPANY_MESSAGES.remarksSaved);
      return reload();
    },
    isConflict,
    reload,
    showsItself: (error, isPlaced) => isPlaced || isConflict(error),
  });
  const { form, faults, isDirty, busy } = edited;
  return (
    <form
      ref={edited.element}
      className={styles.remarks}
      onSubmit={(event) => {
        event.preventDefault();
        if (isDirty) edited.save();
      }}
    >
      <TheirChanges
        message={edited.conflict}
        theirs={isDirty ? edited.theirs.map(({ theirs }) => ({ label: labelOf('remarks'), value: theirs })) : []}
      >
        <Button onClick={edited.discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
      </TheirChanges>
      <Field label={COMPANY_FORM_MESSAGES.remarks(group.group_name)} error={faults.remarks}>
        {(control) => (
          <textarea
            {...control}
            className={`${fieldStyles.control} ${styles.area}`}
            rows={2}
            placeholder={COMPANY_MESSAGES.groups.noRemarks}
            readOnly={busy}
            value={form.remarks}
            onChange={(event) => edited.change({ remarks: event.target.value })}
          />
        )}
      </Field>
      {isDirty ? (
        <div className={styles.acts}>
          <Button busy={busy} onClick={edited.discard}>
            {COMMON_MESSAGES.actions.cancel}
          </Button>
          <Button type="submit" busy={busy}>
            {COMPANY_MESSAGES.saveRemarks}
          </Button>
        </div>
      ) : null}
    </form>
  );
}
