import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { untilBlocked } from '#test/sending.ts';
import { importProspects } from '../imports/merge/import.command.ts';
import { erase } from '../personal-data/erase.command.ts';
import { addForMember } from '../suppression-list/add.command.ts';
import { refuseMail, undoRefusal } from './link.command.ts';
import type { OptOutServices } from './refuse.command.ts';

const ADDRESS = 'info@midori.example.jp';
const REQUEST = { source: 'one_click', wholeDomain: false, reason: null } as const;

let database: TestDatabase;
let tenant: Tenant;
let services: OptOutServices;
/** Of two mails to the address. */
let first: string;
let second: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  services = { login: database.login, now: Date.now, accountDb: accountDbOf(database.api) };
  const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: ADDRESS }]);
  for (let n = 0; n < 2; n += 1) await addDelivery(database.db, tenant, company, { state: 'sent', mailTo: ADDRESS });
  const mails = await database.db.selectFrom('delivery').select('mail_key').orderBy('id').execute();
  [first = '', second = ''] = mails.map(({ mail_key }) => (mail_key ?? '').replaceAll('-', ''));
});

const member = () => accountDbOf(database.api)(tenant.accountId, tenant.memberId);
const suppressions = () => database.db.selectFrom('suppression').select(['value', 'class', 'source']).execute();
const REFUSED = { value: ADDRESS, class: 'refused', source: 'one_click' };

/** Runs `work` while a transaction of another process has run a statement. It ends once so many others wait for it. */
async function during(
  statement: string,
  work: () => Promise<unknown>,
  { last = 'SELECT', blocked = 1 } = {},
): Promise<void> {
  const other = await database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query(statement);
    const working = work();
    await untilBlocked(database, blocked);
    await other.query(last);
    await other.query('COMMIT');
    await working;
  } finally {
    other.release();
  }
}

test('a refusal during the erasure of its reader keeps a hash, not the address', async () => {
  const { accountId } = tenant;
  await sql`
    INSERT INTO lifted_suppression (account_id, id, kind, value, class, source, reason, note, created_at)
    VALUES (${accountId}, 1, 'address', ${ADDRESS}, 'blocked', 'manual', '', '', now())`.execute(database.db);
  // The erasure has replaced the suppressions by hashes, and not committed yet.
  const both = async () => {
    const erased = erase(member(), { email: ADDRESS, record_refusal: 0 });
    await untilBlocked(database);
    expect(await refuseMail(services, first, REQUEST)).toMatchObject({ kind: 'done', canUndo: false });
    await erased;
  };
  await during('SELECT FROM lifted_suppression FOR UPDATE', both, { blocked: 2 });
  expect(await suppressions()).toStrictEqual([]);
  const hashes = database.db.selectFrom('suppression_hash').select(['class', 'source']);
  expect(await hashes.execute()).toStrictEqual([{ class: 'refused', source: 'one_click' }]);
});

test('a refusal by the key of an erased mail finds a company that is being saved with the address', async () => {
  await erase(member(), { email: ADDRESS, record_refusal: 0 });
  await during('SELECT FROM account FOR SHARE', () => refuseMail(services, first, REQUEST), {
    last: `INSERT INTO prospect (account_id, identity_key, company_name, company_email, email_search)
      SELECT id, '丙社', '丙社', '${ADDRESS}', '${ADDRESS}' FROM account`,
  });
  expect(await suppressions()).toStrictEqual([REFUSED]);
});

test('a refusal cancels a mail that another refusal holds', async () => {
  const [company = 0] = await addProspects(database.db, tenant.accountId, [{ company_email: ADDRESS }]);
  await addDelivery(database.db, tenant, company, { state: 'queued', mailTo: ADDRESS });
  const other = await database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query('SELECT FROM delivery FOR KEY SHARE');
    // It would hold the refusal, for which the other waits: a deadlock.
    expect(await refuseMail(services, first, REQUEST)).toMatchObject({ kind: 'done' });
    await other.query('COMMIT');
  } finally {
    other.release();
  }
  const waited = database.db.selectFrom('delivery').select(['state', 'reason']).orderBy('id', 'desc').limit(1);
  expect(await waited.execute()).toStrictEqual([{ state: 'cancelled', reason: 'suppressed' }]);
});

test('a refusal by the key of an erased mail during an import that brings the address in again holds', async () => {
  await erase(member(), { email: ADDRESS, record_refusal: 0 });
  const { accountId } = tenant;
  const file = Readable.from(`会社名,代表メール\n丙社,${ADDRESS}\n`);
  // The import has merged its rows, and is about to end. The refusal has not seen them.
  await during('SELECT FROM account FOR NO KEY UPDATE', () => importProspects(database.service, { accountId, file }), {
    last: `INSERT INTO suppression_hash (account_id, hash, class, source)
      SELECT id, address_hash(id, '${ADDRESS}'), 'refused', 'one_click' FROM account`,
  });
  expect(await suppressions()).toStrictEqual([REFUSED]);
});

test('a refusal by the key of an erased mail ends the undo of a later mail', async () => {
  const { accountId } = tenant;
  await erase(member(), { email: ADDRESS, record_refusal: 0 });
  const [company = 0] = await addProspects(database.db, accountId, [{ company_name: '丙社', company_email: ADDRESS }]);
  await addDelivery(database.db, tenant, company, { state: 'sent', mailTo: ADDRESS });
  const later = await database.db
    .selectFrom('delivery')
    .select('mail_key')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  const key = (later.mail_key ?? '').replaceAll('-', '');
  expect(await refuseMail(services, key, REQUEST)).toMatchObject({ kind: 'done', canUndo: true });
  expect(await refuseMail(services, first, REQUEST)).toMatchObject({ kind: 'refused' });
  expect(await undoRefusal(services, key)).toMatchObject({ kind: 'too_late' });
  expect(await suppressions()).toStrictEqual([REFUSED]);
});

test('a refusal that is undone at the moment when another mail refuses too stays', async () => {
  await refuseMail(services, first, REQUEST);
  await during('SELECT FROM suppression FOR UPDATE', () => refuseMail(services, second, REQUEST), {
    last: 'DELETE FROM suppression',
  });
  expect(await suppressions()).toStrictEqual([REFUSED]);
  expect(await undoRefusal(services, first)).toMatchObject({ kind: 'too_late' });
});

test('an undo counts concurrent undos that end while it waits', async () => {
  for (let n = 0; n < 2; n += 1) {
    await refuseMail(services, first, REQUEST);
    expect(await undoRefusal(services, first)).toMatchObject({ kind: 'undone' });
  }
  await refuseMail(services, first, REQUEST);
  const third = `
    WITH gone AS (DELETE FROM suppression RETURNING *)
    INSERT INTO lifted_suppression (account_id, id, kind, value, class, source, reason, note, created_at, delivery_id,
      lift_reason)
    SELECT account_id, id, kind, value, class, source, reason, note, created_at, delivery_id, 'undone' FROM gone`;
  const undo = async () => expect(await undoRefusal(services, first)).toMatchObject({ kind: 'too_often' });
  const refuseAgain = `
    INSERT INTO suppression (account_id, kind, value, class, source, delivery_id, undo_until)
    SELECT account_id, kind, value, class, source, delivery_id, now() + interval '1 hour' FROM lifted_suppression LIMIT 1`;
  await during(third, undo, { last: refuseAgain });
  expect(await suppressions()).toStrictEqual([REFUSED]);
});

test('lawful 23: a refusal that a member enters after the reader cannot be undone by the reader', async () => {
  await refuseMail(services, first, REQUEST);
  const add_info = { values: [{ kind: 'address', value: ADDRESS }], class: 'refused' } as never;
  const added = await addForMember(member(), {
    body: { add_info },
    key: undefined,
  });
  expect(added).toMatchObject({ status: 'no-added', already: 1 });
  expect(await undoRefusal(services, first)).toMatchObject({ kind: 'too_late' });
  expect(await suppressions()).toStrictEqual([REFUSED]);
});
