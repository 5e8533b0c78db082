import type { Logger } from 'pino';
import { openInbox } from '../features/inbox/imap-session.ts';
import { startInboxReader } from '../features/inbox/inbox-reader.ts';
import { inboxFigures } from '../features/inbox/inbox-state.queries.ts';
import { openMailThread } from '../features/inbox/parse-beside.ts';
import { accountDbOf } from '../platform/database/account-db.ts';
import type { Db } from '../platform/database/db.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Settings } from '../platform/settings.ts';

interface Parts {
  readonly settings: Pick<Settings, 'inbox' | 'authservId' | 'returnAddress' | 'dnsServers'>;
  /** A pool of the role kaitaku_service. */
  readonly db: Db;
  readonly log: Logger;
  readonly metrics: Metrics | undefined;
}

/** Reads the inbox where the settings name one. @returns how to stop it */
export function startInbox({ settings, db, log, metrics }: Parts): () => Promise<void> {
  const { inbox, authservId, returnAddress, dnsServers } = settings;
  if (inbox === null) return async () => {};
  metrics?.watchInbox(() => inboxFigures(db, inbox.name));
  const thread = openMailThread();
  const stop = startInboxReader({
    db,
    now: Date.now,
    accountDb: accountDbOf(db),
    dnsServers,
    authservId,
    name: inbox.name,
    open: (stopping) => openInbox(inbox, stopping),
    returnPattern: returnAddress,
    thread,
    log,
    metrics,
  });
  return async () => {
    await stop();
    await thread.close();
  };
}
