import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { buildApp } from '../app.ts';
import { DEMO_LOGIN, makeDemo } from '../features/demo/demo.command.ts';
import { startDeliveryWorker } from '../features/sending/delivery-worker.ts';
import { type Database, openDatabase } from '../platform/db.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { type MailCatcher, refuseTakenPort, startMailCatcher } from '../platform/mail/mail-catcher.ts';
import type { SmtpSettings } from '../platform/mail/smtp-settings.ts';
import { migrate } from '../platform/migrate.ts';
import type { Settings } from '../platform/settings.ts';
import { StartupError } from '../platform/startup-error.ts';
import { refuseSecondInstance } from './single-instance.ts';
import { stopSignal } from './stop-signal.ts';

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

/** Web alone: any number of them on one DATABASE_URL. */
export function web(_args: string[], settings: Settings): Promise<number> {
  return runUntilStopped(async (running) => {
    const log = pino();
    const database = await openMigrated(requireDatabaseUrl(settings, 'web'), running);
    await startWeb(settings, database, log, running);
    log.info({ url: settings.publicUrl }, 'web started');
  });
}

/** Delivery alone: any number of them on one DATABASE_URL. */
export function worker(_args: string[], settings: Settings): Promise<number> {
  return runUntilStopped(async (running) => {
    const log = pino();
    if (!settings.smtp) throw new StartupError('worker には SMTP_URL が必要です。');
    const database = await openMigrated(requireDatabaseUrl(settings, 'worker'), running);
    startWorker(settings, database, settings.smtp, log, running);
    log.info('worker started');
  });
}

/** Everything on this machine: what `npm start` runs. */
export function all(_args: string[], settings: Settings): Promise<number> {
  const say = (text: string) => process.stdout.write(`${text}\n`);
  return runUntilStopped(async (running) => {
    const log = pino({ level: 'warn' }, pino.destination(2));
    const embedded = settings.databaseUrl === null ? await startEmbedded(settings, running) : null;
    const url = embedded?.url ?? settings.databaseUrl ?? '';
    await refuseTakenPort(settings.port, 'PORT', settings.host);
    const database = await openMigrated(url, running);
    const demo = embedded && settings.demo && isLoopback(settings.host) ? await makeDemo(database) : null;
    const catcher = settings.smtp ? null : await startCatcher(settings, running);
    startWorker(settings, database, settings.smtp ?? (catcher as MailCatcher).smtp, log, running);
    await startWeb(settings, database, log, running);
    say(`\nKaitaku を起動しました: ${settings.publicUrl}`);
    if (demo) say(`デモ用ログイン: ${DEMO_LOGIN.email} / ${DEMO_LOGIN.password}`);
    if (catcher) say(`メールキャッチャー: ${catcher.webUrl}（SMTP_URL がないため、メールはこのマシンから出ません）`);
    say('終了するには Ctrl-C を押してください。');
  });
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

async function openMigrated(url: string, running: Running[]): Promise<Database> {
  const database = openDatabase(url);
  running.push(() => database.close());
  try {
    await migrate(database.pool);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `データベースに接続できませんでした（${(error as Error).message}）。DATABASE_URL を確認してください。`,
    );
  }
  return database;
}

async function startWeb({ host, port }: Settings, { db }: Database, log: Logger, running: Running[]): Promise<void> {
  const app = await buildApp({ db, now: Date.now }, log);
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

const isLoopback = (host: string) => ['127.0.0.1', 'localhost', '::1'].includes(host);
