import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { EmptyState } from '#web/components/empty-state.tsx';
import { toast } from '#web/lib/toast.ts';
import { putGroup } from './changes.ts';
import styles from './sender-settings.module.css';
import { ActiveBadge, SenderTable } from './sender-table.tsx';
import { type GroupRow, reloadSenders, type SenderRow } from './settings-query.ts';
import { SENDER_SETTINGS_MESSAGES as messages } from './words.ts';

interface Props {
  readonly group: GroupRow;
  readonly markOf: (address: string) => ReactNode;
  readonly senders: readonly SenderRow[];
  readonly onRename: () => void;
  readonly onAdd: () => void;
  readonly onEdit: (senderId: number) => void;
}

/** One group with its senders, and what can be done with it. */
export function GroupSection({ group, markOf, senders, onRename, onAdd, onEdit }: Props) {
  const client = useQueryClient();
  const headingId = useId();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const isActive = group.active === 1;

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
    <section className={styles.group} aria-labelledby={headingId}>
      <div className={styles.groupHead}>
        <h2 id={headingId}>{group.group_name}</h2>
        <ActiveBadge isActive={isActive} />
        <span className={styles.counts}>{messages.counts(group.senders, group.sent_this_month)}</span>
        <div className={styles.groupActions}>
          <Button variant="quiet" onClick={onRename}>
            {messages.renameGroup}
          </Button>
          <Button variant="quiet" busy={busy} onClick={() => void toggle()}>
            {isActive ? messages.deactivate : messages.activate}
          </Button>
          <Button onClick={onAdd}>{messages.addSender}</Button>
        </div>
      </div>
      {fault === undefined ? null : (
        <p className={styles.fault} role="alert">
          {fault}
        </p>
      )}
      {senders.length === 0 ? (
        <EmptyState kind="none" title={messages.noSender} help={messages.noSenderHelp} />
      ) : (
        <SenderTable label={group.group_name} senders={senders} markOf={markOf} onEdit={onEdit} />
      )}
    </section>
  );
}
