import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import type { Claim } from './claim.ts';
import { countDenied, isCompared } from './denied-receipts.queries.ts';
import { type Installation, markRewound, readInstallation, recordServer } from './installation.queries.ts';
import { countDeniedIn, mergeFile } from './merge-receipts.command.ts';
import { adoptOldFiles, allFiles, otherDatabases, receiptOf, receiptsOf } from './receipts.ts';

/** So much of the newest files is compared each time: a state that lacks older commits lacks these too. */
const NEWEST_BYTES = 1024 * 1024;

interface GuardParts {
  readonly db: Db;
  /** `DATA_DIR/receipts`. */
  readonly root: string;
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
}

/**
 * Compares this machine's receipts with the database, and pauses all sending when mails that were sent are missing: it is in an older state
 * (a promoted standby, a restored backup) and would send them again. Decision 0075.
 */
export function receiptGuard({ db, root, now, log }: GuardParts) {
  let installation: Installation | null = null;
  /** Files whose receipts this server has confirmed, and how long they were. */
  let confirmed = new Map<string, number>();
  /** Mails of this process whose body is leaving, with the time of their mark. */
  const leaving = new Map<Claim, number>();
  let running: Promise<void> | null = null;

  function enter(current: Installation): void {
    if (installation?.server !== current.server || installation.id !== current.id) confirmed = new Map();
    if (installation?.id === current.id) return;
    const folder = receiptsOf(root, current.id);
    adoptOldFiles(root, folder);
    const databases = otherDatabases(root, folder);
    if (databases > 0) log.warn({ databases }, 'DATA_DIR holds receipts of other databases: they are left alone');
  }

  /** One connection for all statements, so that one server answers them. */
  const compare = () =>
    db.connection().execute(async (connection) => {
      await recordServer(connection);
      const current = await readInstallation(connection);
      enter(current);
      const denied = (await findDenied(connection, current.id)) ?? (await countDeniedLeaving(connection));
      if (denied && (await markRewound(connection))) log.error(denied, REWOUND);
      installation = current;
    });

  /** @returns the first file with receipts that the database denies, and how many */
  async function findDenied(connection: Db, databaseId: string): Promise<{ path: string; denied: number } | null> {
    let newest = 0;
    for (const { path, bytes } of allFiles(receiptsOf(root, databaseId))) {
      const isConfirmed = confirmed.get(path) === bytes;
      if (isConfirmed && newest >= NEWEST_BYTES) continue;
      newest += bytes;
      // What a server before was told of unknown mails, this one may not know.
      if (!isConfirmed) await mergeFile(connection, path, now(), onUnreadable);
      const denied = await countDeniedIn(connection, path, onUnreadable);
      if (denied > 0) return { path, denied };
      confirmed.set(path, bytes);
    }
    return null;
  }

  /** Counts mails without a receipt yet. What is answered meanwhile may wait for another try: that denies nothing. */
  async function countDeniedLeaving(connection: Db): Promise<{ underWay: number } | null> {
    for (let asked = [...leaving.keys()]; asked.length > 0; ) {
      const receipts = asked.map((claim) => receiptOf(claim, '', leaving.get(claim) ?? now())).filter(isCompared);
      const underWay = await countDenied(connection, receipts);
      if (underWay === 0) return null;
      const left = asked.filter((claim) => leaving.has(claim));
      if (left.length === asked.length) return { underWay };
      asked = left;
    }
    return null;
  }

  const onUnreadable = (error: unknown) => log.error({ err: error }, 'unreadable receipt: it is not compared');

  return {
    /** The folder for new receipts; null before the first comparison. */
    folder: (): string | null => installation && receiptsOf(root, installation.id),
    /** The state that the receipts were compared with last; null: none yet. */
    state: (): string | null => installation?.state ?? null,
    /** The mark of this mail is committed. @param at when it was asked for, epoch milliseconds */
    leaving: (claim: Claim, at: number): void => void leaving.set(claim, at),
    /** These mails have their outcome and receipts. To be called before the database has the outcome. */
    answered(claims: readonly Claim[]): void {
      for (const claim of claims) leaving.delete(claim);
    },
    /** Compares the receipts, and the mails under way, with the server that answers now. */
    async compare(): Promise<void> {
      running ??= compare().finally(() => {
        running = null;
      });
      await running;
    },
  };
}

const REWOUND =
  'the database is in an older state: mails that were sent are missing. No worker claims until `kaitaku receipts merge` and `resume`';
