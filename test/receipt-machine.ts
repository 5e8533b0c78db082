import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receiptEraser } from '#server/features/delivery/guard/erase-receipts.command.ts';
import type { LostErasure } from '#server/features/delivery/guard/erased-receipts.queries.ts';
import {
  countDeniedIn,
  countUnknownDeniedIn,
  listLostErasures,
  mergeReceipts,
  restoreFromReceipts,
} from '#server/features/delivery/guard/merge-receipts.command.ts';
import { allFiles, receiptsOf, unknownOf } from '#server/features/delivery/guard/receipt-files.ts';
import { receiptOf, receiptWriter } from '#server/features/delivery/guard/receipts.ts';
import { unknownKeeper } from '#server/features/delivery/guard/unknown-mails.ts';
import type { Claim, KeepUnknown } from '#server/features/delivery/leases/claim.ts';
import { readInstallation } from '#server/features/delivery/pauses/installation.queries.ts';
import { takeReports } from '#server/features/inbox/take-bounce.command.ts';
import type { TestDatabase } from './db.ts';

/** The steps that the worker of one machine takes with its receipts. */
export interface ReceiptMachine {
  /** `DATA_DIR`. */
  readonly dataDir: string;
  /** The folder of the stored receipts. */
  readonly kept: string;
  /** Writes the receipts of accepted mails, as a worker that dies afterwards. */
  keep(claims: readonly Claim[]): void;
  /** Stores receipts of mails that become unknown. */
  readonly keepUnknown: KeepUnknown;
  /** Merges the receipts into one file. */
  merge(): Promise<number>;
  /** Ends the period in which files are collected. */
  endGathering(): void;
  /** Removes erased addresses from closed files, as a worker does after its start. */
  eraseAddresses(): Promise<void>;
  /** Returns the content of all files of this machine. */
  text(): string;
  /** Compares all receipts with the database. */
  compare(): Promise<{ denied: number; lost: LostErasure[] }>;
  /** Compares all unknown mails with the database. @returns how many contradict it */
  compareUnknown(): Promise<number>;
  /** Does what `kaitaku receipts merge` does. */
  restore(): ReturnType<typeof restoreFromReceipts>;
  remove(): void;
}

const onFault = (error: unknown) => {
  throw error;
};

/** Starts without receipts. The files look as if they had been written a while ago. */
export async function receiptMachine({ service: { db } }: TestDatabase): Promise<ReceiptMachine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kaitaku-machine-'));
  const root = join(dataDir, 'receipts');
  const folder = receiptsOf(root, (await readInstallation(db)).id);
  const kept = join(folder, 'kept');
  const age = () => {
    const then = new Date(Date.now() - 10_000);
    for (const { path } of allFiles(folder)) utimesSync(path, then, then);
  };
  return {
    dataDir,
    kept,
    keep(claims) {
      const writer = receiptWriter(() => folder, { onFault });
      writer.append(claims.map((claim) => receiptOf(claim, `250 <${claim.mailTo}> taken`, Date.now())));
      writer.close();
      age();
    },
    keepUnknown: unknownKeeper(root, { onFault }),
    merge: () => mergeReceipts(db, folder, Date.now(), onFault),
    endGathering() {
      age();
      for (const name of readdirSync(kept)) renameSync(join(kept, name), join(kept, crypto.randomUUID()));
    },
    eraseAddresses: () => receiptEraser(db)(folder),
    text: () =>
      allFiles(folder)
        .map(({ path }) => readFileSync(path, 'utf8'))
        .join(''),
    async compare() {
      let denied = 0;
      for (const { path } of allFiles(folder)) denied += await countDeniedIn(db, path, onFault);
      return { denied, lost: await listLostErasures(db, root, onFault) };
    },
    async compareUnknown() {
      let denied = 0;
      for (const { path } of allFiles(unknownOf(folder))) denied += await countUnknownDeniedIn(db, path, onFault);
      return denied;
    },
    restore: () => restoreFromReceipts(db, root, onFault),
    remove: () => rmSync(dataDir, { recursive: true }),
  };
}

/** Makes a mailbox full: an accepted mail bounces. */
export const bounceSoftly = ({ service }: TestDatabase, mail: { accountId: number; id: number }): Promise<boolean> =>
  service.db.transaction().execute((tx) => {
    const report = { action: 'failed', finalRecipient: null, originalRecipient: null, status: '4.2.2' } as const;
    const reports = [{ ...report, text: 'mailbox is full' }];
    const key = { accountId: mail.accountId, deliveryId: mail.id };
    const bounce = { reports, arrivedAt: null, hash: Buffer.from(crypto.randomUUID()) };
    return takeReports(tx, key, bounce, Date.now());
  });
