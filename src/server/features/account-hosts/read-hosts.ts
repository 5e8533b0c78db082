import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Db } from '../../platform/database/db.ts';
import type { AccountHosts } from '../../platform/http/hosts.ts';
import { startLoop } from '../../platform/loop.ts';

interface Parts {
  /** A pool of the role kaitaku_login or kaitaku_service. */
  readonly db: Db;
  /** The setting PUBLIC_URL, without a slash at its end. */
  readonly publicUrl: string;
  readonly log: Pick<Logger, 'error'>;
}

const READ_EVERY_MS = 1000;
/** How soon a failed read is repeated. Until then the hosts of the last read apply. */
const RETRY_MS = 5000;

interface Read {
  /** The version of the rows that were read. */
  readonly version: string;
  /** The account of each present or former host. */
  readonly accounts: ReadonlyMap<string, number>;
  /** The present host of each account that has one. */
  readonly hosts: ReadonlyMap<number, string>;
  /** The new homes of accounts that have moved. */
  readonly homes: ReadonlyMap<number, { readonly url: string; readonly moves: number }>;
  /** Copies of accounts whose move is not decided yet. */
  readonly arriving: ReadonlySet<number>;
}

/** Reads the hosts of all accounts, then polls each second for changes. Resolves after the first read. */
export async function readAccountHosts({
  db,
  publicUrl,
  log,
}: Parts): Promise<{ readonly accountHosts: AccountHosts; readonly stop: () => Promise<void> }> {
  let read = await readAll(db);
  const { protocol, port } = new URL(publicUrl);
  const loop = startLoop({
    log,
    task: 'read the hosts of accounts',
    async work() {
      if ((await readVersion(db)) !== read.version) read = await readAll(db);
      return READ_EVERY_MS;
    },
    firstMs: READ_EVERY_MS,
    retryMs: RETRY_MS,
  });
  const accountOf = (host: string) => read.accounts.get(host) ?? null;
  return {
    accountHosts: {
      accountOf,
      urlOf(accountId) {
        const host = read.hosts.get(accountId);
        return host === undefined ? publicUrl : `${protocol}//${host}${port === '' ? '' : `:${port}`}`;
      },
      movedFrom(host) {
        const accountId = accountOf(host);
        const home = accountId === null ? undefined : read.homes.get(accountId);
        return accountId === null || home === undefined
          ? null
          : { ...home, isCurrent: read.hosts.get(accountId) === host };
      },
      livesAt(host) {
        const accountId = accountOf(host);
        const isElsewhere = accountId === null || read.homes.has(accountId) || read.arriving.has(accountId);
        return isElsewhere ? null : accountId;
      },
      isHome(accountId, host) {
        const own = read.hosts.get(accountId);
        return own === undefined ? accountOf(host) === null : own === host;
      },
    },
    stop: loop.stop,
  };
}

/** Changes with every row. Reading all rows each second would cost more than the requests do. */
const version = sql<string>`
  concat_ws(' ', count(*),
    bit_xor(hashtextextended(concat_ws(' ', account_id, host, is_current, moved_to, moves, is_arriving), 0)))`;

async function readVersion(db: Db): Promise<string> {
  const hosts = db.selectFrom('account_host').innerJoin('account', 'account.id', 'account_host.account_id');
  return (await hosts.select(version.as('version')).executeTakeFirstOrThrow()).version;
}

async function readAll(db: Db): Promise<Read> {
  // Read before the rows, so that a change in between causes another read.
  const before = await readVersion(db);
  const rows = await db
    .selectFrom('account_host')
    .innerJoin('account', 'account.id', 'account_host.account_id')
    .select(['account_id', 'host', 'is_current', 'moved_to', 'moves', 'is_arriving'])
    .execute();
  return {
    version: before,
    accounts: new Map(rows.map(({ account_id, host }) => [host, account_id])),
    hosts: new Map(rows.flatMap(({ account_id, host, is_current }) => (is_current ? [[account_id, host]] : []))),
    homes: new Map(
      rows.flatMap(({ account_id, moved_to, moves }) =>
        moved_to === null ? [] : [[account_id, { url: moved_to, moves }]],
      ),
    ),
    arriving: new Set(rows.flatMap(({ account_id, is_arriving }) => (is_arriving ? [account_id] : []))),
  };
}
