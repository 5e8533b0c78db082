import type { Db } from '#server/platform/db.ts';
import { openAs } from '#test/open-as.ts';
import { rewriteStatements } from '../statements.ts';

/** What every transaction begins with. */
const ACCOUNT_SET = /SET LOCAL app\.account_id = (\d+)/;
/** Written by hand or by the builder, with or without its table. */
const ACCOUNT_ID = /(?<![\w".])((?:"?\w+"?\.)?"?account_id"?) = \$(\d+)/g;
/** The table of accounts has its number as `id`. */
const ID_OF_ACCOUNT = /("account"\."id") = \$(\d+)/g;
const ID_ALONE = /(?<![\w".])("id") = \$(\d+)/g;
const OF_ACCOUNT_ALONE = /(?:from|update) "account" (?:set|where) /;
/** Each time a query reads or changes rows of one of these tables; `FOR UPDATE` and `DO UPDATE` do not. */
const tableUses = (tables: readonly string[]) =>
  new RegExp(
    String.raw`\b(?:from|join|using|(?<!do |for |no key )update)\s+"?(?:${tables.join('|')})"?(?![\w"])`,
    'gi',
  );
/** A condition on the account, also in a join. It stands once in what the belt is taken from. */
const CONDITION = /(?:account_id"?|"account"\."id"|\("id") = /g;

/**
 * The API's pool with the first belt taken off: in all that leaves for the server `account_id = <the asking account>`
 * is `account_id = account_id`, as if each had been forgotten. What still holds then is the database's own doing. What
 * a client filters by stays.
 * @param tables those with rows of accounts
 */
export function withoutScope(
  url: string,
  tables: readonly string[],
): {
  readonly api: Db;
  /** How many conditions were taken from the queries of an account. */
  readonly removed: (accountId: number) => number;
  /** The queries of an account that use more of `tables` than they have conditions on the account. */
  readonly unscoped: (accountId: number) => readonly string[];
  close(): Promise<void>;
} {
  const { db: api, pool, close } = openAs('api', url, 4);
  const removed = new Map<number, number>();
  const removedOf = (accountId: number) => removed.get(accountId) ?? 0;
  const tableUse = tableUses(tables);
  const unscoped = new Map<number, string[]>();
  const unscopedOf = (accountId: number) => unscoped.get(accountId) ?? [];
  rewriteStatements(pool, () => {
    let account = Number.NaN;
    return ({ text, values }) => {
      account = Number(ACCOUNT_SET.exec(text)?.[1] ?? account);
      // The parameter is named still, so that it keeps a type where it stands nowhere else.
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
      return rewritten;
    };
  });
  return { api, removed: removedOf, unscoped: unscopedOf, close };
}
