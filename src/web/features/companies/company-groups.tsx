import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CompanyDetail } from '#contract/companies.ts';
import { Panel } from '#web/components/panel.tsx';
import { Switch } from '#web/components/switch.tsx';
import { minuteWithWeekday } from '#web/lib/with-weekday.ts';
import styles from './company.module.css';
import { companyQuery, reloadCompanyLists } from './company-query.ts';
import { saveOfGroup } from './save-company.ts';
import { COMPANY_MESSAGES } from './words.ts';

type GroupState = CompanyDetail['groups'][number];

interface Props {
  readonly company: CompanyDetail;
  /** The group whose remarks stand above, in their field; undefined: there is none. */
  readonly currentId: number | undefined;
}

/** What each sender group has noted of a company: whether it may be mailed, remarks, the last mail. */
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
  const { sender_group_id, group_name, remarks, sent_at } = group;
  const { groups } = COMPANY_MESSAGES;
  const { mutate, isPending, variables } = useSaveActive(company, sender_group_id);
  const active = isPending ? variables : group.active;
  return (
    <li>
      <Switch
        label={groups.activeIn(company.company_name, group_name)}
        checked={active === 1}
        busy={isPending}
        onChange={(checked) => mutate(checked ? 1 : 0)}
      />
      <div>
        <strong>{group_name}</strong>
        {sent_at === null ? null : <small>{groups.lastSent(minuteWithWeekday(sent_at))}</small>}
        {isCurrent ? null : remarks === '' ? <small>{groups.noRemarks}</small> : <p>{remarks}</p>}
      </div>
    </li>
  );
}

/** Saves the flag of a group. The saved value stays on screen while the company reloads. */
function useSaveActive({ id }: CompanyDetail, groupId: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (active: 0 | 1) => saveOfGroup(id, groupId, { active }, null),
    onSuccess: (_saved, active) => {
      const set = (group: GroupState) => (group.sender_group_id === groupId ? { ...group, active } : group);
      client.setQueryData(
        companyQuery(id).queryKey,
        (company) => company && { ...company, groups: company.groups.map(set) },
      );
      reloadCompanyLists(client);
    },
  });
}
