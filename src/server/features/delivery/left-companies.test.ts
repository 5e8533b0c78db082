import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { ReservationDetail } from '#contract/sending/reservations-page.ts';
import { clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addReservation } from '#test/prospect-history.ts';
import { addGroup, addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { brokenReservations } from '#test/reservations.ts';
import { acceptRun } from '#test/sending.ts';
import { restoreFromReceipts } from './guard/merge-receipts.command.ts';
import { receiptsOf } from './guard/receipt-files.ts';
import type { Receipt } from './guard/receipts.ts';
import { unknownKeeper } from './guard/unknown-mails.ts';
import { readInstallation } from './pauses/installation.queries.ts';

/*
 * A reservation that had started after the state that the database has: its companies may have been mailed, and its
 * interval keeps nothing from them where it is 0.
 */

let database: TestDatabase;
let tenant: Tenant;
let root: string;
/** Companies by their order: the third one has the address of the first. */
let ids: readonly number[];

const later = (hours = 2) => new Date(Date.now() + hours * 3_600_000);
/** After all that the database has written, although the machine's clock may be set back a little meanwhile. */
const afterwards = () => Date.now() + 1000;
const onFault = (error: unknown) => {
  throw error;
};

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  root = mkdtempSync(join(tmpdir(), 'kaitaku-left-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const addresses = ['a@r.example', 'b@r.example', 'A@R.example', 'c@r.example'];
  ids = await addProspects(
    database.db,
    tenant.accountId,
    addresses.map((company_email, n) => ({ company_name: `会社${n}`, company_email })),
  );
  return async () => expect(await brokenReservations(database.db)).toStrictEqual([]);
});

const reserve = (companies: readonly number[], { of = tenant, at = later(), test = false } = {}) =>
  addReservation(database.db, of, companies, { sendAt: at, test });

/** Keeps the receipt of a mail that has no row here. */
async function keep(prospectId: number, address: string, more: Partial<Receipt> = {}): Promise<void> {
  const folder = receiptsOf(root, (await readInstallation(database.db)).id);
  mkdirSync(folder, { recursive: true });
  const { accountId, senderGroupId } = tenant;
  const contact = { senderGroupId, prospectId, address };
  const now = afterwards();
  const receipt = { accountId, id: 9999, claimNo: 1, messageId: '<x@y>', attempts: 0, reply: '', contact };
  writeFileSync(
    join(folder, randomUUID()),
    `${JSON.stringify({ ...receipt, at: now, claimedAt: now, ...more } satisfies Receipt)}\n`,
  );
}

const merge = () => restoreFromReceipts(database.service.db, root, onFault);
const targets = async (id: number) => {
  const rows = await database.db
    .selectFrom('reservation_target')
    .select('prospect_id')
    .where('reservation_id', '=', id)
    .orderBy('prospect_id')
    .execute();
  return rows.map(({ prospect_id }) => prospect_id);
};
const read = async (id: number) =>
  (await (await clientOf(database, tenant.accountId)).get(`/reservation/${id}`)).body as ReservationDetail;

test('companies that were mailed leave the reservation, by company and by address, with a line in its history', async () => {
  const [a = 0, b = 0, sameAddress = 0, c = 0] = ids;
  const id = await reserve([a, b, sameAddress, c]);
  await keep(a, 'a@r.example');
  await keep(b, 'before@r.example', { id: 9998 });
  expect(await merge()).toStrictEqual({ sent: 0, unknown: 0, contacted: 2, taken: 3 });
  expect(await targets(id)).toStrictEqual([c]);
  expect(await read(id)).toMatchObject({
    state: 'pending',
    version: 3,
    history: [
      { kind: 'changed', member_name: null },
      { kind: 'changed', member_name: null },
    ],
  });
  const removed = (await read(id)).history.map(({ changes }) => changes.removed ?? 0);
  expect(removed.toSorted((x, y) => x - y)).toStrictEqual([1, 2]);
  expect(await merge()).toStrictEqual({ sent: 0, unknown: 0, contacted: 0, taken: 0 });
  expect(await targets(id)).toStrictEqual([c]);
});

test('a reservation of which all were mailed is deleted, also one that is missed or held', async () => {
  const [a = 0, b = 0, , c = 0] = ids;
  const all = [await reserve([a]), await reserve([b], { at: later(-3) }), await reserve([c], { at: later(3) })];
  await database.db
    .updateTable('reservation')
    .set({ missed_at: new Date(), held_by_restore: true })
    .where('id', '=', all[2] ?? 0)
    .execute();
  for (const [n, address] of ['a', 'b', 'c'].entries())
    await keep([a, b, c][n] ?? 0, `${address}@r.example`, { id: 9990 + n });
  expect(await merge()).toMatchObject({ contacted: 3, taken: 3 });
  for (const id of all) expect(await read(id)).toMatchObject({ state: 'deleted', history: [{ kind: 'deleted' }] });
});

test('an unknown mail without a row counts, as it may have left', async () => {
  const [a = 0, b = 0, sameAddress = 0] = ids;
  const id = await reserve([a, b, sameAddress]);
  const { id: databaseId } = await readInstallation(database.db);
  const { accountId, senderGroupId } = tenant;
  const mail = { accountId, id: 9999, claimNo: 1, claimedAt: afterwards(), messageId: '<x@y>', attempts: 0 };
  unknownKeeper(root, { onFault })(databaseId, [{ ...mail, senderGroupId, prospectId: a } as never]);
  expect(await merge()).toStrictEqual({ sent: 0, unknown: 0, contacted: 1, taken: 2 });
  expect(await targets(id)).toStrictEqual([b]);
});

test('nothing else leaves a reservation: test mails, other groups, newer ones, mails that the database knows', async () => {
  const [a = 0, b = 0] = ids;
  const group = await addGroup(database.db, tenant);
  const kept = [await reserve([a], { test: true }), await reserve([a], { of: group, at: later(3) })];
  const newer = await reserve([a], { at: later(4) });
  await database.db
    .updateTable('reservation')
    .set({ created_at: later(1) })
    .where('id', '=', newer)
    .execute();
  // Its mail waits here again: its row decides, and the company is reserved for another one.
  const { id: run } = await acceptRun(database, tenant, 1);
  const mail = await database.db
    .selectFrom('delivery')
    .selectAll()
    .where('send_log_id', '=', run)
    .executeTakeFirstOrThrow();
  const other = await reserve([mail.prospect_id ?? 0, b], { at: later(5) });
  await keep(a, 'a@r.example');
  await keep(mail.prospect_id ?? 0, mail.mail_to ?? '', { id: mail.id, messageId: mail.message_id });
  expect(await merge()).toStrictEqual({ sent: 1, unknown: 0, contacted: 1, taken: 0 });
  for (const id of [...kept, newer]) expect(await targets(id)).toStrictEqual([a]);
  expect(await targets(other)).toHaveLength(2);
});
