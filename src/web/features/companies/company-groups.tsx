import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies/companies.ts';
import { Button } from '#web/components/button.tsx';
import fieldStyles from '#web/components/field/field.module.css';
import { Field } from '#web/components/field/field.tsx';
import { Switch } from '#web/components/field/switch.tsx';
import { TheirChanges } from '#web/components/field/their-changes.tsx';
import { Panel } from '#web/components/panel.tsx';
import { ReadOnly } from '#web/components/read-only.tsx';
import { SavedMark } from '#web/components/state/saved-mark.tsx';
import { hasCode } from '#web/lib/api/query-client.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import { useDraftForm } from '#web/lib/form/draft-form.ts';
import { keepWhole } from '#web/lib/form/merged-form.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { sentenceTime } from '#web/lib/screen-time.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { COMMON_MESSAGES } from '#web/lib/words.ts';
import styles from './company.module.css';
import { groupOf, labelOf } from './company-form.ts';
import { companyQuery, reloadCompany, reloadCompanyLists } from './company-query.ts';
import { type Group, saveOfGroup } from './save-company.ts';
import { COMPANY_FORM_MESSAGES, COMPANY_MESSAGES } from './words.ts';

type GroupState = CompanyDetail['groups'][number];

interface Props {
  readonly company: CompanyDetail;
  /** The group whose remarks have their own field above; undefined: none. */
  readonly currentId: number | undefined;
}

/** Shows what each sender group stores about a company: whether it may be mailed, remarks, the last mail. */
export function CompanyGroups({ company, currentId }: Props) {
  const { groups } = COMPANY_MESSAGES;
  return (
    <Panel title={groups.title}>
      {company.groups.length === 0 ? <small>{groups.none}</small> : null}
      <ul className={styles.groups}>
        {company.groups.map((group) => (
          <GroupLine
            key={group.sender_group_id}
            company={company}
            group={group}
            isCurrent={group.sender_group_id === currentId}
          />
        ))}
      </ul>
    </Panel>
  );
}

interface LineProps {
  readonly company: CompanyDetail;
  readonly group: GroupState;
  readonly isCurrent: boolean;
}

function GroupLine({ company, group, isCurrent }: LineProps) {
  const { sender_group_id, group_name, remarks, sent_at, send_at } = group;
  const { groups } = COMPANY_MESSAGES;
  const { mutate, isPending, isSuccess, variables } = useSaveActive(company, sender_group_id);
  const active = isPending ? variables : group.active;
  return (
    <li>
      {useMay('saveActiveProspect', { groupId: sender_group_id }) ? (
        <Switch
          label={groups.activeIn(company.company_name, group_name)}
          checked={active === 1}
          busy={isPending}
          onChange={(checked) => mutate(checked ? 1 : 0)}
        />
      ) : (
        <small>{DATA_MESSAGES.prospects.actives[active === 1 ? 1 : 0]}</small>
      )}
      <div>
        <strong>{group_name}</strong>
        <SavedMark isSaved={isSuccess} />
        {sent_at === null ? null : <small>{groups.lastSent(sentenceTime(sent_at))}</small>}
        {send_at === null ? null : <small>{groups.reserved(sentenceTime(send_at))}</small>}
        {isCurrent ? null : remarks === '' ? <small>{groups.noRemarks}</small> : <p>{remarks}</p>}
      </div>
    </li>
  );
}

/** Saves the active flag of a group. The saved value stays on screen while the company reloads. */
function useSaveActive({ id }: CompanyDetail, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (active: 0 | 1) => saveOfGroup(id, groupId, { active }, null),
    onSuccess: async (_saved, active) => {
      await setOfGroup(client, id, groupId, { active });
      reloadCompanyLists(client);
    },
  });
}

/** Shows a group's saved values, and cancels reads that began before and have the old values. */
async function setOfGroup(client: QueryClient, id: number, groupId: number, stored: Partial<GroupState>) {
  const { queryKey } = companyQuery(id);
  await client.cancelQueries({ queryKey });
  const set = (group: GroupState) => (group.sender_group_id === groupId ? { ...group, ...stored } : group);
  client.setQueryData(queryKey, (company) => company && { ...company, groups: company.groups.map(set) });
}

interface RemarksProps {
  readonly company: CompanyDetail;
  readonly group: Group;
}

/** Edits the remarks of the chosen group in the view of the company. */
export function CompanyRemarks({ company, group }: RemarksProps) {
  const client = useQueryClient();
  const { id } = company;
  const { remarks = '', remarks_version = null } = groupOf(company, group.id) ?? {};
  const isConflict = (error: Error) => hasCode(error, 'remarks_changed');
  const reload = () => reloadCompany(client, id);
  const edited = useDraftForm({
    name: `company.${id}.remarks.${group.id}`,
    stored: { version: remarks_version, form: { remarks } },
    merge: keepWhole,
    send: async (form) => {
      const stored = { remarks: form.remarks.trim() };
      const saved = await saveOfGroup(id, group.id, stored, remarks_version);
      await setOfGroup(client, id, group.id, { ...stored, remarks_version: saved });
      return saved;
    },
    onSaved: () => {
      toast('success', COMPANY_MESSAGES.remarksSaved);
      return reload();
    },
    isConflict,
    reload,
    showsItself: (error, isPlaced) => isPlaced || isConflict(error),
  });
  const { element, form, faults, conflict, theirs, isDirty, busy, change, save, discard } = edited;
  const mayEdit = useMay('saveActiveProspect', { groupId: group.id });
  return (
    <form
      ref={element}
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isDirty) save();
      }}
    >
      <TheirChanges
        message={conflict}
        theirs={isDirty ? theirs.map((one) => ({ label: labelOf('remarks'), value: one.theirs })) : []}
      >
        <Button onClick={discard}>{COMMON_MESSAGES.theirChanges.load}</Button>
      </TheirChanges>
      <ReadOnly may={mayEdit}>
        <Field label={COMPANY_FORM_MESSAGES.remarks(group.group_name)} error={faults.remarks}>
          {(control) => (
            <textarea
              {...control}
              className={fieldStyles.control}
              rows={2}
              placeholder={COMPANY_MESSAGES.groups.noRemarks}
              readOnly={busy}
              value={form.remarks}
              onChange={(event) => change({ remarks: event.target.value })}
            />
          )}
        </Field>
      </ReadOnly>
      {isDirty ? (
        <div className="acts end">
          <Button busy={busy} onClick={discard}>
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
