import { create } from 'zustand';

/**
 * What the codes of refusals say beside their call. A new session or a reload resets it.
 * `instead`: the code that nearly every call gets; a page in place of all screens says why. `refusals`: how often a
 * call was refused by role or group.
 */
export const useRefusals = create(() => ({ instead: '', refusals: 0 }));

/** The codes during a move of the account's data, before a second step that it asks for, and in a foreign network. */
const INSTEAD = /^(account_frozen|two_factor_setup|network_not_allowed)$/;

export const forgetRefusals = (): void => useRefusals.setState({ instead: '', refusals: 0 });

export function noteRefusal(code: string): void {
  if (INSTEAD.test(code)) useRefusals.setState({ instead: code });
  if (/^not_(allowed|in_group)$/.test(code)) useRefusals.setState(({ refusals }) => ({ refusals: refusals + 1 }));
}
