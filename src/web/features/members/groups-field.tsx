import { useId } from 'react';
import field from '#web/components/field/field.module.css';
import styles from './members.module.css';
import type { NamedGroup } from './members-query.ts';
import { MEMBER_MESSAGES as messages } from './words.ts';

/** The chosen groups as fields of a form: texts, because a draft is merged by its fields. */
export interface GroupsForm {
  readonly in_all: boolean;
  /** The ids, separated by commas. */
  readonly groups: string;
}

export const EVERYWHERE: GroupsForm = { in_all: true, groups: '' };

export const groupsFormOf = (ids: readonly number[] | null): GroupsForm =>
  ids === null ? EVERYWHERE : { in_all: false, groups: ids.join() };

const readIds = (groups: string): number[] => (groups === '' ? [] : groups.split(',').map(Number));

/** Returns the groups as the calls take them. @param role only members of the role `sales` have some */
export const groupIdsOf = ({ role, in_all, groups }: GroupsForm & { readonly role: string }): number[] | null =>
  role !== 'sales' || in_all ? null : readIds(groups);

export const groupsFault = (form: GroupsForm & { readonly role: string }): { readonly groups?: string } =>
  groupIdsOf(form)?.length === 0 ? { groups: messages.groupsMissing } : {};

interface Props {
  readonly form: GroupsForm;
  readonly groups: readonly NamedGroup[];
  readonly error: string | undefined;
  readonly onChange: (change: Partial<GroupsForm>) => void;
}

/** Asks in which sender groups a member acts: in all, or in those that are ticked. */
export function GroupsField({ form, groups, error, onChange }: Props) {
  const id = useId();
  const chosen = new Set(readIds(form.groups));
  // A group that was deactivated meanwhile can be unticked.
  const shown = groups.filter((group) => group.active === 1 || chosen.has(group.id));

  function tick(groupId: number, isTicked: boolean): void {
    const others = [...chosen].filter((other) => other !== groupId);
    onChange({ groups: (isTicked ? [...others, groupId] : others).toSorted((one, other) => one - other).join() });
  }

  return (
    <fieldset className={styles.groups} aria-describedby={`${id}-note`}>
      <legend className={field.label}>{messages.groups}</legend>
      <div className="row">
        {[true, false].map((inAll) => (
          <label key={String(inAll)}>
            <input
              type="radio"
              name={id}
              checked={form.in_all === inAll}
              onChange={() => onChange({ in_all: inAll })}
            />
            {inAll ? messages.everywhere : messages.chooseGroups}
          </label>
        ))}
      </div>
      {form.in_all ? null : (
        <ul>
          {shown.map((group, place) => (
            <li key={group.id}>
              <label>
                <input
                  type="checkbox"
                  aria-invalid={(error !== undefined && place === 0) || undefined}
                  checked={chosen.has(group.id)}
                  onChange={({ target }) => tick(group.id, target.checked)}
                />
                <span>{group.active === 1 ? group.group_name : messages.inactiveGroup(group.group_name)}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <p id={`${id}-note`} className={error === undefined ? field.help : field.error}>
        {error ?? messages.groupsHelp}
      </p>
    </fieldset>
  );
}
