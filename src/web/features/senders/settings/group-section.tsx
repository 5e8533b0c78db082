import IconBan from '@tabler/icons-react/dist/esm/icons/IconBan.mjs';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { StatusBadge } from '#web/components/inline/status-badge.tsx';
import { Panel } from '#web/components/panel.tsx';
import { EmptyState } from '#web/components/state/empty-state.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { toast } from '#web/lib/screen/toast.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { putGroup } from './changes.ts';
import { EditButton, ProfileCard } from './profile-card.tsx';
import styles from './sender-settings.module.css';
import { type GroupRow, type PairRow, type ProfileRow, reloadSenders } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly group: GroupRow;
  readonly markOf: (address: string) => ReactNode;
  readonly profiles: readonly ProfileRow[];
  readonly pairsOf: (profileId: number) => readonly PairRow[];
  readonly onRename: () => void;
  readonly onAdd: () => void;
  readonly onEdit: (profileId: number) => void;
}

/** Shows one group with its persons and actions. */
export function GroupSection({ group, markOf, profiles, pairsOf, onRename, onAdd, onEdit }: Props) {
  const client = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [mayUpdate, mayAdd] = [useMay('updateSenderGroup'), useMay('addSender')];
  const isActive = group.active === 1;
  const [active, inactive] = [1, 0].map((flag) => profiles.filter((profile) => profile.active === flag)) as [
    ProfileRow[],
    ProfileRow[],
  ];

  async function toggle(): Promise<void> {
    setBusy(true);
    const answer = await putGroup(group, { active: isActive ? 0 : 1 });
    setBusy(false);
    setFault(answer.ok ? undefined : answer.message);
    if (!answer.ok) return;
    toast('success', messages.saved.group(group.group_name));
    await reloadSenders(client);
  }

  return (
    <Panel
      title={group.group_name}
      tools={
        <>
          {isActive ? null : <StatusBadge look={{ tone: 'neutral', Icon: IconBan }} word={messages.inactive} />}
          <small>{messages.counts(active.length, group.sent_this_month)}</small>
          <div className="row push">
            {mayUpdate ? (
              <>
                <Button variant="quiet" onClick={onRename}>
                  {messages.renameGroup}
                </Button>
                <Button variant="quiet" busy={busy} onClick={() => void toggle()}>
                  {isActive ? messages.deactivate : messages.activate}
                </Button>
              </>
            ) : null}
            {mayAdd ? <Button onClick={onAdd}>{messages.addPerson}</Button> : null}
          </div>
        </>
      }
    >
      {fault === undefined ? null : (
        <Notice tone="bad" role="alert">
          {fault}
        </Notice>
      )}
      {active.length === 0 ? (
        <EmptyState kind="none" title={messages.noPerson} help={messages.noPersonHelp} />
      ) : (
        <ul>
          {active.map((profile) => (
            <ProfileCard
              key={profile.id}
              profile={profile}
              pairs={pairsOf(profile.id)}
              markOf={markOf}
              onEdit={() => onEdit(profile.id)}
            />
          ))}
        </ul>
      )}
      {inactive.length === 0 ? null : (
        <ul className={`note ${styles.inactive}`} aria-label={messages.inactivePersons}>
          {inactive.map((profile) => (
            <li key={profile.id} className={styles.line}>
              <span>{messages.inactivePerson(profile.person_in_charge, profile.email)}</span>
              <EditButton profile={profile} onEdit={() => onEdit(profile.id)} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
