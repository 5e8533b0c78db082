import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Db } from './database/db.ts';

/** The channel on which triggers (announce_work) announce a mail or reservation that is due now or soon. */
export const WORK_CHANNEL = 'kaitaku_work';
/**
 * The interval of the test notification that this process sends itself.
 * A pooler or a dead connection may drop notifications without an error.
 */
const ECHO_EVERY_MS = 60_000;
const ECHO_MS = 10_000;
const RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** Wakes the loops that wait for work. */
export interface WorkSignal {
  /** Whether new work is announced. False: callers must poll often. */
  isListening(): boolean;
  /** Calls `wake` when there may be work, and when listening begins or ends. @returns a function that unsubscribes */
  subscribe(wake: () => void): () => void;
  close(): Promise<void>;
}

interface ListenerParts {
  /** Creates a new connection for each try. A pooler must not share it between transactions. */
  readonly openClient: () => pg.Client;
  /** Other connections to the same database, which send the notifications. */
  readonly db: Db;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly echoMs?: number | undefined;
  readonly echoEveryMs?: number | undefined;
}

interface EchoParts extends Pick<ListenerParts, 'db'> {
  readonly client: pg.Client;
  readonly channel: string;
  readonly echoMs: number;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
  /** Rejects when the connection breaks. */
  readonly broken: Promise<never>;
}

/** Notifies the listening connection from another one. @throws when the notification does not arrive within `echoMs` */
async function tryEcho({ client, db, channel, echoMs, signal, broken }: EchoParts): Promise<void> {
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const hear = (notification: pg.Notification) => notification.channel === channel && resolve();
  client.on('notification', hear);
  const late = sleep(echoMs, undefined, { signal }).then(() => {
    throw new Error(`no notification arrived within ${echoMs} ms`);
  });
  late.catch(() => {});
  try {
    await Promise.race([sql`SELECT pg_notify(${channel}, '')`.execute(db), broken, late]);
    await Promise.race([heard, broken, late]);
  } finally {
    client.off('notification', hear);
  }
}

/**
 * Listens for notifications of work, and reconnects when the connection ends.
 * Never throws: without notifications workers poll.
 */
export function listenForWork({
  openClient,
  db,
  log,
  echoMs = ECHO_MS,
  echoEveryMs = ECHO_EVERY_MS,
}: ListenerParts): WorkSignal {
  const echoChannel = `kaitaku_echo_${randomUUID().replaceAll('-', '')}`;
  const wakers = new Set<() => void>();
  const closing = new AbortController();
  let listening = false;
  let retryMs = RETRY_MS;

  const wakeAll = () => {
    for (const wake of wakers) wake();
  };
  const setListening = (now: boolean) => {
    if (listening === now) return;
    listening = now;
    wakeAll();
  };

  /** Listens on one connection until it breaks. @throws the reason why it ended */
  async function listenOnce(): Promise<void> {
    const client = openClient();
    const broken = new Promise<never>((_, fail) => {
      client.on('error', fail);
      client.on('end', () => fail(new Error('the connection was closed')));
      closing.signal.addEventListener('abort', () => fail(new Error('closed by us')));
    });
    broken.catch(() => {});
    try {
      await Promise.race([client.connect(), broken]);
      client.on('notification', ({ channel }) => channel === WORK_CHANNEL && wakeAll());
      await Promise.race([client.query(`LISTEN ${WORK_CHANNEL}; LISTEN ${echoChannel}`), broken]);
      for (;;) {
        await tryEcho({ client, db, channel: echoChannel, echoMs, signal: closing.signal, broken });
        setListening(true);
        retryMs = RETRY_MS;
        await Promise.race([sleep(echoEveryMs, undefined, { ref: false }), broken]);
      }
    } finally {
      setListening(false);
      // On a dead connection end() would wait for an answer.
      void client.end().catch(() => {});
    }
  }

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (closing.signal.aborted) return;
        log.warn({ err: error, retryMs }, 'cannot listen for database notifications; polling until the next try');
      });
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {});
      retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
    }
  }

  const running = run();
  return {
    isListening: () => listening,
    subscribe(wake) {
      wakers.add(wake);
      return () => void wakers.delete(wake);
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}
