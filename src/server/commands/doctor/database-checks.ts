import { join } from 'node:path';
import { sql } from 'kysely';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { isInUse, receiptsOf } from '../../features/delivery/guard/receipt-files.ts';
import { hasRecentSends, readInstallation } from '../../features/delivery/pauses/installation.queries.ts';
import { queueFigures } from '../../features/delivery/queue-figures.queries.ts';
import { isUnread } from '../../features/mailboxes/mailbox-state.command.ts';
import { opens, readSeals } from '../../features/seals/sealed-rows.queries.ts';
import { checkConnection } from '../../platform/database/check-connection.ts';
import { type Database, type Db, openDatabase } from '../../platform/database/db.ts';
import { checkVersion, knownMigrations, readApplied, refuseOtherFiles } from '../../platform/database/migrate.ts';
import { onlyRow } from '../../platform/database/only-row.ts';
import {
  type DatabaseAccess,
  databaseAccess,
  isBundled,
  roleSetting,
} from '../../platform/database/roles/database-access.ts';
import { ROLES, roleName } from '../../platform/database/roles/database-roles.ts';
import { runningPostgres } from '../../platform/embedded-postgres/embedded-postgres.ts';
import { COMMAND } from '../../platform/package.ts';
import { keyFileOf, presentKeys, readSealedBy } from '../../platform/secrets/secret-key.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { StartupError } from '../../platform/startup-error.ts';
import type { PeriodicTask } from '../../platform/tasks/periodic-tasks.ts';
import { isLate, readTaskRuns } from '../../platform/tasks/task-runs.queries.ts';
import { refuseFault } from '../database-fault.ts';
import { refuseOldServer, refuseSettings } from '../open-database.ts';
import { BACKUP_TASK, PROCESS_TASKS, WEB_TASKS, WORKER_TASKS } from '../tasks/periodic-tasks.ts';
import { clockDifference, DIFFERENCE_SECONDS_MAX } from '../tasks/watch-clock.ts';
import { bad, type Finding, look, ok } from './finding.ts';

/* Checks of the database and of what it knows. They get a read-only transaction. */

/** Returns the way to the database, without starting, migrating or repairing it. @throws StartupError */
export function accessOf({ database, dataDir }: Settings): DatabaseAccess {
  const isOwn = isBundled(database);
  const owner = isOwn ? runningPostgres(dataDir) : database.owner;
  if (isOwn && owner === null)
    throw new StartupError(
      `同梱のデータベース（${dataDir}）が動いていません。${COMMAND} を起動してから実行してください。`,
    );
  return databaseAccess({ ...database, owner }, ['service']);
}

/** Checks the connections of all roles whose URL is known, and the schema. @throws StartupError */
export async function checkDatabase(settings: Settings, access: DatabaseAccess): Promise<Finding> {
  const { owner, rolePrefix } = access;
  if (owner !== null) refuseFault(await checkConnection(owner, null), { setting: 'DATABASE_URL' });
  const known = ROLES.filter((role) => owner !== null || settings.database.roles[role] !== null);
  const urls = owner === null ? settings.database.roles : null;
  for (const role of known) {
    const fault = await checkConnection(urls?.[role] ?? access.urlOf(role), { role, prefix: rolePrefix });
    refuseFault(fault, { setting: roleSetting(role), name: roleName(rolePrefix, role) });
  }
  const database = openDatabase(access.urlOf('service'), { role: 'service', connections: 1 });
  try {
    await refuseOldServer(database);
    await refuseSettings(database, access);
    return await checkSchema(database);
  } finally {
    await database.close();
  }
}

async function checkSchema({ db, pool }: Database): Promise<Finding> {
  const migrations = await knownMigrations();
  const applied = await readApplied(pool);
  const program = migrations.at(-1)?.version ?? 0;
  const version = await checkVersion(db, applied, program);
  refuseOtherFiles('このデータベース', applied, migrations);
  if (version < program)
    return bad(
      `データベースの形が古いままです（データベース ${version}、プログラム ${program}）。`,
      `バックアップを作ってから、所有者の DATABASE_URL で ${COMMAND} migrate を実行してください。`,
    );
  const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
  return ok(`PostgreSQL ${onlyRow(rows).server_version}、版 ${version} につながりました。`);
}

/** Checks whether this process has the key of the sealed values, and whether it opens them. */
export async function checkSecretKey(settings: Settings, db: Db): Promise<Finding> {
  const sealedBy = await readSealedBy(db);
  const keyFile = keyFileOf(settings.dataDir);
  const keys = presentKeys(settings, sealedBy, { makesFile: false });
  const { current, old } = keys;
  if (current === null && sealedBy === null)
    return look(
      'SECRET_KEY がないため、二段階認証もメールボックスも設定できません。',
      'openssl rand -base64 32 の出力を、すべてのプロセスの SECRET_KEY に設定し、バックアップとは別の場所に保管してください。',
    );
  if (current === null || (sealedBy !== null && ![current.id, old?.id].includes(sealedBy)))
    return bad(
      `${current === null ? 'SECRET_KEY がありません' : 'SECRET_KEY が、データベースの値を暗号化した鍵と違います'}。web は起動しません。`,
      `保管してある鍵を SECRET_KEY（付属のデータベースでは ${keyFile} でも）に戻してください。なくしたときは ${COMMAND} secrets reset を実行します。`,
    );
  const seals = await readSeals(db);
  const lost = seals.filter((seal) => !opens(secretsWith(keys), seal)).length;
  if (lost > 0)
    return bad(
      `暗号化した値 ${seals.length}件のうち ${lost}件を、今の鍵で読めません。`,
      `前の鍵を SECRET_KEY_OLD に設定して ${COMMAND} secrets rotate を実行してください。なくしたときは ${COMMAND} secrets reset を実行します。`,
    );
  if (sealedBy !== null && sealedBy !== current.id)
    return look('鍵の交換が終わっていません。', `${COMMAND} secrets rotate を実行してください。`);
  return ok(`データベースの鍵と同じで、暗号化した値 ${seals.length}件をすべて読めます。`);
}

/** Checks whether mails leave: nothing pauses all of them, and the processes of the lists run. */
export async function checkSending(db: Db): Promise<Finding[]> {
  const { databaseRewound, transportPaused, oldestDueSeconds } = await queueFigures(db);
  const found: Finding[] = [];
  if (databaseRewound === 1)
    found.push(
      bad(
        'データベースが過去の状態に戻っているため、すべての送信が止まっています。',
        `worker が動くすべてのマシンで ${COMMAND} receipts merge を、そのあと ${COMMAND} receipts resume を実行してください。`,
      ),
    );
  if (transportPaused === 1)
    found.push(
      bad(
        'メールサーバーが答えないため、すべての送信が待っています。',
        '下の「メールサーバー」と、ログの the mail server cannot be reached を確かめてください。',
      ),
    );
  if (oldestDueSeconds > 600)
    found.push(
      look(
        `${Math.round(oldestDueSeconds / 60)}分前に送るはずだったメールが待っています。`,
        `worker が動いているかと、差出人の上限（${COMMAND} sender list）を確かめてください。`,
      ),
    );
  return [...found, ...(await checkProcesses(db))];
}

async function checkProcesses(db: Db): Promise<Finding[]> {
  const runs = await readTaskRuns(db);
  const isLost = ({ name, everyMs, firstMs = 0 }: Pick<PeriodicTask<never>, 'name' | 'everyMs' | 'firstMs'>) => {
    const run = runs.get(name);
    // One that begins later has not run at a first start.
    if (run === undefined) return firstMs === 0;
    return isLate({ everyMs }, run.successAge ?? Number.POSITIVE_INFINITY);
  };
  const cure = `動いているかを確かめ、${COMMAND} tasks と、ログの原因を見てください。`;
  const lists = { web: [...PROCESS_TASKS, ...WEB_TASKS], worker: WORKER_TASKS };
  const found = Object.entries(lists).flatMap(([process, tasks]) => {
    const lost = tasks.filter(isLost).length;
    if (lost === 0) return [];
    return [
      look(`${process} の定期的な処理 ${tasks.length}件のうち ${lost}件が、動いていないか、失敗しています。`, cure),
    ];
  });
  return found.length > 0 ? found : [ok('web と worker が動いています。')];
}

/** Checks that this machine keeps the receipts of mails that left. */
export async function checkReceipts({ dataDir }: Settings, db: Db): Promise<Finding> {
  const { id } = await readInstallation(db);
  const folder = receiptsOf(join(dataDir, 'receipts'), id);
  if (isInUse(folder)) return ok('このマシンの worker が記録しています。');
  if (!(await hasRecentSends(db))) return ok('この3日に送ったメールはありません。');
  return look(
    'この3日に送ったメールの記録が、このマシンにありません。',
    `worker を動かすマシンなら、DATA_DIR（${dataDir}）が再起動のあとも残るかを確かめてください。web だけのマシンでは、これで問題ありません。`,
  );
}

/** Checks when the last backup into a folder succeeded. */
export async function checkBackupRun(db: Db): Promise<Finding> {
  const run = (await readTaskRuns(db)).get(BACKUP_TASK.name);
  const cure = `${COMMAND} backup --to フォルダー を毎日実行し、ときどき、復元できるかを試してください。`;
  if (run === undefined) return look('backup --to を実行した記録がありません。', cure);
  const last =
    run.succeededAt === null ? 'まだ一度も成功していません' : `最後の成功は ${formatSecond(run.succeededAt.getTime())}`;
  if (run.fault !== null) return bad(`最後の1回が失敗しました（${run.fault}）。${last}。`, cure);
  if (isLate(BACKUP_TASK, run.successAge ?? 0)) return bad(`26時間以上、成功していません（${last}）。`, cure);
  return ok(`${last}。`);
}

/** Checks this machine's clock against the database's. */
export async function checkClock(db: Db): Promise<Finding> {
  const seconds = Math.round(await clockDifference(db));
  if (Math.abs(seconds) <= DIFFERENCE_SECONDS_MAX) return ok('データベースの時計と合っています。');
  return bad(
    `データベースの時計が、このマシンより ${Math.abs(seconds)}秒${seconds > 0 ? '進んで' : '遅れて'}います。`,
    '両方の時計を、NTPで合わせてください（timedatectl で確かめられます）。',
  );
}

/** Checks the states of members' mailboxes, as workers have stored them. */
export async function checkMailboxes(db: Db): Promise<Finding[]> {
  const { rows } = await sql<{ usable: number; lost: number; unread: number; paused: number }>`
    SELECT count(*) FILTER (WHERE mailbox.state = 'ok')::integer AS usable,
      count(*) FILTER (WHERE mailbox.state = 'reconnect')::integer AS lost,
      count(*) FILTER (WHERE mailbox.state = 'ok' AND ${isUnread('mailbox')})::integer AS unread,
      count(*) FILTER (WHERE mailbox.state = 'ok' AND state.paused_until > now())::integer AS paused
    FROM mailbox JOIN mailbox_state AS state ON state.account_id = mailbox.account_id AND state.mailbox_id = mailbox.id
  `.execute(db);
  const { usable, lost, unread, paused } = onlyRow(rows);
  const where = '画面の「設定 › メールボックス」で、それぞれの原因を確かめてください。';
  const found = [
    lost > 0 && look(`${lost}件は、つなぎ直しが必要です。`, where),
    unread > 0 && look(`${unread}件は、返信を1時間以上読めていないため、送信が待っています。`, where),
    paused > 0 && look(`${paused}件は、サーバーの都合で送信を休んでいます。`, where),
  ].filter((finding) => finding !== false);
  return found.length > 0 ? found : [ok(usable > 0 ? `${usable}件すべてを使えます。` : 'つないだものはありません。')];
}
