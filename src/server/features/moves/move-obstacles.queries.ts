import { sql } from 'kysely';
import type { Database, Db } from '../../platform/database/db.ts';
import { isBeginning, readApplied } from '../../platform/database/migrate.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import { freeBytesOfServer } from '../../platform/disk.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { sealsProblem } from '../seals/sealed-rows.queries.ts';
import { askHome } from './ask-home.ts';
import { isBusy, stillArriving, thereFault, underWay } from './moving.queries.ts';

/** Finds what keeps an account from being moved, before anything is done; null: nothing. */
export async function findObstacle(
  parts: { readonly home: Database; readonly target: Database; readonly isTargetRestored?: boolean },
  accountId: number,
): Promise<Refusal | null> {
  const { home, target, isTargetRestored } = parts;
  const { moved_to, company } = await readAccount(home.db, accountId);
  // A move whose copy is there only completes.
  if (moved_to !== null && !isTargetRestored)
    return (await homeFault(home.db, accountId)) ?? targetFault(home, target, accountId);
  return (
    (await homeFault(home.db, accountId)) ??
    // Its delete blanks that first.
    (company === '' ? deletedHere() : null) ??
    (moved_to === null ? null : await livingFault(moved_to, accountId)) ??
    (await targetFault(home, target, accountId)) ??
    (await takenFault(home.db, target.db, accountId)) ??
    (await sealsProblem(home.pool, target.pool, accountId)) ??
    diskFault(home.db, target.db, accountId)
  );
}

const readAccount = (home: Db, accountId: number) =>
  home
    .selectFrom('account')
    .select(['moved_to', 'company', 'moves'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();

/** Refuses to copy an account again while it lives where it moved to. */
async function livingFault(movedTo: string, accountId: number): Promise<Refusal | null> {
  if ((await askHome(movedTo, accountId)) !== null) return null;
  return new Problem(
    'lives_on',
    `${movedTo} でアカウントが動いているため、もう一度コピーできません。--target-restored は、移行先を移行前のバックアップに戻したときだけ指定してください。`,
  );
}

const deletedHere = () =>
  new Problem(
    'deleted_here',
    'このアカウントの行は account delete で削除されたため、もう一度コピーできません。移行より後の移行先のバックアップから復元してください。',
  );

/** Finds why the target takes no account from this home, or nothing of this one now. */
const targetFault = async (home: Database, target: Database, accountId: number): Promise<Refusal | null> =>
  (await schemaFault(home, target)) ??
  (await installationFault(home.db, target.db)) ??
  (await rightsFault(target.db)) ??
  // Asked before the freeze: a delete of what stayed there takes minutes.
  ((await isBusy(target.db, accountId)) ? underWay() : null);

async function homeFault(home: Db, accountId: number): Promise<Refusal | null> {
  const { rows } = await sql<{ isArriving: boolean; isRewound: boolean }>`
    SELECT is_arriving AS "isArriving", (SELECT rewound_at IS NOT NULL FROM installation) AS "isRewound"
    FROM account WHERE id = ${accountId}`.execute(home);
  const { isArriving, isRewound } = onlyRow(rows);
  if (isArriving) return stillArriving();
  if (isRewound)
    return new Problem(
      'rewound',
      'データベースが過去の状態に戻り、送信が止まっています。先に receipts merge と receipts resume を実行してください。',
    );
  return hostFault(home, accountId);
}

/** Reads the host of an account; null: it has no own host. */
export async function currentHost(db: Db, accountId: number): Promise<string | null> {
  const row = await db
    .selectFrom('account_host')
    .select('host')
    .where('account_id', '=', accountId)
    .where('is_current', '=', true)
    .executeTakeFirst();
  return row?.host ?? null;
}

/** Refuses an account without its own host: the proxy could not find it elsewhere. */
export async function hostFault(home: Db, accountId: number): Promise<Refusal | null> {
  if ((await currentHost(home, accountId)) !== null) return null;
  return new Problem(
    'no_host',
    'このアカウントには専用のホストがないため、移せません。先に account set-host で設定してください。',
  );
}

/**
 * Whether the account lives at the target after a move that its home lacks, because the home was set back and its move
 * receipts are lost.
 */
export async function hasLeft(
  { home, target }: { readonly home: Database; readonly target: Database },
  accountId: number,
): Promise<boolean> {
  if (await schemaFault(home, target)) return false;
  const { moves } = await readAccount(home.db, accountId);
  const there = await target.db
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('moves', '>', moves)
    .where('moved_to', 'is', null)
    .where('is_arriving', '=', false)
    .executeTakeFirst();
  return there !== undefined;
}

async function schemaFault(home: Database, target: Database): Promise<Refusal | null> {
  const [here, there] = [await readApplied(home.pool), await readApplied(target.pool)];
  if (here.length === there.length && isBeginning(here, there)) return null;
  const [from, to] = [here, there].map((applied) => applied.at(-1)?.version ?? 0);
  return new Problem(
    'other_schema',
    `データベースの版が違います（移行元 ${from}、移行先 ${to}）。同じ版のKaitakuで、それぞれ migrate を実行してください。`,
  );
}

async function installationFault(home: Db, target: Db): Promise<Refusal | null> {
  const idOf = (db: Db) => db.selectFrom('installation').select('id').executeTakeFirst();
  if ((await idOf(home))?.id !== (await idOf(target))?.id) return null;
  return new Problem('same_database', '--to が移行元と同じデータベースです（またはその複製です）。');
}

/** Checks the target's role: rows are loaded past triggers, foreign keys and row level security. */
async function rightsFault(target: Db): Promise<Refusal | null> {
  const { rows } = await sql<{ user: string; missing: string[] }>`
    SELECT quote_ident(rolname) AS user, CASE WHEN rolsuper THEN '{}' ELSE array_remove(ARRAY[
      CASE WHEN NOT rolbypassrls THEN format('ALTER ROLE %I BYPASSRLS', rolname) END,
      CASE WHEN NOT has_parameter_privilege(rolname, 'session_replication_role', 'SET')
        THEN format('GRANT SET ON PARAMETER session_replication_role TO %I', rolname) END,
      (SELECT format('GRANT %I TO %I', pg_get_userbyid(relowner), rolname) FROM pg_class
        WHERE oid = 'public.account'::regclass AND NOT pg_has_role(rolname, relowner, 'USAGE'))
    ], NULL) END AS missing
    FROM pg_roles WHERE rolname = current_user`.execute(target);
  const { user, missing } = onlyRow(rows);
  if (missing.length === 0) return null;
  return new Problem(
    'missing_rights',
    `移行先のユーザー ${user} には、行を読み込む権限がありません。管理者が移行先で次のSQLを実行するか、スーパーユーザーのURLを --to に指定してください: ${missing.join('; ')};`,
  );
}

/** Checks what accounts cannot share: ids, members' addresses, hosts. */
async function takenFault(home: Db, target: Db, accountId: number): Promise<Refusal | null> {
  const there = await target
    .selectFrom('account')
    .select(['is_arriving as isArriving', 'moved_to as movedTo', 'moves'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  const { moves } = await readAccount(home, accountId);
  const fault = thereFault(accountId, there, moves);
  if (fault) return fault;
  const members = await home.selectFrom('member').select('email').where('account_id', '=', accountId).execute();
  const hosts = await home.selectFrom('account_host').select('host').where('account_id', '=', accountId).execute();
  const { rows } = await sql<{ taken: string }>`
    SELECT email AS taken FROM member WHERE account_id <> ${accountId}
      AND lower(email) = ANY (${members.map(({ email }) => email.toLowerCase())}::text[])
    UNION ALL
    SELECT host FROM account_host WHERE account_id <> ${accountId}
      AND host = ANY (${hosts.map(({ host }) => host)}::text[])
  `.execute(target);
  if (rows.length === 0) return null;
  return new Problem(
    'taken_there',
    `移行先のほかのアカウントが、同じメールアドレスかホストを使っています: ${rows.map(({ taken }) => taken).join('、')}`,
  );
}

/** Bytes of a company and of a mail with their indexes (docs/scale.md), doubled for the database's WAL. */
const [COMPANY_BYTES, MAIL_BYTES, COPIES] = [711, 843, 2];

async function diskFault(home: Db, target: Db, accountId: number): Promise<Refusal | null> {
  const { rows } = await sql<{ bytes: number }>`
    SELECT ${COPIES} * ((SELECT count(*) FROM prospect WHERE account_id = ${accountId}) * ${COMPANY_BYTES}
      + (SELECT count(*) FROM delivery WHERE account_id = ${accountId}) * ${MAIL_BYTES}
      + (SELECT coalesce(sum(bytes), 0) FROM stored_file WHERE account_id = ${accountId}))::bigint AS bytes`.execute(
    home,
  );
  return diskProblem(onlyRow(rows).bytes, await freeBytesOfServer(target));
}

/** Checks whether a disk has room. @param needed estimated bytes @param free null: unknown, which blocks no move */
export function diskProblem(needed: number, free: number | null): Refusal | null {
  if (free === null || needed <= free) return null;
  return new Problem(
    'target_full',
    `移行先のディスクの空き（${megabytes(free)} MB）が足りません。約 ${megabytes(needed)} MB が必要です。`,
  );
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000).toLocaleString('en-US');
