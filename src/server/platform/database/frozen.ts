import { type Expression, type SqlBool, sql } from 'kysely';
import pg from 'pg';
import { Problem } from '../problem.ts';

/*
 * A frozen account stands still while it is copied to another cell (decisions/cells). Three guards keep it so:
 * - transactions of AccountDb begin with refuse_frozen(), and fail with KF001;
 * - statements over all accounts, as the loops have them, leave frozen ones out by isNotFrozen();
 * - a request with a session of the account is answered before anything else.
 * `freeze` (features/moves) waits for the transactions that began before.
 */

const FROZEN = 'KF001';

/** Whether a transaction of an account was refused because it is frozen. */
export const isAccountFrozen = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === FROZEN;

/**
 * The condition that an account is not frozen.
 * The planner reads the frozen ones once a statement, from an index that has them alone.
 * @param column of a row, with the account's id
 */
export const isNotFrozen = (column: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} <> ALL (ARRAY(SELECT id FROM account WHERE frozen_at IS NOT NULL))`;

/** The same of an account of which nothing is under way any more. Until then what had begun may end. */
export const isNotSettled = (column: string): Expression<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} <> ALL (ARRAY(
    SELECT id FROM account WHERE frozen_at IS NOT NULL AND settled_at IS NOT NULL))`;

const RETRY_SECONDS = 60;

export const accountFrozen = () =>
  new Problem('account_frozen', 'データを移行しています。しばらくしてから、もう一度開いてください。', RETRY_SECONDS);
