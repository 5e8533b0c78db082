import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../platform/db.ts';
import { countDenied, isCompared } from './denied-receipts.queries.ts';
import { type Installation, markRewound, readInstallation, recordServer } from './installation.queries.ts';
import { adoptOldFiles, allFiles, otherDatabases, readReceipts, receiptsOf } from './receipts.ts';

/** The most receipts of one statement. */
const BATCH = 1000;
/** So many of the newest files are compared each time: a state that lacks older commits lacks these too. */
const NEWEST_FILES = 20;

interface GuardParts {
  readonly db: Db;
  /** `DATA_DIR/receipts`. */
  readonly root: string;
  readonly log: FastifyBaseLogger;
}

/**
 * Compares this machine's receipts with the database, and pauses all sending when mails that were sent are missing: it is in an older state
 * (a promoted standby, a restored backup) and would send them again. Decision 0075.
 */
export function receiptGuard({ db, root, log }: GuardParts) {
  let installation: Installation | null = null;
  /** Files whose receipts this server has confirmed. */
  let confirmed = new Set<string>();
  let running: Promise<void> | null = null;

  function enter(current: Installation): void {
    if (installation?.server !== current.server || installation.id !== current.id) confirmed = new Set();
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
      const files = allFiles(receiptsOf(root, current.id));
      for (const [index, path] of files.entries()) {
        if (index >= NEWEST_FILES && confirmed.has(path)) continue;
        const denied = await countDeniedIn(connection, path, onUnreadable);
        if (denied === 0) {
          confirmed.add(path);
          continue;
        }
        if (await markRewound(connection)) log.error({ path, denied }, REWOUND);
        break;
      }
      installation = current;
    });

  const onUnreadable = (error: unknown) => log.error({ err: error }, 'unreadable receipt: it is not compared');

  return {
    /** The folder for new receipts; null before the first comparison. */
    folder: (): string | null => installation && receiptsOf(root, installation.id),
    /** The server that the receipts were compared with last; null: none yet. */
    server: (): string | null => installation?.server ?? null,
    /** Compares the receipts with the server that answers now. */
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

/** @returns how many receipts of a file the database denies */
export async function countDeniedIn(db: Db, path: string, onFault: (error: unknown) => void): Promise<number> {
  const receipts = readReceipts(path, onFault).filter(isCompared);
  let count = 0;
  for (let from = 0; from < receipts.length; from += BATCH) {
    count += await countDenied(db, receipts.slice(from, from + BATCH));
  }
  return count;
}
