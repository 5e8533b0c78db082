import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isUnverifiedTls } from '../platform/database/database-url.ts';
import { type Database, openDatabase } from '../platform/database/db.ts';
import type { DatabaseAccess } from '../platform/database/roles/database-access.ts';
import type { Role } from '../platform/database/roles/database-roles.ts';
import { createLog } from '../platform/log.ts';
import { refuseTakenPort } from '../platform/mail/catcher/mail-catcher.ts';
import { hasSystemSender } from '../platform/mail/system-sender.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { VERSION } from '../platform/package.ts';
import type { Settings } from '../platform/settings.ts';
import type { PeriodicTasks } from '../platform/tasks/periodic-tasks.ts';
import { stopSignal } from './stop-signal.ts';

/** Stops a part of the process. Parts stop in the reverse order of their starts. */
type Running = () => unknown;

/** The common parts of a running process. */
export interface Run {
  readonly settings: Settings;
  readonly log: Logger;
  /** undefined: METRICS_PORT is not set. */
  readonly metrics: Metrics | undefined;
  readonly running: Running[];
  /** Whether the process is stopping. */
  readonly stopping: () => boolean;
  /** Stops the process. It then prints the message and exits with 1. */
  readonly fail: (message: string) => void;
  /** Whether it stops by `fail`, so that no request may be answered any more. */
  readonly hasFailed: () => boolean;
}

/** A process whose database is open. */
export interface RunWithTasks extends Run {
  readonly tasks: PeriodicTasks;
}

/** What only `all` provides. */
export interface Surroundings {
  /** Whether mails stay on this machine. */
  readonly usesCatcher?: boolean;
  /** Returns the free bytes on the disk of the bundled database; null: the database is the operator's own. */
  readonly freeBytes?: (() => Promise<number>) | null;
}

/** Starts the parts of a process, waits for SIGINT or SIGTERM, stops the parts and ends the process. */
export async function runUntilStopped(
  settings: Settings,
  log: Logger,
  start: (run: Run) => Promise<void>,
): Promise<void> {
  const signal = stopSignal();
  let stopping = false;
  void signal.then(() => {
    stopping = true;
  });
  log.info({ version: VERSION, node: process.version }, 'starting');
  warnOfUnverifiedTls(settings, log);
  // Node would print the error unmasked, with all quoted data.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error: the process ends');
    process.exit(1);
  });
  const running: Running[] = [];
  let fault: string | undefined;
  const { promise: failure, resolve: onFailure } = Promise.withResolvers<void>();
  const run = {
    settings,
    log,
    running,
    stopping: () => stopping,
    hasFailed: () => fault !== undefined,
    fail(message: string) {
      stopping = true;
      fault = message;
      onFailure();
    },
  };
  try {
    const metrics = await startMetrics(run);
    await start({ ...run, metrics });
    await Promise.race([signal, failure]);
  } finally {
    await stopAll(running, log);
  }
  if (fault !== undefined) {
    process.stderr.write(`\n${fault}\n`);
    process.exitCode = 1;
  }
  // A silent mail server or database may keep sockets open, which would keep the process alive.
  process.exit(process.exitCode ?? 0);
}

/** pg itself reads `require` as `verify-full`: users who relied on that must be warned. */
function warnOfUnverifiedTls({ database: { owner, roles } }: Settings, log: Logger): void {
  if (![owner, ...Object.values(roles)].some((url) => url !== null && isUnverifiedTls(url))) return;
  log.warn(
    'sslmode=require encrypts the connection to the database, but does not check whom it talks to; ' +
      'sslmode=verify-full checks it (with sslrootcert=FILE for a private authority)',
  );
}

/** Returns the log of an unattended process. It warns of what `all` shows on the screen. */
export function serviceLog(settings: Settings): Logger {
  const log = createLog(settings.logLevel ?? 'info');
  if (hasSystemSender(settings)) return log;
  log.warn(
    'MAIL_FROM is not set, and neither the user at the mail server nor PUBLIC_URL gives an address: changes of an ' +
      'e-mail address cannot be confirmed, and accounts without a confirmed sender get no resets and notices',
  );
  return log;
}

/** Stops every part, even if one fails to stop; the process then exits with 1. */
async function stopAll(running: Running[], log: Logger): Promise<void> {
  for (const stop of running.reverse()) {
    try {
      await stop();
    } catch (error) {
      process.exitCode = 1;
      log.error({ err: error }, 'could not stop a part of the process');
    }
  }
}

/** Serves metrics if a port is set. Their library is imported only then: other processes start faster without it. */
async function startMetrics({ settings, running }: Omit<Run, 'metrics'>): Promise<Metrics | undefined> {
  const { metricsHost, metricsPort } = settings;
  if (metricsPort === null) return undefined;
  const { createMetrics, serveMetrics } = await import('../platform/metrics/metrics.ts');
  const metrics = createMetrics();
  await refuseTakenPort(metricsPort, 'METRICS_PORT', metricsHost);
  const served = await serveMetrics(metrics, metricsPort, metricsHost);
  running.push(() => served.close());
  return metrics;
}

/** The time for connections in use to end. */
const CLOSE_POOL_MS = 2000;

/** Opens the pool of a role, with its metrics. It is closed when the process stops. */
export function openPool({ metrics, running }: Run, access: DatabaseAccess, role: Role): Database {
  const database = openDatabase(access.urlOf(role), { role });
  metrics?.watchPool(database.pool, role);
  // close() waits for every connection in use, forever if the server does not respond.
  running.push(() => Promise.race([database.close(), sleep(CLOSE_POOL_MS, undefined, { ref: false })]));
  return database;
}
