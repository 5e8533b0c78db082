import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { readAccountHosts } from '../features/account-hosts/read-hosts.ts';
import { NO_MAIL_SERVER } from '../features/delivery/transports/no-mail-server.ts';
import { sendGridTransport } from '../features/delivery/transports/sendgrid/sendgrid-transport.ts';
import { smtpTransport } from '../features/delivery/transports/smtp/smtp-transport.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import { DEMO_LOGIN, type DemoLogin, makeDemo, openDemoLogins } from '../features/demo/demo.command.ts';
import { hasAccount, issueSetupKey, mayPrintSetupLink } from '../features/setup/setup-key.ts';
import type { Database, Db } from '../platform/database/db.ts';
import type { OpenRights } from '../platform/database/roles/close-rights.ts';
import { type DatabaseAccess, databaseAccess, isBundled } from '../platform/database/roles/database-access.ts';
import { ROLES, type Role } from '../platform/database/roles/database-roles.ts';
import type { StoredSetting } from '../platform/database/roles/stored-settings.ts';
import { freeBytesOf } from '../platform/disk.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import type { AccountHosts } from '../platform/http/hosts.ts';
import { createFileLog, createLog } from '../platform/log.ts';
import { type MailCatcher, refuseTakenPort, startMailCatcher } from '../platform/mail/catcher/mail-catcher.ts';
import { isLoopback } from '../platform/mail/smtp/settings.ts';
import { hasSystemSender } from '../platform/mail/system-sender.ts';
import { COMMAND } from '../platform/package.ts';
import { presentKeys } from '../platform/secrets/secret-key.ts';
import { openSecrets, secretsWith } from '../platform/secrets/secrets.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { periodicTasks } from '../platform/tasks/periodic-tasks.ts';
import { refuseSecondInstance } from './instance-lock.ts';
import { prepareDatabase } from './open-database.ts';
import {
  openPool,
  type Run,
  type RunWithTasks,
  runUntilStopped,
  type Surroundings,
  serviceLog,
} from './run-until-stopped.ts';
import { startWeb } from './start-web.ts';
import { startWorker } from './start-worker.ts';
import { OPERATOR_TASKS, PROCESS_TASKS } from './tasks/periodic-tasks.ts';
import { clockDifference, clockLook } from './tasks/watch-clock.ts';

/** Logs the wait for a migration, because these processes run unattended. */
const prepareDatabaseOf = (run: Run, access: DatabaseAccess) =>
  prepareDatabase(access, {
    onWait: () => run.log.warn('the database has an older schema: waiting for the process that migrates it'),
    ...loggedRights(run),
  });

const loggedRights = ({ log }: Run) => ({
  onOpenRights: ({ statements, importsFail, error }: OpenRights) =>
    log.warn(
      { ...(error && { err: error }), sql: statements.join('; ') },
      importsFail
        ? 'imports and their undo fail until an administrator runs this SQL in the database'
        : 'the roles keep rights that injected SQL could use, until an administrator runs this SQL in the database',
    ),
  onReset: ({ role, name, value }: StoredSetting) =>
    log.warn({ role, setting: name, value }, 'reset a setting of a database role that is not one of ours'),
});

export async function web(settings: Settings): Promise<void> {
  const access = requireDatabase(settings, 'web', ['api', 'login']);
  const transport = chooseTransport(settings) ?? NO_MAIL_SERVER;
  return runUntilStopped(settings, serviceLog(settings), async (run) => {
    const surroundings = noteMailServer(run, transport);
    await prepareDatabaseOf(run, access);
    const login = openPool(run, access, 'login').db;
    const secrets = await openSecrets(settings, login);
    const accountHosts = await hostsOf(run, login);
    await startWeb(withTasks(run, login), access, transport, { login, secrets, accountHosts, ...surroundings });
    // /health/ready shows load balancers the stop before the server refuses connections.
    run.running.push(() => sleep(DRAIN_MS));
    run.log.info({ url: settings.publicUrl }, 'web started');
    const line = await setupLine(login, settings.publicUrl, Date.now());
    if (line !== null) process.stdout.write(`${line}\n`);
  });
}

export async function worker(settings: Settings): Promise<void> {
  const transport = chooseTransport(settings) ?? NO_MAIL_SERVER;
  const access = requireDatabase(settings, 'worker', ['service']);
  // Keeps the young generation at its size after loading. Otherwise it would grow to 128 MB with the mails, without a
  // measurable gain.
  setFlagsFromString('--semi-space-growth-factor=1');
  return runUntilStopped(settings, serviceLog(settings), async (run) => {
    const surroundings = noteMailServer(run, transport);
    await prepareDatabaseOf(run, access);
    const service = openPool(run, access, 'service');
    const accountHosts = await hostsOf(run, service.db);
    const secrets = secretsWith(presentKeys(settings, null, { makesFile: false }));
    startWorker(withTasks(run, service.db), access, service, transport, { accountHosts, secrets, ...surroundings });
    run.log.info('worker started');
  });
}

export async function all(settings: Settings): Promise<void> {
  const bundled = isBundled(settings.database);
  const log =
    bundled && settings.logLevel === null
      ? createFileLog(join(settings.dataDir, 'kaitaku.log'))
      : createLog(settings.logLevel ?? 'warn');
  return runUntilStopped(settings, log, async (run) => {
    const embedded = bundled ? await startEmbedded(run) : null;
    await refuseTakenPort(settings.port, 'PORT', settings.host);
    const access = embedded
      ? databaseAccess({ ...settings.database, owner: embedded.url }, ROLES)
      : requireDatabase(settings, 'all', ROLES);
    await prepareDatabase(access, loggedRights(run));
    const login = openPool(run, access, 'login').db;
    // Before anything else is made: a wrong DATA_DIR or key ends the start.
    const secrets = await openSecrets(settings, login, { makesFile: true });
    const service = openPool(run, access, 'service');
    const demo = embedded === null ? [] : await prepareDemo(settings, service);
    const chosen = chooseTransport(settings);
    const catcher = chosen ? null : await startCatcher(run);
    const transport = chosen ?? smtpTransport((catcher as MailCatcher).smtp, settings.returnAddress);
    const freeBytes = embedded && (() => freeBytesOf(embedded.dataFolder));
    const surroundings = { usesCatcher: catcher !== null, freeBytes };
    const accountHosts = await hostsOf(run, service.db);
    // Parts stop in the opposite order: tasks end before the pools that they use.
    const working = withTasks(run, service.db);
    startWorker(working, access, service, transport, { accountHosts, secrets, ...surroundings });
    await startWeb(working, access, transport, { login, secrets, accountHosts, ...surroundings });
    const lines = [
      `\nKaitaku を起動しました: ${settings.publicUrl}`,
      await setupLine(login, settings.publicUrl, Date.now()),
      embedded && `データ: ${embedded.dataFolder}（${embedded.isNew ? '新しく作りました' : '前回の続きです'}）`,
      ...demo.map(({ email, role }) => `デモ用ログイン: ${email} / ${DEMO_LOGIN.password}（${ROLE_NAMES[role]}）`),
      catcher && `メールキャッチャー: ${catcher.webUrl}${CATCHER_NOTE}`,
      !hasSystemSender(settings) && NO_SENDER,
      '終了するには Ctrl-C を押してください。',
    ];
    process.stdout.write(`${lines.filter(Boolean).join('\n')}\n`);
  });
}

const CATCHER_NOTE = '（SMTP_URL がないため、メールボックスをつなぐまで、メールはこのマシンから出ません）';

const NO_SENDER =
  'MAIL_FROM がないため、メールアドレス変更の確認メールなどを送れません。差出人のアドレスを設定してください（例: ' +
  "MAIL_FROM='no-reply@example.co.jp'）。";

/**
 * Creates the demo data if KAITAKU_DEMO is set.
 * @returns the members whose log-in has the public password
 * @throws StartupError rather than expose its public password to other machines
 */
async function prepareDemo(settings: Settings, database: Database): Promise<readonly DemoLogin[]> {
  const { host, publicUrl, demo, companiesMax } = settings;
  // Behind a proxy `web` listens on this machine, too: then the address that users open is another's.
  const onThisMachine = ['127.0.0.1', 'localhost', '::1'].includes(host) && isLoopback(new URL(publicUrl));
  if (demo && onThisMachine) await makeDemo(database, { companiesMax });
  const open = await openDemoLogins(database);
  if (open.length === 0 || onThisMachine) return open;
  throw new StartupError(
    `${publicUrl}（HOST=${host}）では、デモ用アカウントのパスワードを知っている誰もがログインできます。先に次のコマンドで変更してください。\n` +
      open.map(({ email }) => `${COMMAND} account set-password --email ${email}`).join('\n'),
  );
}

async function startEmbedded({ settings, running }: Run): Promise<EmbeddedPostgres> {
  const embedded = await startEmbeddedPostgres(settings.dataDir);
  const release = await refuseSecondInstance(embedded.url, settings.dataDir);
  running.push(() => embedded.stop());
  running.push(release);
  return embedded;
}

async function startCatcher({ settings, running }: Run): Promise<MailCatcher> {
  const catcher = await startMailCatcher({ ...settings.mailCatcher, folder: join(settings.dataDir, 'mail') });
  running.push(() => catcher.stop());
  return catcher;
}

/** Reads the hosts of accounts until the process stops. */
async function hostsOf({ settings: { publicUrl }, log, running }: Run, db: Db): Promise<AccountHosts> {
  const { accountHosts, stop } = await readAccountHosts({ db, publicUrl, log });
  running.push(stop);
  return accountHosts;
}

/**
 * Starts the periodic tasks of every process. The process stops them after the parts that are started later.
 * @param db a pool of the role kaitaku_login or kaitaku_service
 */
function withTasks(run: Run, db: Db): RunWithTasks {
  const { log, metrics, running, fail } = run;
  const tasks = periodicTasks({ db, log });
  running.push(() => tasks.stop());
  metrics?.watchTasks(() => tasks.ages(OPERATOR_TASKS));
  metrics?.watchClock(() => clockDifference(db));
  tasks.start(PROCESS_TASKS, { db, log, fail, lookAtClock: clockLook(db, log) });
  return { ...run, tasks };
}

/** Time for load balancers to notice the stop. */
const DRAIN_MS = 5000;

function requireDatabase({ database }: Settings, command: string, roles: readonly Role[]): DatabaseAccess {
  if (isBundled(database)) throw new StartupError(`${command} には DATABASE_URL が必要です。`);
  return databaseAccess(database, roles);
}

/** Logs that there is no mail server. @returns what mails without a mailbox do then: they stay */
function noteMailServer({ log }: Run, transport: Transport): Surroundings {
  const isAbsent = transport.isAbsent === true;
  if (isAbsent) log.warn('neither SMTP_URL nor SENDGRID_API_KEY is set: mails leave by mailboxes alone');
  return { usesCatcher: isAbsent };
}

/** The transports, each made from its own settings; null where they are not set. */
const TRANSPORTS: readonly ((settings: Settings) => Transport | null)[] = [
  ({ sendgrid }) => sendgrid && sendGridTransport(sendgrid),
  ({ smtp, returnAddress }) => smtp && smtpTransport(smtp, returnAddress),
];

/** Returns the transport that the settings choose; null: none. readSettings refuses two at once. */
export const chooseTransport = (settings: Settings): Transport | null =>
  TRANSPORTS.map((make) => make(settings)).find((transport) => transport !== null) ?? null;

const BY_COMMAND = `アカウントがまだありません。${COMMAND} account create で作ってください（PUBLIC_URL が https:// なら、ここに作成用のリンクを表示します）。`;

/**
 * Returns the line about the first account that a start prints; null: there is an account.
 * It goes to standard output, never to the log: the link holds a key.
 */
export async function setupLine(login: Db, publicUrl: string, now: number): Promise<string | null> {
  if (!mayPrintSetupLink(publicUrl)) return (await hasAccount(login)) ? null : BY_COMMAND;
  const key = await issueSetupKey(login, now);
  return key === null ? null : `最初のアカウントを作るリンク（1時間、1回だけ使えます）: ${publicUrl}/setup/${key}`;
}
