import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useToldError } from '#web/lib/data/use-told-error.ts';
import { useSession } from '#web/lib/session/session-store.ts';
import { type SenderGroup, senderGroupList } from './list-sender-groups.ts';
import { type Sender, senderList } from './list-senders.ts';
import { selectSender, useSenders } from './senders-state.ts';

export interface CurrentSender {
  readonly groups: readonly SenderGroup[] | undefined;
  readonly group: SenderGroup | undefined;
  readonly senders: readonly Sender[] | undefined;
  readonly sender: Sender | undefined;
  /** Why the groups could not be read; a toast says it of the senders. */
  readonly error: Error | null;
  /** Whether the chosen sender no longer exists. Only the user chooses another one. */
  readonly isGone: boolean;
  /** Retries the failed request; undefined: nothing failed. */
  readonly retry: (() => void) | undefined;
  /** Reloads both lists, because a missing group or sender may exist now. */
  readonly reload: () => void;
}

/** Whether the account has no sender group, or the chosen group has no sender. */
export const hasNoSender = ({ groups, senders }: Pick<CurrentSender, 'groups' | 'senders'>): boolean =>
  groups?.length === 0 || senders?.length === 0;

/** Returns the row with the chosen id; without a choice, the first of the list. */
export const chosenOf = <Row extends { readonly id: number }>(rows: readonly Row[] | undefined, id: number | null) =>
  rows?.find((row) => row.id === id) ?? rows?.[0];

/** Returns the chosen group. */
export function useCurrentGroup() {
  const accountId = useSession((state) => state.current_user?.id);
  const groupId = useSenders((state) => state.current_sender_group);
  const query = useQuery({ ...senderGroupList(accountId ?? 0), enabled: accountId !== undefined });
  return { query, groups: query.data, group: chosenOf(query.data, groupId) };
}

/** Returns the groups for a screen that goes on without them, none until they are known. */
export function useOptionalGroups(): readonly SenderGroup[] {
  const { query, groups = [] } = useCurrentGroup();
  useToldError(query);
  return groups;
}

/** Returns the chosen group and sender. */
export function useCurrentSender(): CurrentSender {
  const senderId = useSenders((state) => state.current_sender);
  const { query: groupQuery, groups, group } = useCurrentGroup();

  const senderOptions = senderList(group?.id ?? 0);
  const senderQuery = useQuery({ ...senderOptions, enabled: group !== undefined });
  const senders = senderQuery.data;
  const { isFetching, isFetchedAfterMount } = senderQuery;
  const isMissing = senderId !== null && senders?.every(({ id }) => id !== senderId) === true;
  // A sender that was just added, in the editor of its template, arrives with the pending answer.
  const isAwaited = isMissing && isFetching && !isFetchedAfterMount;
  const isGone = isMissing && !isAwaited && senders.length > 0;
  const sender = isMissing ? undefined : chosenOf(senders, senderId);
  // A sender that was shown as the first stays chosen: otherwise the next first one would replace it unnoticed.
  const first = senderId === null && !isFetching ? sender?.id : undefined;
  useEffect(() => {
    if (first !== undefined) selectSender(first);
  }, [first]);

  const failed = [groupQuery, senderQuery].find(({ isError, data }) => isError && data === undefined);
  const retry = failed && (() => void failed.refetch());

  function reload(): void {
    void groupQuery.refetch();
    if (group !== undefined) void senderQuery.refetch();
  }

  const { error } = groupQuery;
  return { groups, group, senders: isAwaited ? undefined : senders, sender, error, isGone, retry, reload };
}
