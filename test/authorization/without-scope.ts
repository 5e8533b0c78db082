import type { Db } from '#server/platform/database/db.ts';
import { openAs } from '#test/open-as.ts';
import { rewriteStatements } from '../statements.ts';

/** Matches the beginning of every transaction. */
const ACCOUNT_SET = /SET LOCAL app\.account_id = (\d+)/;
/** Matches the beginning of a transaction that may write. */
const WRITING = /^BEGIN;/;
/** Matches a condition written by hand or by the builder, with or without its table. */
const ACCOUNT_ID = /(?<![\w".])((?:"?\w+"?\.)?"?account_id"?) = \$(\d+)/g;
/** The table of accounts has the account's id in `id`. */
const ID_OF_ACCOUNT = /("account"\."id") = \$(\d+)/g;
const ID_ALONE = /(?<![\w".])("id") = \$(\d+)/g;
const OF_ACCOUNT_ALONE = /(?:from|update) "account" (?:set|where) /;
/** Matches each read or write of one of these tables; not `FOR UPDATE` and `DO UPDATE`. */
const tableUses = (tables: readonly string[]) =>
  new RegExp(
    String.raw`\b(?:from|join|using|(?<!do |for |no key )update)\s+"?(?:${tables.join('|')})"?(?![\w"])`,
    'gi',
  );
/** Matches a condition on the account, also in a join. */
const CONDITION = /(?:account_id"?|"account"\."id"|\("id") = /g;

/**
 * Counts the queries of the API's pool that lack the account's condition, and removes it from the others. `account_id
 * = <the asking account>` becomes `account_id = account_id`, as if each query had forgotten it. Then only row level
 * security separates the accounts. Other filters stay.
 * @param tables those with rows of accounts
 * @param countsOnly sends the queries unchanged
 * @param connections of the pool
 */
export function withoutScope(
  url: string,
  tables: readonly string[],
  { countsOnly = false, connections = 4 } = {},
): {
  readonly api: Db;
  /** Returns how many conditions were removed from the queries of an account. */
  readonly removed: (accountId: number) => number;
  /** Returns the queries of an account with fewer conditions on the account than uses of `tables`. */
  readonly unscoped: (accountId: number) => readonly string[];
  /** Returns how many transactions of an account were started that may write. */
  readonly writing: (accountId: number) => number;
  close(): Promise<void>;
} {
  const { db: api, pool, close } = openAs('api', url, connections);
  const removed = new Map<number, number>();
  const removedOf = (accountId: number) => removed.get(accountId) ?? 0;
  const tableUse = tableUses(tables);
  const writing = new Map<number, number>();
  const writingOf = (accountId: number) => writing.get(accountId) ?? 0;
  const unscoped = new Map<number, string[]>();
  const unscopedOf = (accountId: number) => unscoped.get(accountId) ?? [];
  rewriteStatements(pool, () => {
    let account = Number.NaN;
    return ({ text, values }) => {
      account = Number(ACCOUNT_SET.exec(text)?.[1] ?? account);
      if (WRITING.test(text)) writing.set(account, writingOf(account) + 1);
      // The parameter stays in the text, so that its type is known even if it appears nowhere else.
      const always = (scope: string, column: string, n: string) => {
        if (Number(values?.[Number(n) - 1]) !== account) return scope;
        removed.set(account, removedOf(account) + 1);
        return `(${column} = ${column} AND $${n}::bigint IS NOT NULL)`;
      };
      const open = text.replaceAll(ACCOUNT_ID, always).replaceAll(ID_OF_ACCOUNT, always);
      const rewritten = OF_ACCOUNT_ALONE.test(text) ? open.replaceAll(ID_ALONE, always) : open;
      const uses = [...text.matchAll(tableUse)].length;
      const conditions = [...rewritten.matchAll(CONDITION)].length;
      if (uses > conditions) unscoped.set(account, [...unscopedOf(account), text]);
      return countsOnly ? text : rewritten;
    };
  });
  return { api, removed: removedOf, unscoped: unscopedOf, writing: writingOf, close };
}
