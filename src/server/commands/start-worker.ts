import { join } from 'node:path';
import { startDeliveryWorker } from '../features/delivery/delivery-worker.ts';
import { recordMaxMailBytes } from '../features/delivery/marks/max-mail-bytes.ts';
import { queueFigures } from '../features/delivery/queue-figures.queries.ts';
import type { Transport } from '../features/delivery/transports/transport.ts';
import { startDailyChecks } from '../features/domain-health/daily-checks.ts';
import { exportHandler } from '../features/exports/export-job.ts';
import { importHandlers } from '../features/imports/import-handlers.ts';
import { startJobWorker } from '../features/jobs/job-worker.ts';
import { logUnusableTemplates } from '../features/mail-templates/unusable-templates.ts';
import { startNoticeWorker } from '../features/notices/notice-worker.ts';
import { startReportFolder } from '../features/reports/report-folder.ts';
import { startReservationScheduler } from '../features/reservations/reservation-scheduler.ts';
import { startArchiveWorker } from '../features/retention/archive-worker.ts';
import { accountSenderOf } from '../features/sender-addresses/account-sender.queries.ts';
import { storageFigures } from '../features/stored-files/storage-limits.ts';
import { type Database, openListeningClient } from '../platform/database/db.ts';
import type { DatabaseAccess } from '../platform/database/roles/database-access.ts';
import { systemSender } from '../platform/mail/system-sender.ts';
import { listenForWork } from '../platform/work-signal.ts';
import type { Run, Surroundings } from './run-until-stopped.ts';
import { startInbox } from './start-inbox.ts';

/**
 * Starts the loops of a worker: delivery, reservations, jobs, reports, archive, inbox, notices, checks of domains.
 */
export function startWorker(
  { settings, log, metrics, running }: Run,
  access: DatabaseAccess,
  { db, pool }: Database,
  transport: Transport,
  { usesCatcher = false, freeBytes = null }: Surroundings = {},
): void {
  const workSignal = listenForWork({ openClient: () => openListeningClient(access.urlOf('service')), db, log });
  running.push(() => workSignal.close());
  running.push(recordMaxMailBytes({ db, transport, log }));
  metrics?.watchQueue(() => queueFigures(db));
  const common = { db, now: Date.now, log };
  const started = startDeliveryWorker({
    ...common,
    transport,
    connections: settings.workerConnections,
    metrics,
    workSignal,
    receiptsFolder: join(settings.dataDir, 'receipts'),
  });
  void logUnusableTemplates(db, log).catch((error: unknown) =>
    log.error({ err: error }, 'could not check the stored templates; their pages show which ones cannot be sent'),
  );
  const { publicUrl, dnsServers } = settings;
  const stopScheduler = startReservationScheduler({ ...common, transport, publicUrl, workSignal });
  const limits = { allFiles: null, freeBytes, maxBytes: settings.storedBytesMax };
  metrics?.watchStorage(() => storageFigures(db, limits));
  const handlers = {
    export: exportHandler({ db, now: Date.now, limits }),
    ...importHandlers({ db, pool, now: Date.now }),
  };
  const stopJobs = startJobWorker({ db, log, handlers, workSignal });
  const stopFolder = startReportFolder({ db, log });
  const stopArchive = startArchiveWorker({ db, log });
  const stopInbox = startInbox({ settings, db, log, metrics });
  const from = systemSender(settings, accountSenderOf(db));
  const mailer = transport.systemMailer({ from, log });
  const stopNotices = startNoticeWorker({ ...common, mailer, publicUrl });
  // The DNS does not matter to mails that stay on the machine.
  const { mailPath } = transport;
  const stopChecks = usesCatcher ? null : startDailyChecks({ ...common, mailPath, publicUrl, dnsServers });
  running.push(() =>
    Promise.all([
      started.stop(),
      stopScheduler(),
      stopJobs(),
      stopFolder(),
      stopArchive(),
      stopInbox(),
      stopNotices(),
      stopChecks?.(),
    ]),
  );
}
