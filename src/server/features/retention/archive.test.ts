import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountDbOf, type MemberDb } from '#server/platform/database/account-db.ts';
import { openSessionOf } from '#test/accounts.ts';
import { clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, MAIL_UUID, postfixGroup, RETURN_PATTERN, replyMail } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { unbalancedRuns } from '#test/sending.ts';
import { sentRun } from '#test/sent-run.ts';
import { readInboxMail } from '../inbox/read-mail.ts';
import { takeMail } from '../inbox/take-mail.command.ts';
import { refuseMail } from '../opt-out/refuse.command.ts';
import { erase } from '../personal-data/erase.command.ts';
import { view } from '../personal-data/view.command.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { retryDelivery } from '../runs/retry.command.ts';
import { viewDeliveries, viewDelivery } from '../send-logs/run-mails.queries.ts';
import { archiveBatch } from './archive.command.ts';
import { updateRetention } from './retention.command.ts';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

const memberOf = ({ accountId, memberId }: Tenant): MemberDb => ({
  ...database.account(accountId, memberId),
  memberId,
});
const ours = () => memberOf(tenant);
const keep = (months: number | null, blanks: 0 | 1 = 0, by = ours()) =>
  updateRetention(by, { update_info: { months, blanks } });
const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const archived = () => database.db.selectFrom('archived_delivery').selectAll().orderBy('id').execute();
const contacts = () =>
  database.db.selectFrom('contact_state').select(['prospect_id', 'last_sent_at']).orderBy('prospect_id').execute();
const PAGE = { pagenate_count: 100, pagenate_num: 1 } as const;

/** A run that ended so many days ago, its mails sent. */
async function endedRun(count: number, days = 400, of = tenant): Promise<{ id: number; prospectIds: number[] }> {
  const run = await sentRun(database, of, count, { days });
  await sql`UPDATE send_log SET ended_at = sent_at WHERE id = ${run.id}`.execute(database.db);
  return run;
}

/** Archives until nothing is due. @returns what each batch has moved */
async function archiveAll(batch?: number): Promise<number[]> {
  const moved: number[] = [];
  for (let done = await archiveBatch(database.service.db, batch); done !== null; ) {
    moved.push(done);
    done = await archiveBatch(database.service.db, batch);
  }
  return moved;
}

const firstMail = async () => (await mails())[0] ?? expect.unreachable();

describe('an archive', () => {
  test('takes the finished mails of old runs, and history, results and contacts stay', async () => {
    const { id } = await endedRun(3);
    await sql`UPDATE delivery SET state = 'failed', smtp_reply = '550 5.1.1' WHERE row_index = 1`.execute(database.db);
    const seen = async () => ({
      run: await runProgress(database.db, tenant.accountId, id, Date.now()),
      rows: await viewDeliveries(ours(), id, PAGE),
      contacts: await contacts(),
    });
    const before = await seen();
    await keep(12);
    await archiveAll();
    expect([await mails(), (await archived()).length]).toStrictEqual([[], 3]);
    const { rows } = before.rows as { rows: object[] };
    expect(await seen()).toStrictEqual({
      ...before,
      run: { ...before.run, archived: 3 },
      rows: { rows: rows.map((row) => ({ ...row, archived: true })), total: 3 },
    });
    const [mail] = await archived();
    expect(await viewDelivery(ours(), mail?.id ?? 0)).toMatchObject({
      archived: true,
      mail: { to: 'info0@a.example' },
    });
  });

  test('leaves young runs, open runs, and accounts that keep all', async () => {
    await endedRun(1, 300);
    const open = await endedRun(1);
    await sql`UPDATE send_log SET ended_at = NULL WHERE id = ${open.id}`.execute(database.db);
    await endedRun(1, 400, await addTenant(database.db));
    await keep(12);
    await archiveAll();
    expect(await archived()).toStrictEqual([]);
  });

  test('leaves unknown mails, and mails that an answer, a bounce or a suppression names', async () => {
    const { id, prospectIds } = await endedRun(5);
    const [unknown, replied, bounced, suppressing] = (await mails()).map((mail) => mail.id);
    const { accountId: account_id } = tenant;
    await database.db
      .updateTable('delivery')
      .set({ state: 'unknown' })
      .where('id', '=', unknown ?? 0)
      .execute();
    await database.db
      .insertInto('reply')
      .values({ account_id, prospect_id: prospectIds[1] ?? 0, delivery_id: replied ?? 0, kind: 'auto_reply' })
      .execute();
    const bounce = { class: 'soft', reply: '', is_forwarded: false, message_hashes: [] };
    await database.db
      .insertInto('bounce')
      .values({ account_id, delivery_id: bounced ?? 0, send_log_id: id, ...bounce })
      .execute();
    await database.db
      .insertInto('suppression')
      .values({ account_id, kind: 'address', value: 'info3@a.example', delivery_id: suppressing ?? 0 })
      .execute();
    await keep(12, 1);
    await archiveAll();
    expect((await mails()).map((mail) => mail.id)).toStrictEqual([unknown, replied, bounced, suppressing]);
    expect(await archived()).toHaveLength(1);
  });

  test('goes on where it stopped, and takes turns between accounts', async () => {
    const other = await addTenant(database.db);
    await endedRun(3);
    await endedRun(3, 400, other);
    await keep(12);
    await keep(12, 0, memberOf(other));
    const owners: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const before = new Set((await archived()).map(({ id }) => id));
      expect(await archiveBatch(database.service.db, 2)).toBe(n < 2 ? 2 : 1);
      owners.push((await archived()).find(({ id }) => !before.has(id))?.account_id ?? 0);
    }
    expect(owners).toStrictEqual([tenant, other, tenant, other].map(({ accountId }) => accountId));
    expect(await archiveAll(2)).toStrictEqual([0, 0]);
  });

  test('passes over a mail that a running act holds, and over a run', async () => {
    await endedRun(2);
    await keep(12);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM delivery WHERE row_index = 0 FOR KEY SHARE');
    await archiveAll();
    await holder.query('ROLLBACK');
    holder.release();
    expect((await mails()).map(({ row_index }) => row_index)).toStrictEqual([0]);
  });

  test('of mails that failed cannot be sent again', async () => {
    const { id } = await endedRun(1);
    await sql`UPDATE delivery SET state = 'failed'`.execute(database.db);
    const mail = await firstMail();
    await keep(12);
    await archiveAll();
    expect(await retryDelivery(ours(), mail.id, Date.now())).toMatchObject({ status: 'no-added' });
    expect(await runProgress(database.db, tenant.accountId, id, Date.now())).toMatchObject({
      failed: 1,
      finished: true,
    });
  });
});

describe('a report about an archived mail', () => {
  const take = async (raw: Buffer) => {
    const { db } = database.service;
    const services = { db, now: Date.now, accountDb: accountDbOf(db) };
    return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
  };

  const keyOf = ({ mail_key }: { mail_key: string }) => mail_key.replaceAll('-', '');

  test('a bounce of the last mail leaves its company mailed by an archived one before', async () => {
    const { prospectIds } = await endedRun(1, 500);
    const [before] = await contacts();
    await keep(12);
    await archiveAll();
    // The latest mail to the same company, to an address that it has no more.
    const second = await endedRun(1, 0);
    const [later] = await mails();
    await sql`UPDATE delivery SET prospect_id = ${prospectIds[0]}`.execute(database.db);
    await sql`DELETE FROM contact_state WHERE prospect_id = ${second.prospectIds[0]}`.execute(database.db);
    await sql`UPDATE contact_state SET last_sent_at = (SELECT finished_at FROM delivery)`.execute(database.db);
    const group = postfixGroup('info1@a.example', '5.1.1', 'smtp; 550 5.1.1 unknown');
    expect(await take(dsnMail({ key: keyOf(later ?? { mail_key: '' }), groups: [group] }))).toBe('bounce');
    const finished = (await archived())[0]?.finished_at;
    expect(await contacts()).toStrictEqual([{ prospect_id: before?.prospect_id, last_sent_at: finished }]);
  });

  test('a bounce brings an archived mail back', async () => {
    await endedRun(1, 400);
    const mail = await firstMail();
    await keep(12);
    await archiveAll();
    const group = postfixGroup('info0@a.example', '5.1.1', 'smtp; 550 5.1.1 unknown');
    await take(dsnMail({ key: keyOf(mail), groups: [group] }));
    expect([await mails(), await archived()]).toMatchObject([[{ id: mail.id, mail_to: 'info0@a.example' }], []]);
  });

  test('an answer to a blanked one is stored, and gives it its address back', async () => {
    await endedRun(1);
    const mail = await firstMail();
    await keep(12, 1);
    await archiveAll();
    expect(await archived()).toMatchObject([{ mail_to: null, company_name: '', person_in_charge: '', blanked: true }]);
    const uuid = mail.message_id.slice(1, 37);
    await take(Buffer.from(replyMail('ご連絡ありがとうございます。').toString().replaceAll(MAIL_UUID, uuid)));
    expect(await database.db.selectFrom('reply').select('delivery_id').execute()).toStrictEqual([
      { delivery_id: mail.id },
    ]);
    expect(await mails()).toMatchObject([{ mail_to: 'info0@a.example', replied: true, erased_hash: null }]);
  });

  test('its reader can refuse with its link, also where the company has another address by now', async () => {
    const { prospectIds } = await endedRun(2);
    const [same, other] = await mails();
    await keep(12, 1);
    await archiveAll();
    await sql`UPDATE prospect SET company_email = 'x@b.example', email_search = 'x@b.example'
      WHERE id = ${prospectIds[1]}`.execute(database.db);
    const services = { login: database.login, now: Date.now, accountDb: (id: number) => database.account(id) };
    const request = { source: 'link', wholeDomain: false, reason: null } as never;
    for (const mail of [same, other]) {
      const shown = await refuseMail(services as never, keyOf(mail ?? { mail_key: '' }), request);
      expect(shown.kind).not.toBe('unknown');
    }
    const { rows } = await sql`SELECT value FROM suppression UNION ALL SELECT class FROM suppression_hash`.execute(
      database.db,
    );
    expect(rows).toStrictEqual([{ value: 'info0@a.example' }, { value: 'refused' }]);
  });
});

describe('personal data', () => {
  test('of archived mails is shown and erased, also where the company has another address by now', async () => {
    await endedRun(2);
    await keep(12);
    await archiveAll();
    await sql`UPDATE prospect SET company_email = 'x@b.example', email_search = 'x@b.example'`.execute(database.db);
    const email = 'info0@a.example';
    expect((await view(ours(), email)).mails).toMatchObject([{ mail_to: email }]);
    expect(await erase(ours(), { email, record_refusal: 0 })).toMatchObject({ mails: 1 });
    expect(await archived()).toMatchObject([{ mail_to: null, person_in_charge: '' }, { mail_to: 'info1@a.example' }]);
    expect(await view(ours(), email)).toMatchObject({ mails: [], erased: 1 });
  });

  test('of blanked mails does not count as erased', async () => {
    await endedRun(1);
    await keep(12, 1);
    await archiveAll();
    const stored = await view(ours(), 'info0@a.example');
    expect(stored).toMatchObject({ mails: [{ mail_to: null, company_name: '' }], erased: 0 });
  });
});

describe('the setting', () => {
  test('is read, changed, recorded once, and limited', async () => {
    const { address } = await serveApp(database);
    const client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
    const put = (months: unknown, blanks: unknown = 1) =>
      client.put('/mail_retention', { update_info: { months, blanks } });
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: null, blanks: 0, archived: 0 });
    for (let n = 0; n < 2; n += 1) expect((await put(24)).body).toMatchObject({ status: 'updated' });
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: 24, blanks: 1, archived: 0 });
    for (const months of [5, 121, 6.5, '12', undefined]) expect((await put(months)).status).toBe(400);
    await put(null);
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: null, blanks: 0, archived: 0 });
    const events = await database.db
      .selectFrom('audit_event')
      .select('detail')
      .where('kind', '=', 'mail_retention_changed')
      .orderBy('id')
      .execute();
    expect(events.map(({ detail }) => detail)).toStrictEqual([
      { months: 24, blanks: true },
      { months: null, blanks: true },
    ]);
  });
});
