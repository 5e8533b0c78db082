import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { buildApp } from '../app.ts';
import { DEMO_LOGIN, isDemoLoginOpen, makeDemo } from '../features/demo/demo.command.ts';
import { startDeliveryWorker } from '../features/sending/delivery-worker.ts';
import { type Database, openDatabase, type Role } from '../platform/db.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { type MailCatcher, refuseTakenPort, startMailCatcher } from '../platform/mail/mail-catcher.ts';
import type { SmtpSettings } from '../platform/mail/smtp-settings.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { prepareDatabase } from './open-database.ts';
import { refuseSecondInstance } from './single-instance.ts';
import { stopSignal } from './stop-signal.ts';
import { type Command, takesNothing } from './usage.ts';

/** Something that was started, with how to stop it. Stopped in the opposite order. */
type Running = () => Promise<void> | void;

async function runUntilStopped(start: (running: Running[]) => Promise<void>): Promise<number> {
  const signal = stopSignal();
  const running: Running[] = [];
  try {
    await start(running);
    await signal;
  } finally {
    for (const stop of running.reverse()) await stop();
  }
  return 0;
}

const WEB_USAGE = `使い方: npm run kaitaku -- web

Webだけを動かします。いくつでも同時に動かせます。DATABASE_URL が必要です。`;

export const web: Command = async (args, readSettings) => {
  if (!takesNothing(args, WEB_USAGE)) return 0;
  const settings = readSettings();
  const log = logger('info');
  return runUntilStopped(async (running) => {
    const url = requireDatabaseUrl(settings, 'web');
    await prepareDatabase(url);
    await startWeb(settings, url, log, running);
    log.info({ url: settings.publicUrl }, 'web started');
  });
};

const WORKER_USAGE = `使い方: npm run kaitaku -- worker

配信だけを動かします。いくつでも同時に動かせます。DATABASE_URL と SMTP_URL が必要です。`;

export const worker: Command = async (args, readSettings) => {
  if (!takesNothing(args, WORKER_USAGE)) return 0;
  const settings = readSettings();
  const { smtp } = settings;
  if (!smtp) throw new StartupError('worker には SMTP_URL が必要です。');
  const log = logger('info');
  return runUntilStopped(async (running) => {
    const url = requireDatabaseUrl(settings, 'worker');
    await prepareDatabase(url);
    startWorker(settings, open(url, 'kaitaku_service', running), smtp, log, running);
    log.info('worker started');
  });
};

const ALL_USAGE = `使い方: npm run kaitaku -- all

データベース（DATABASE_URL がないとき）、メールキャッチャー（SMTP_URL がないとき）、Web、配信をまとめて動かします。`;

export const all: Command = async (args, readSettings) => {
  if (!takesNothing(args, ALL_USAGE)) return 0;
  const settings = readSettings();
  const log = logger('warn');
  return runUntilStopped(async (running) => {
    const embedded = settings.databaseUrl === null ? await startEmbedded(settings, running) : null;
    await refuseTakenPort(settings.port, 'PORT', settings.host);
    const url = embedded?.url ?? requireDatabaseUrl(settings, 'all');
    await prepareDatabase(url);
    const service = open(url, 'kaitaku_service', running);
    const demo = embedded !== null && (await prepareDemo(settings, service));
    const catcher = settings.smtp ? null : await startCatcher(settings, running);
    startWorker(settings, service, settings.smtp ?? (catcher as MailCatcher).smtp, log, running);
    await startWeb(settings, url, log, running);
    const lines = [
      `\nKaitaku を起動しました: ${settings.publicUrl}`,
      demo && `デモ用ログイン: ${DEMO_LOGIN.email} / ${DEMO_LOGIN.password}`,
      catcher && `メールキャッチャー: ${catcher.webUrl}（SMTP_URL がないため、メールはこのマシンから出ません）`,
      '終了するには Ctrl-C を押してください。',
    ];
    process.stdout.write(`${lines.filter(Boolean).join('\n')}\n`);
  });
};

/** JSON lines on standard error. A URL is logged without its query: filters may hold names and addresses. */
function logger(level: 'info' | 'warn'): Logger {
  const req = ({ method, url }: { method: string; url: string }) => ({ method, path: url.split('?')[0] });
  return pino({ level, serializers: { req } }, pino.destination(2));
}

/** @returns whether the demo login is open. @throws StartupError rather than open its known password to other machines */
async function prepareDemo({ host, demo }: Settings, database: Database): Promise<boolean> {
  const onThisMachine = ['127.0.0.1', 'localhost', '::1'].includes(host);
  if (demo && onThisMachine) await makeDemo(database);
  const open = await isDemoLoginOpen(database);
  if (!open || onThisMachine) return open;
  throw new StartupError(
    `HOST=${host} では、デモ用アカウントのパスワードを知っている誰もがログインできます。先に npm run kaitaku -- account set-password --email ${DEMO_LOGIN.email} で変更してください。`,
  );
}

async function startEmbedded(settings: Settings, running: Running[]): Promise<EmbeddedPostgres> {
  const embedded = await startEmbeddedPostgres(settings.dataDir);
  const release = await refuseSecondInstance(embedded.url, settings.dataDir);
  running.push(() => embedded.stop());
  running.push(release);
  return embedded;
}

async function startCatcher({ mailCatcher, dataDir }: Settings, running: Running[]): Promise<MailCatcher> {
  const catcher = await startMailCatcher({ ...mailCatcher, folder: join(dataDir, 'mail') });
  running.push(() => catcher.stop());
  return catcher;
}

function open(url: string, role: Role, running: Running[]): Database {
  const database = openDatabase(url, { role });
  running.push(() => database.close());
  return database;
}

async function startWeb({ host, port }: Settings, url: string, log: Logger, running: Running[]): Promise<void> {
  const { db: api } = open(url, 'kaitaku_api', running);
  const { db: login } = open(url, 'kaitaku_login', running);
  const app = await buildApp({ api, login, now: Date.now }, log);
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    await refuseTakenPort(port, 'PORT', host);
    throw error;
  }
  running.push(() => app.close());
}

function startWorker(settings: Settings, { db }: Database, smtp: SmtpSettings, log: Logger, running: Running[]): void {
  const started = startDeliveryWorker({ db, now: Date.now, smtp, connections: settings.workerConnections, log });
  running.push(() => started.stop());
}

function requireDatabaseUrl({ databaseUrl }: Settings, command: string): string {
  if (databaseUrl === null) throw new StartupError(`${command} には DATABASE_URL が必要です。`);
  return databaseUrl;
}
