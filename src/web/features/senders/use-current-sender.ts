import { useQuery } from '@tanstack/react-query';
import { useSession } from '#web/lib/session-store.ts';
import { type SenderGroup, senderGroupList } from './list-sender-groups.ts';
import { type Sender, senderList } from './list-senders.ts';
import { useSenders } from './senders-state.ts';

export interface CurrentSender {
  readonly groups: readonly SenderGroup[] | undefined;
  readonly group: SenderGroup | undefined;
  readonly senders: readonly Sender[] | undefined;
  readonly sender: Sender | undefined;
  /** Retries the failed request; undefined: nothing failed. */
  readonly retry: (() => void) | undefined;
  /** Reloads both lists, because a missing group or sender may exist now. */
  readonly reload: () => void;
}

/** Returns the chosen group and sender. The first of each list replaces a missing choice. */
export function useCurrentSender(): CurrentSender {
  const accountId = useSession((state) => state.current_user?.id);
  const groupId = useSenders((state) => state.current_sender_group);
  const senderId = useSenders((state) => state.current_sender);

  const groupOptions = senderGroupList(accountId ?? 0);
  const groupQuery = useQuery({ ...groupOptions, enabled: accountId !== undefined });
  const groups = groupQuery.data;
  const group = groups?.find(({ id }) => id === groupId) ?? groups?.[0];

  const senderOptions = senderList(group?.id ?? 0);
  const senderQuery = useQuery({ ...senderOptions, enabled: group !== undefined });
  const senders = senderQuery.data;
  const sender = senders?.find(({ id }) => id === senderId) ?? senders?.[0];

  const failed = [groupQuery, senderQuery].find(({ isError, data }) => isError && data === undefined);
  const retry = failed && (() => void failed.refetch());

  function reload(): void {
    void groupQuery.refetch();
    if (group !== undefined) void senderQuery.refetch();
  }

  return { groups, group, senders, sender, retry, reload };
}
