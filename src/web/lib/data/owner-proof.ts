import { useState } from 'react';
import { hasCode } from '#web/lib/api/query-client.ts';
import { type RuleChanges, useChangeRule } from './account-rule.ts';

/** Whether a change was refused because the log-in is too old for it, or the password beside it is wrong. */
export const isOwnerUnproved = (error: Error | null): boolean =>
  hasCode(error, 'password_needed') || hasCode(error, 'wrong_password');

/** Returns what stands at the password's field. */
export const passwordFault = (error: Error | null): string | undefined =>
  hasCode(error, 'wrong_password') ? error?.message : undefined;

/**
 * Saves a change of the log-ins at once, and again with the password where the server asks for it.
 * @param isRefused whether the screen itself shows an error of the rule
 */
export function useChangeLogIns(isRefused: (error: Error | null) => boolean) {
  const showsItself = (error: Error) => isOwnerUnproved(error) || isRefused(error);
  const { mutate, isSuccess, isPending, error } = useChangeRule({ showsItself });
  /** The change that waits for the password. */
  const [waiting, setWaiting] = useState<RuleChanges | null>(null);
  const send = (changes: RuleChanges, proof: { readonly current_password?: string } = {}) =>
    mutate(
      { ...changes, ...proof },
      {
        onSuccess: () => setWaiting(null),
        onError: (failure) => {
          if (hasCode(failure, 'password_needed')) setWaiting(changes);
          else if (isRefused(failure)) setWaiting(null);
        },
      },
    );
  return {
    change: (changes: RuleChanges) => send(changes),
    isSaved: isSuccess,
    refusal: isRefused(error) ? error?.message : undefined,
    isPasswordAsked: waiting !== null,
    password: {
      error: passwordFault(error),
      busy: isPending,
      onConfirm: (current_password: string) => waiting !== null && send(waiting, { current_password }),
    },
  };
}
