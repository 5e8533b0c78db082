import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { NotLoaded } from '#web/components/not-loaded.tsx';
import { GroupDialog } from './group-dialog.tsx';
import { GroupSection } from './group-section.tsx';
import { SenderDialog } from './sender-dialog.tsx';
import styles from './sender-settings.module.css';
import { senderSettings } from './settings-query.ts';

type Open =
  | { readonly kind: 'rename'; readonly groupId: number }
  | { readonly kind: 'add'; readonly groupId: number }
  | { readonly kind: 'edit'; readonly senderId: number };

interface Props {
  /** Returns a mark for a sender's address, if there is something to see to. */
  readonly markOf: (address: string) => ReactNode;
  readonly isAdding: boolean;
  readonly onAdded: () => void;
}

/** All groups with their senders, and the dialogs that change them. */
export function SenderSettings({ markOf, isAdding, onAdded }: Props) {
  const { data, isError, refetch } = useQuery(senderSettings);
  const [open, setOpen] = useState<Open | null>(null);
  if (data === undefined) return <NotLoaded hasFailed={isError} onRetry={() => void refetch()} />;
  const { groups, senders } = data;
  const close = () => setOpen(null);
  const renamed = open?.kind === 'rename' ? groups.find(({ id }) => id === open.groupId) : undefined;
  return (
    <div className={styles.groups}>
      {groups.map((group) => (
        <GroupSection
          key={group.id}
          group={group}
          markOf={markOf}
          senders={senders.filter(({ sender_group_id }) => sender_group_id === group.id)}
          onRename={() => setOpen({ kind: 'rename', groupId: group.id })}
          onAdd={() => setOpen({ kind: 'add', groupId: group.id })}
          onEdit={(senderId) => setOpen({ kind: 'edit', senderId })}
        />
      ))}
      {isAdding ? <GroupDialog group={null} onClose={onAdded} /> : null}
      {renamed === undefined ? null : <GroupDialog group={renamed} onClose={close} />}
      {open?.kind === 'add' ? <SenderDialog of={{ groupId: open.groupId }} onClose={close} /> : null}
      {open?.kind === 'edit' ? <SenderDialog of={{ id: open.senderId }} onClose={close} /> : null}
    </div>
  );
}
