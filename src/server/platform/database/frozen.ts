import { type Expression, type SqlBool, sql } from 'kysely';
import pg from 'pg';
import { Problem } from '../problem.ts';

/*
 * A frozen account does not change while it is copied to another cell (decisions/cells). Three guards ensure that:
 * - transactions of AccountDb begin with refuse_frozen(), and fail with KF001;
 * - statements over all accounts, such as those of loops, exclude frozen ones by isNotFrozen();
 * - a request with a session of the account is refused before anything else.
 * `freeze` (features/moves) waits for earlier transactions.
 */

const FROZEN = 'KF001';

/** Whether a transaction was refused because its account is frozen. */
export const isAccountFrozen = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === FROZEN;

/**
 * The condition that an account is not frozen.
 * The planner reads the frozen ones once per statement, from a partial index of them.
 * @param column of a row, with the account's id
 */
export const isNotFrozen = (column: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} <> ALL (ARRAY(SELECT id FROM account WHERE frozen_at IS NOT NULL))`;

/** The condition that an account is not settled: until then, work that started before its freeze may end. */
export const isNotSettled = (column: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} <> ALL (ARRAY(
    SELECT id FROM account WHERE frozen_at IS NOT NULL AND settled_at IS NOT NULL))`;

const RETRY_SECONDS = 60;

export const accountFrozen = () =>
  new Problem('account_frozen', 'データを移行しています。しばらくしてから、もう一度開いてください。', RETRY_SECONDS);
