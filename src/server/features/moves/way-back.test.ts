import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { agePastMoves, setAccounts } from '#test/accounts.ts';
import {
  addSentMail,
  type Cell,
  giveHost,
  heldAt,
  moveBetween,
  otherCell,
  passOnFrom,
  refusedAt,
  type SentMail,
  serveCell,
  takeAt,
} from '#test/cells.ts';
import { emptyDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { eventually, untilBlocked } from '#test/sending.ts';
import { keepMoveReceipts, listLostMoves, restoreMoves } from '../delivery/guard/move-receipts.ts';
import { receiptsOf } from '../delivery/guard/receipt-files.ts';
import { readInstallation } from '../delivery/pauses/installation.queries.ts';
import { deleteAccount } from './delete-account.command.ts';

let a: Cell;
let b: Cell;
let tenant: Tenant;

beforeEach(async () => {
  a = await serveCell(await emptyDatabase());
  b = await otherCell(3);
  tenant = await addTenant(a.database.db);
  await giveHost(a.database, tenant.accountId);
});

async function move(from: Cell, to: Cell, ...more: Parameters<typeof moveBetween>[3][]) {
  expect(await moveBetween(from, to, tenant.accountId, ...more)).toMatchObject({ frozen: { unknown: 0 } });
}

const accountAt = ({ database: { db } }: Cell) =>
  db.selectFrom('account').selectAll().where('id', '=', tenant.accountId).executeTakeFirstOrThrow();

/** Deletes what stayed at a home, a week later. */
async function deleteAt({ database }: Cell, livesAt: Cell, onTable: (table: string) => void = () => {}) {
  await agePastMoves(database.db, 8);
  await eventually(
    async () => (await fetch(`${livesAt.origin}/health/account/${tenant.accountId}`)).status,
    (status) => status === 200,
  );
  expect(await deleteAccount({ db: database.service.db, onTable }, tenant.accountId)).toEqual(expect.any(Number));
}

/** Refuses by the link of a mail, at whatever home. @returns the status */
const refuse = async ({ origin }: Cell, { key }: SentMail) =>
  (await fetch(`${origin}/u/${key}`, { method: 'POST' })).status;

const bounceOf = ({ key, mailTo }: SentMail) =>
  dsnMail({ key, groups: [postfixGroup(mailTo, '5.1.1', 'smtp; 550 5.1.1 Unknown')] });

const valuesAt = async (cell: Cell) => (await refusedAt(cell)).map(({ value }) => value);

test.each(['kept', 'deleted'])(
  'an account comes back, and leaves again: what stayed (%s) is replaced, links work',
  async (stayed) => {
    const mails = await Promise.all(
      ['1', '2', '3', '4'].map((name) => addSentMail(a.database, tenant, `m${name}@a.example`)),
    );
    const [one, two, three, four] = mails as [SentMail, SentMail, SentMail, SentMail];
    await move(a, b);
    if (stayed === 'deleted') await deleteAt(a, b);
    expect(await refuse(a, one)).toBe(200);
    expect(await passOnFrom(a)).toMatchObject({ passed: ['refusal'], refused: [] });
    expect(await valuesAt(b)).toStrictEqual([one.mailTo]);
    // It waits there when the account comes back: the thaw carries it out before a mail begins.
    expect(await refuse(a, two)).toBe(200);
    await move(b, a);
    expect([await heldAt(a), await valuesAt(a)]).toStrictEqual([[], [one.mailTo, two.mailTo]]);
    expect(await accountAt(a)).toMatchObject({ moved_to: null, moves: 2, frozen_at: null });
    expect(await accountAt(b)).toMatchObject({ moved_to: a.origin, moves: 1 });
    expect(await a.database.db.selectFrom('moved_mail').selectAll().execute()).toStrictEqual([]);
    if (stayed === 'deleted') await deleteAt(b, a);
    for (const [at, mail] of [
      [a, three],
      [b, four],
    ] as const)
      expect(await refuse(at, mail)).toBe(200);
    await eventually(
      async () => (await passOnFrom(b)).refused,
      (refused) => refused.length === 0,
    );
    await move(a, b);
    expect(await valuesAt(b)).toStrictEqual(mails.map(({ mailTo }) => mailTo));
    expect([(await accountAt(a)).moves, (await accountAt(b)).moves]).toStrictEqual([2, 3]);
  },
);

test('a refusal is taken while the account comes back, and holds before a mail begins', async () => {
  const mail = await addSentMail(a.database, tenant, 'reader@a.example');
  await move(a, b);
  const { pool } = a.database;
  await pool.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_advisory_xact_lock(99); RETURN NULL; END $$;
    CREATE TRIGGER wait AFTER INSERT ON send_log FOR EACH STATEMENT EXECUTE FUNCTION wait();
    ALTER TABLE send_log ENABLE ALWAYS TRIGGER wait`);
  onTestFinished(async () => void (await pool.query('DROP FUNCTION wait CASCADE')));
  const lock = await pool.connect();
  await lock.query('SELECT pg_advisory_lock(99)');
  const moved = move(b, a);
  await untilBlocked(a.database);
  expect(await refuse(a, mail)).toBe(200);
  await lock.query('SELECT pg_advisory_unlock(99)');
  lock.release();
  await moved;
  expect([await heldAt(a), await valuesAt(a)]).toStrictEqual([[], [mail.mailTo]]);
});

test('what comes at a home that the account left two moves ago is passed on twice, and never round', async () => {
  const c = await otherCell(5);
  const [refused, gone] = [
    await addSentMail(a.database, tenant, 'stop@a.example'),
    await addSentMail(a.database, tenant, 'gone@a.example'),
  ];
  await move(a, b);
  await move(b, c);
  expect(await moveBetween(a, b, tenant.accountId)).toMatchObject({ code: 'moved_on' });
  // The host has changed meanwhile, or the map has not: from the first home it leads to the second one.
  expect(await refuse(a, refused)).toBe(200);
  expect(await takeAt(a, bounceOf(gone))).toBe('bounce');
  const first = await passOnFrom(a);
  expect(first).toMatchObject({ passed: ['refusal', 'mail'], refused: [] });
  for (const { source, to } of first.mails)
    expect(await takeAt(b, Buffer.from(source, 'latin1'), to[0])).toBe('bounce');
  const second = await passOnFrom(b);
  expect(second).toMatchObject({ passed: ['refusal', 'mail'], refused: [] });
  for (const { source, to } of second.mails) {
    // Its return address leads here by mistake.
    for (const home of [a, b]) {
      const toHere = `b-${gone.key}@${home.returnPattern.split('@')[1]}`;
      expect(await takeAt(home, Buffer.from(source, 'latin1'), toHere)).toBe('ignored');
    }
    expect(await takeAt(c, Buffer.from(source, 'latin1'), to[0])).toBe('bounce');
  }
  expect(await valuesAt(c)).toStrictEqual([gone.mailTo, refused.mailTo]);
  expect([await heldAt(a), await heldAt(b)]).toStrictEqual([[], []]);
  const passOnTo = async (value: string) => {
    const headers = { 'X-Kaitaku-Passed-On': value };
    return (await fetch(`${b.origin}/u/${refused.key}`, { method: 'POST', headers })).status;
  };
  await eventually(
    () => passOnTo('1'),
    (status) => status === 503,
  );
  expect([await passOnTo('0'), await passOnTo('yes')]).toStrictEqual([200, 503]);
});

test('a home in an older state does not take the place of what the account left later', async () => {
  await move(a, b);
  await setAccounts(a.database.db, { moved_to: null, moved_at: null, frozen_at: null, settled_at: null });
  await b.database.db
    .updateTable('account')
    .set({ frozen_at: new Date(), settled_at: new Date(), moved_to: 'https://there.example' })
    .execute();
  expect(await moveBetween(a, b, tenant.accountId)).toMatchObject({ code: 'left_later' });
});

test('what a delete was killed in is not copied again to a home that was set back', async () => {
  await move(a, b);
  const killed = deleteAt(a, b, () => {
    throw new Error('killed');
  });
  await expect(killed).rejects.toThrow('killed');
  const before = { is_arriving: true, move_number: 0, moves: 0, frozen_at: new Date(), settled_at: new Date() };
  await b.database.db.updateTable('account').set(before).execute();
  const again = await moveBetween(a, b, tenant.accountId, { isTargetRestored: true });
  expect(again).toMatchObject({ code: 'deleted_here' });
  expect(await accountAt(b)).toMatchObject({ is_arriving: true });
});

test('of an account that left twice the last receipt says where it is', async () => {
  const root = mkdtempSync(join(tmpdir(), 'kaitaku-moves-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const { db } = a.database.service;
  const folder = receiptsOf(root, (await readInstallation(db)).id);
  await move(a, b, { lateMailTo: null });
  await keepMoveReceipts(db, folder);
  await move(b, a);
  // It came back: the older receipt denies nothing.
  expect(await listLostMoves(db, root)).toStrictEqual([]);
  const c = await otherCell(5);
  await move(a, c, { lateMailTo: null });
  await keepMoveReceipts(db, folder);
  // The address for late mails comes later, and mails that are held are passed on then.
  const late = { lateMailTo: c.returnPattern };
  expect(await moveBetween(a, c, tenant.accountId, late)).toMatchObject({ frozen: null });
  expect(await accountAt(a)).toMatchObject({ late_mail_to: c.returnPattern });
  await keepMoveReceipts(db, folder);
  expect(readdirSync(join(folder, 'moves'))).toHaveLength(2);
  const before = { moved_to: null, moved_at: null, frozen_at: null, settled_at: null, late_mail_to: null };
  for (const moves of [0, 2]) {
    await setAccounts(a.database.db, { ...before, moves });
    expect(await restoreMoves(db, root)).toMatchObject([{ accountId: tenant.accountId, movedTo: c.origin, moves: 2 }]);
    expect(await accountAt(a)).toMatchObject({ moved_to: c.origin, moves: 2, late_mail_to: c.returnPattern });
  }
});
