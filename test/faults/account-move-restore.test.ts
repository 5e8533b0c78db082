import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { agePastMoves } from '#test/accounts.ts';
import { eventually, unbalancedRuns } from '#test/sending.ts';
import { form } from './form.ts';
import {
  addressesIn,
  BESIDE,
  BOOKED,
  type Cell,
  comeToReservation,
  fallDue,
  MAILS,
  MOVED,
  movedScene,
  OPEN_BEFORE,
  ofDomains,
  RESERVED,
  restoreCell,
  run,
  type Scene,
  sendAsPlanned,
  start,
  startWorker,
  THERE,
  untilSent,
} from './moved-cells.ts';
import { report } from './report.ts';
import { kill, stop } from './workers.ts';

/** The time in ms within which a worker would claim mails, if it could while sending is paused. */
const REST_MS = 1500;

/** Checks what all mail servers received: those of the cells until the loss, and the restored cell's. */
async function judge(run: string, begun: number, { home, target }: Scene, restored: Cell, expected: string[]) {
  const all = [home.sink, target.sink, restored.sink].flatMap(addressesIn);
  const asked = expected.flatMap((domain) =>
    Array.from({ length: domain === BOOKED ? RESERVED : MAILS }, (_, n) => `info${n}@${domain}`),
  );
  const { rows } = await sql<{ to: string }>`SELECT mail_to AS to FROM delivery WHERE state = 'unknown'`.execute(
    restored.db,
  );
  const unknown = rows.map(({ to }) => to);
  const known = new Set([...all, ...unknown]);
  const lost = asked.filter((address) => !known.has(address));
  const doubled = all.filter((address, n) => all.indexOf(address) !== n);
  report({
    run,
    mails: asked.length,
    faults: 1,
    sent: all.length,
    unknown: unknown.length,
    unknownArrived: unknown.filter((address) => all.includes(address)).length,
    lost: lost.length,
    duplicates: doubled.length,
    recovery: null,
    seconds: (performance.now() - begun) / 1000,
  });
  return { lost, doubled, unknown: unknown.length, wrong: await unbalancedRuns(restored.db) };
}

const GOOD = { lost: [], doubled: [], unknown: 0, wrong: [] };

/** Checks that the worker of a restored cell runs and sends nothing. */
async function expectPaused({ sink }: Cell): Promise<void> {
  const before = sink.mails.length;
  await sleep(REST_MS);
  expect(sink.mails.length).toBe(before);
}

async function goOn(cell: Cell, ...how: string[]): Promise<void> {
  await run(cell, 0, 'receipts', 'resume', ...how);
  // Runs and reservations that were open in the backup need a decision of their members.
  await sendAsPlanned(cell);
  await fallDue(cell, [0, 1, 2, 3]);
  await untilSent(cell);
}

const LIMIT_MS = 240_000 + MAILS * 100;

// `npm test` restores a source once; the restore of a target is tested beside its code.
test.runIf(form.isLong)(
  'the target of a move is restored to before it or into it: the account comes back, and no mail is sent twice',
  async () => {
    const scene = await movedScene();
    const { folder, home, target, workers, backups, moveTo } = scene;
    await stop(workers.target);
    // The reservation's time has also come in the copy that stayed at home.
    await comeToReservation(home);

    let begun = performance.now();
    const before = await restoreCell(target, folder, backups.targetBefore);
    await startWorker(before);
    await run(before, 0, 'receipts', 'merge');
    await goOn(before);
    expect(ofDomains(addressesIn(before.sink), MOVED, BOOKED)).toStrictEqual([]);
    expect(await run(home, 1, ...moveTo(before))).toContain('--target-restored');
    expect(await run(home, 0, ...moveTo(before, '--target-restored'))).toContain('receipts merge');
    await fallDue(before, [0, 1, 2, 3]);
    await expectPaused(before);
    expect(await run(before, 1, 'receipts', 'resume')).toContain('先に receipts merge');
    await run(before, 0, 'receipts', 'merge');
    await goOn(before);
    const everything = [MOVED, BOOKED, THERE];
    expect(await judge('target restored to before a move', begun, scene, before, everything)).toStrictEqual(GOOD);
    // Once the account lives in the target, nothing may bring it back a second time.
    expect(await run(home, 1, ...moveTo(before, '--target-restored'))).toContain('すでにあります');

    begun = performance.now();
    const arriving = await restoreCell(target, folder, backups.targetArriving);
    await startWorker(arriving);
    await run(home, 0, ...moveTo(arriving));
    await fallDue(arriving, [0, 1, 2, 3]);
    await expectPaused(arriving);
    await run(arriving, 0, 'receipts', 'merge');
    await goOn(arriving);
    expect(await judge('target restored into a move', begun, scene, arriving, everything)).toStrictEqual(GOOD);

    begun = performance.now();
    const bare = await restoreCell(target, folder, backups.targetBefore, { keepsReceipts: false });
    await run(home, 0, ...moveTo(bare, '--target-restored'));
    await startWorker(bare);
    await fallDue(bare, [0, 1, 2, 3]);
    await expectPaused(bare);
    expect(await run(bare, 1, 'receipts', 'resume')).toContain('--without-receipts');
    await goOn(bare, '--without-receipts');
    // Nothing was sent: a person decides about the waiting half, and the reservation counts as missed.
    expect(addressesIn(bare.sink)).toStrictEqual([]);
    expect(await judge('target restored without receipts', begun, scene, bare, [MOVED, THERE])).toMatchObject({
      ...GOOD,
      unknown: MAILS / 2 + OPEN_BEFORE,
    });
  },
  LIMIT_MS,
);

/** Undoes what `kaitaku restore` does besides loading. */
const BARE = `
  UPDATE installation SET rewound_at = NULL, restored_from = NULL, receipts_until = NULL, held_at = NULL;
  UPDATE send_log SET paused_by = NULL WHERE paused_by = 'restored';
  UPDATE delivery SET not_before = now() WHERE state = 'queued';
  UPDATE reservation SET missed_at = NULL, held_by_restore = false WHERE held_by_restore`;

/** The ways in which the source is restored. */
const SOURCES: readonly {
  readonly run: string;
  readonly from: 'homeBefore' | 'homeAfter';
  /** By PostgreSQL's own tools, which pause nothing. */
  readonly isBare?: true;
  /** The disk with the worker's receipts is lost. */
  readonly isWithoutReceipts?: true;
  /** The copy that stayed at home was deleted before. */
  readonly isDeleted?: true;
}[] = [
  { run: 'source restored to after a move', from: 'homeAfter' },
  { run: 'source restored to before a move', from: 'homeBefore' },
  { run: 'source restored by other tools', from: 'homeBefore', isBare: true },
  { run: 'source restored without receipts', from: 'homeBefore', isWithoutReceipts: true },
  { run: 'source restored after account delete', from: 'homeBefore', isDeleted: true },
];

/** Deletes the account's copy at its home a week later, while that worker continues. */
async function deleteAtHome({ home, target, accountId, email }: Scene): Promise<void> {
  const web = start(target, 'web');
  await web.until('web started');
  await agePastMoves(home.db, 8);
  const worker = await startWorker(home);
  const deleting = start(home, 'account', 'delete', '--email', email);
  deleting.child.stdin?.end(`${accountId}\n`);
  expect(await deleting.ended, deleting.output()).toBe(0);
  await stop(worker);
  await kill(web);
}

/** Does what an operator does with a source that was restored to a state before a move. */
async function learnOfMove({ accountId, home, target, movedTo, moveTo }: Scene, restored: Cell, hasReceipts: boolean) {
  if (hasReceipts) {
    const named = `アカウントID ${accountId} は ${movedTo} に移行済み`;
    expect(await run(restored, 1, 'receipts', 'resume')).toContain(named);
    expect(await run(restored, 0, 'receipts', 'merge')).toContain(named);
    return;
  }
  expect(await run(restored, 1, 'receipts', 'resume')).toContain('--without-receipts');
  await run(restored, 0, ...moveTo(target));
  const homeIn = ({ db }: Cell) => db.selectFrom('account').select('moved_to').where('id', '=', accountId).execute();
  expect(await homeIn(restored)).toStrictEqual(await homeIn(home));
}

test(
  'the source of a move is restored to after it or before it: it sends no mail of the account, and other accounts continue',
  async () => {
    const scene = await movedScene();
    const { folder, home, target, workers, backups, movedTo } = scene;
    // Each machine with a worker learns of the move soon.
    const receipts = join(home.env.DATA_DIR ?? '', 'receipts');
    await eventually(
      () => readdirSync(receipts, { recursive: true, encoding: 'utf8' }),
      (names) => names.some((name) => name.endsWith('.json')),
    );
    await stop(workers.home);
    // The new home has sent all waiting mails.
    await fallDue(target, [3]);
    await untilSent(target);
    const sources = form.isLong ? SOURCES : SOURCES.filter(({ run }) => run === 'source restored to before a move');
    for (const { run: name, from, isBare, isWithoutReceipts, isDeleted } of sources) {
      const begun = performance.now();
      if (isDeleted) await deleteAtHome(scene);
      const restored = await restoreCell(home, folder, backups[from], { keepsReceipts: !isWithoutReceipts });
      await comeToReservation(restored);
      await fallDue(restored, [0, 1, 2, 3]);
      if (isBare) await sql.raw(BARE).execute(restored.db);
      const worker = await startWorker(restored);
      if (isBare) await worker.until(`"movedTo":"${movedTo}"`);
      await expectPaused(restored);
      expect(addressesIn(restored.sink)).toStrictEqual([]);
      if (from === 'homeBefore') await learnOfMove(scene, restored, !isWithoutReceipts);
      else await run(restored, 0, 'receipts', 'merge');
      const how = isWithoutReceipts ? ['--without-receipts'] : isBare ? ['--nothing-taken-back'] : [];
      await goOn(restored, ...how);
      await expectPaused(restored);
      expect(ofDomains(addressesIn(restored.sink), MOVED, BOOKED)).toStrictEqual([]);
      // Without receipts all open mails are unknown, including those of the moved account: its members look elsewhere.
      const unknown = isWithoutReceipts ? 2 * OPEN_BEFORE : 0;
      const verdict = await judge(name, begun, scene, restored, [MOVED, BOOKED, BESIDE]);
      expect(verdict).toStrictEqual({ ...GOOD, unknown });
      await stop(worker);
    }
  },
  LIMIT_MS,
);
