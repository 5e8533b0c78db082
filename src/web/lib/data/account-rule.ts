import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AnswerOf, call, type InputOf } from '#web/lib/api/call.ts';
import { type MutationMeta, unwrap } from '#web/lib/api/query-client.ts';
import { ACCOUNT_RULE } from '#web/lib/api/query-keys.ts';

export type AccountRule = AnswerOf<'getAccountRule'>;

/** Fetches the rules for the account's sending. */
export const accountRule = queryOptions({
  queryKey: [ACCOUNT_RULE],
  queryFn: async ({ signal }): Promise<AccountRule> => unwrap(await call('getAccountRule', {}, { signal })),
  // Other members change them too, and the dialog before a send shows the current ones.
  staleTime: 0,
});

/** Returns the seconds to undo a real send; undefined: unknown. @param isAsked false: sends no request */
export function useUndoSeconds(isAsked: boolean): number | undefined {
  const { data, isError } = useQuery({ ...accountRule, enabled: isAsked, meta: { quiet: true } });
  return isError ? undefined : data?.undo_seconds;
}

export type RuleChanges = InputOf<'updateAccountRule'>['body']['update_info'];

/** Saves a change at once. Until the answer, the screen shows the chosen value. */
export function useChangeRule(meta: MutationMeta = {}) {
  const client = useQueryClient();
  return useMutation({
    meta,
    mutationFn: async ({ current_password, ...update_info }: RuleChanges & { readonly current_password?: string }) =>
      unwrap(await call('updateAccountRule', { body: { update_info, current_password } })),
    onMutate: async (changes) => {
      await client.cancelQueries({ queryKey: [ACCOUNT_RULE] });
      const before = client.getQueryData(accountRule.queryKey);
      client.setQueryData(
        accountRule.queryKey,
        // The cast is safe: no change is undefined. The password is no rule, and is kept nowhere.
        before && ({ ...before, ...changes, current_password: undefined } as AccountRule),
      );
      return before;
    },
    // The reload may fail too.
    onError: (_error, _change, before) => client.setQueryData(accountRule.queryKey, before),
    onSettled: () => client.invalidateQueries({ queryKey: [ACCOUNT_RULE] }),
  });
}
