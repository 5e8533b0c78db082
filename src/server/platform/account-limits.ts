import type { Call } from '#contract/call.ts';
import { accountDbOf, type MemberDb, type MemberKey } from './database/account-db.ts';
import type { Db } from './database/db.ts';

/** What an account may use of the database in one web process. */
export interface AccountLimits {
  /** The most time of a statement, unless its call has its own (Call.statementSeconds). */
  readonly statementMs: number;
}

export const ACCOUNT_LIMITS: AccountLimits = { statementMs: 15_000 };

/** Returns the database of the member who makes a call. */
export type MemberDbOf = (member: MemberKey, call: Call) => MemberDb;

/** Limits how long statements of an account take. */
export const limitedAccountDb =
  (api: Db, limits: AccountLimits): MemberDbOf =>
  ({ accountId, memberId }, { statementSeconds }) => {
    const statementMs = statementSeconds === undefined ? limits.statementMs : statementSeconds * 1000;
    return accountDbOf(api, statementMs)(accountId, memberId);
  };
