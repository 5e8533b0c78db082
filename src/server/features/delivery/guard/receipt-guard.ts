import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '../../../platform/database/db.ts';
import type { Claim } from '../leases/claim.ts';
import { hasRecentSends, type Installation, readInstallation, recordServer } from '../pauses/installation.queries.ts';
import { markRewound } from '../pauses/rewound.queries.ts';
import { countDenied } from './denied-receipts.queries.ts';
import { isCompared, type LostErasure } from './erased-receipts.queries.ts';
import { countDeniedIn, countUnknownDeniedIn, findLostIn, mergeFile } from './merge-receipts.command.ts';
import { findLostMoves } from './move-receipts.ts';
import {
  adoptOldFiles,
  countOtherDatabases,
  eachFile,
  isInUse,
  makeFolder,
  type ReceiptFile,
  receiptsOf,
  unknownOf,
} from './receipt-files.ts';
import type { ReceiptFault } from './receipt-lines.ts';
import { receiptOf } from './receipts.ts';

/** The bytes of the newest receipts that each comparison reads: a set-back database lacks the newest commits. */
const NEWEST_BYTES = 1024 * 1024;

interface GuardParts {
  readonly db: Db;
  /** `DATA_DIR/receipts`. */
  readonly root: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: FastifyBaseLogger;
}

export interface ReceiptGuard {
  /** The database of the last comparison; null: none yet. */
  databaseId(): string | null;
  /** The folder for its new receipts. */
  folder(): string | null;
  /** The state of the installation at the last comparison; null: none yet. */
  state(): string | null;
  /** Adds a mail whose mark is committed. @param at when the mark was requested, epoch milliseconds */
  addLeaving(claim: Claim, at: number): void;
  /** Removes the mails of an ended request. Call it after writing their receipts and before writing their results. */
  removeLeaving(claims: readonly Claim[]): void;
  /**
   * Compares receipts, unknown mails and mails being sent with the server that answers now.
   * Joins a running comparison.
   */
  compare(): Promise<void>;
}

/**
 * Compares this machine's receipts with the database, and pauses all sending when sent mails are missing there.
 * A promoted standby or restored backup may be in an older state, and would send them again (decisions/receipts).
 */
export function receiptGuard({ db, root, now, log }: GuardParts): ReceiptGuard {
  /** The database of the last comparison. */
  let installation: Installation | null = null;
  /** Files of which this server denies nothing: sizes at that comparison, by path. */
  let confirmed = new Map<string, number>();
  /** Names of lost erasures that were logged. */
  const reported = new Set<string>();
  /** Mails of this process whose body is being sent, with the time of their mark. */
  const leaving = new Map<Claim, number>();
  /** The running comparison, or null. */
  let running: Promise<void> | null = null;

  /** Resets what another database or server has confirmed. */
  async function changeTo(connection: Db, current: Installation): Promise<void> {
    if (installation?.server !== current.server || installation.id !== current.id) {
      confirmed = new Map();
      reported.clear();
    }
    if (installation?.id !== current.id) await prepareFolder(connection, { root, log }, current.id);
  }

  /** One connection, so that one server answers all statements. */
  const compare = () =>
    db.connection().execute(async (connection) => {
      await recordServer(connection);
      const current = await readInstallation(connection);
      await changeTo(connection, current);
      const accounts = (await findLostMoves(connection, receiptsOf(root, current.id))).map(
        ({ accountId, movedTo }) => ({ accountId, movedTo }),
      );
      if (accounts.length > 0 && (await markRewound(connection))) log.error({ accounts }, MOVES_LOST);
      const denied = (await findDenied(connection, current.id)) ?? (await countDeniedLeaving(connection, leaving));
      if (denied && (await markRewound(connection))) log.error(denied, REWOUND);
      installation = current;
    });

  /** Finds the first file with receipts or unknown mails that the database denies. @returns null: none */
  async function findDenied(connection: Db, databaseId: string): Promise<{ path: string; denied: number } | null> {
    const folder = receiptsOf(root, databaseId);
    const ofReceipts = async ({ path }: ReceiptFile, isConfirmed: boolean) => {
      // Earlier servers may have merged these receipts: this one may still have their mails as unknown.
      if (!isConfirmed) {
        await mergeFile(connection, path, now(), onUnreadable);
        reportLost(log, reported, await findLostIn(connection, path, onUnreadable));
      }
      return countDeniedIn(connection, path, onUnreadable);
    };
    return (
      (await findDeniedIn(confirmed, folder, ofReceipts)) ??
      (await findDeniedIn(confirmed, unknownOf(folder), ({ path }) =>
        countUnknownDeniedIn(connection, path, onUnreadable),
      ))
    );
  }

  const onUnreadable: ReceiptFault = (error, path) =>
    log.error({ err: error, path }, 'unreadable line in a receipt file; it is not compared with the database');

  return {
    databaseId: () => installation?.id ?? null,
    folder: () => installation && receiptsOf(root, installation.id),
    state: () => installation?.state ?? null,
    addLeaving: (claim, at) => void leaving.set(claim, at),
    removeLeaving(claims) {
      for (const claim of claims) leaving.delete(claim);
    },
    async compare() {
      running ??= compare().finally(() => {
        running = null;
      });
      await running;
    },
  };
}

/**
 * Finds the first file of a folder with something that the database denies.
 * @param confirmed collects the other files
 */
async function findDeniedIn(
  confirmed: Map<string, number>,
  folder: string,
  countIn: (file: ReceiptFile, isConfirmed: boolean) => Promise<number>,
): Promise<{ path: string; denied: number } | null> {
  let newest = 0;
  let found: { path: string; denied: number } | null = null;
  await eachFile(folder, async (file) => {
    const { path, bytes } = file;
    const isConfirmed = confirmed.get(path) === bytes;
    if (isConfirmed && newest >= NEWEST_BYTES) return false;
    newest += bytes;
    const denied = await countIn(file, isConfirmed);
    if (denied > 0) found = { path, denied };
    else confirmed.set(path, bytes);
    return denied > 0;
  });
  return found;
}

const MOVES_LOST =
  'the database is in an older state: these accounts have moved away, and live here again; ' +
  'no worker claims until `kaitaku receipts merge` and `kaitaku receipts resume`';

/** Prepares the receipts folder of a database. Reports a new folder once. */
async function prepareFolder(
  connection: Db,
  { root, log }: Pick<GuardParts, 'root' | 'log'>,
  databaseId: string,
): Promise<void> {
  const folder = receiptsOf(root, databaseId);
  adoptOldFiles(root, folder);
  const lacksReceipts = !isInUse(folder) && (await hasRecentSends(connection));
  if (isMade(folder, log) && lacksReceipts) log.warn({ folder }, NO_RECEIPTS);
  const databases = countOtherDatabases(root, folder);
  if (databases > 0) log.warn({ databases }, 'DATA_DIR holds receipts of other databases; they are ignored');
}

/** Makes a folder. @returns true also on failure: the folder has no receipts then either */
function isMade(folder: string, log: FastifyBaseLogger): boolean {
  try {
    return makeFolder(folder);
  } catch (error) {
    log.error({ err: error, folder }, 'cannot make the receipts folder; mails are sent without receipts');
    return true;
  }
}

const NO_RECEIPTS =
  'this DATA_DIR has no receipts, though mails left in the last three days. On a new machine: nothing to do. ' +
  'After a restore of the database: stop all workers, mails may leave twice. ' +
  'At each start: keep DATA_DIR on a lasting disk. See docs/operations.md, "A database in an older state"';

const REWOUND =
  'the database is in an older state: sent mails are missing; ' +
  'no worker claims until `kaitaku receipts merge` and `kaitaku receipts resume`';

/**
 * Logs lost erasures once each.
 * Sending is not paused: no mail is missing, and only the account knows whose address it was.
 */
function reportLost(log: FastifyBaseLogger, reported: Set<string>, lost: readonly LostErasure[]): void {
  const news = lost.filter(({ accountId, addressHash }) => !reported.has(`${accountId} ${addressHash}`));
  for (const { accountId, addressHash } of news) reported.add(`${accountId} ${addressHash}`);
  if (news.length > 0) log.error({ erasures: news }, ERASURES_LOST);
}

const ERASURES_LOST =
  'the database is in an older state: erasures of personal data are missing; ' +
  'repeat them: `kaitaku receipts merge` lists them';

/**
 * Counts mails being sent, still without a receipt, that the database denies.
 * Recounts without those that ended meanwhile: such a mail may rightly be queued again, and so look denied.
 */
async function countDeniedLeaving(
  connection: Db,
  leaving: ReadonlyMap<Claim, number>,
): Promise<{ underWay: number } | null> {
  for (let asked = [...leaving]; asked.length > 0; ) {
    const receipts = asked.map(([claim, at]) => receiptOf(claim, '', at)).filter(isCompared);
    const underWay = await countDenied(connection, receipts);
    if (underWay === 0) return null;
    const stillLeaving = asked.filter(([claim]) => leaving.has(claim));
    if (stillLeaving.length === asked.length) return { underWay };
    asked = stillLeaving;
  }
  return null;
}
