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

/**
 * The API's pool with the first belt taken off: in all that leaves for the server `account_id = <the asking account>`
 * is `account_id = account_id`, as if each had been forgotten. What still holds then is the database's own doing. What
 * a client filters by stays.
 */
export function withoutScope(url: string): {
  readonly api: Db;
  /** How many conditions were taken from the queries of an account. */
  readonly removed: (accountId: number) => number;
  close(): Promise<void>;
} {
  const { db: api, pool, close } = openAs('api', url, 4);
  const removed = new Map<number, number>();
  const removedOf = (accountId: number) => removed.get(accountId) ?? 0;
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
      return OF_ACCOUNT_ALONE.test(text) ? open.replaceAll(ID_ALONE, always) : open;
    };
  });
  return { api, removed: removedOf, close };
}
