import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { addressKey } from '#domain/mail/address-key.ts';
import { NotLoaded } from '#web/components/state/not-loaded.tsx';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';
import { GroupDialog } from './group-dialog.tsx';
import { GroupSection } from './group-section.tsx';
import { ProfileDialog } from './profile-dialog.tsx';
import { senderSettings } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

type Open =
  | { readonly kind: 'rename'; readonly groupId: number }
  | { readonly kind: 'add'; readonly groupId: number }
  | { readonly kind: 'edit'; readonly profileId: number };

interface Props {
  /** Returns a mark for a sender's address that has a problem. */
  readonly markOf: (address: string) => ReactNode;
  readonly isAdding: boolean;
  readonly onAdded: () => void;
}

/** Shows all groups with their persons, and the dialogs that change them. */
export function SenderSettings({ markOf, isAdding, onAdded }: Props) {
  const { data, error, refetch } = useQuery(senderSettings);
  const [open, setOpen] = useState<Open | null>(null);
  if (data === undefined) return <NotLoaded what={messages.title} error={error} onRetry={() => void refetch()} />;
  const { groups, profiles, pairs } = data;
  const addresses = profiles.filter(({ active }) => active === 1).map(({ email }) => addressKey(email));
  const twins = [...new Set(addresses.filter((address, place) => addresses.indexOf(address) !== place))];
  const pairsOf = (profileId: number) => pairs.filter(({ profile_id }) => profile_id === profileId);
  const close = () => setOpen(null);
  const edited = open?.kind === 'edit' ? profiles.find(({ id }) => id === open.profileId) : undefined;
  const renamed = open?.kind === 'rename' ? groups.find(({ id }) => id === open.groupId) : undefined;
  return (
    <div className="stack-wide">
      {groups.map((group) => (
        <GroupSection
          key={group.id}
          group={group}
          markOf={markOf}
          profiles={profiles.filter(({ sender_group_id }) => sender_group_id === group.id)}
          pairsOf={pairsOf}
          onRename={() => setOpen({ kind: 'rename', groupId: group.id })}
          onAdd={() => setOpen({ kind: 'add', groupId: group.id })}
          onEdit={(profileId) => setOpen({ kind: 'edit', profileId })}
        />
      ))}
      {twins.length === 0 ? null : <p className="note">{messages.twinsHelp(twins.join(LIST_SEPARATOR))}</p>}
      {isAdding ? <GroupDialog group={null} onClose={onAdded} /> : null}
      {renamed === undefined ? null : <GroupDialog group={renamed} onClose={close} />}
      {open?.kind === 'add' ? (
        <ProfileDialog of={{ groupId: open.groupId }} stored={null} pairs={[]} onClose={close} />
      ) : null}
      {edited === undefined ? null : (
        <ProfileDialog of={{ id: edited.id }} stored={edited} pairs={pairsOf(edited.id)} onClose={close} />
      )}
    </div>
  );
}
