import { sql } from 'kysely';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountDbOf, type MemberDb } from '#server/platform/database/account-db.ts';
import type { Tx } from '#server/platform/database/db.ts';
import { openSessionOf } from '#test/accounts.ts';
import { clientAt, serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, MAIL_UUID, postfixGroup, RETURN_PATTERN, replyMail } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { unbalancedRuns } from '#test/sending.ts';
import { sentRun } from '#test/sent-run.ts';
import { followableMails, readFollowUpRuns } from '../attack-list/follow-up.queries.ts';
import { countAffected } from '../companies/check-company.queries.ts';
import { readInboxMail } from '../inbox/read-mail.ts';
import { takeMail } from '../inbox/take-mail.command.ts';
import { refuseMail } from '../opt-out/link.command.ts';
import { erase } from '../personal-data/erase.command.ts';
import { view } from '../personal-data/view.command.ts';
import { runProgress } from '../runs/progress.queries.ts';
import { retryDelivery, retryFailures } from '../runs/retry.command.ts';
import { viewDeliveries, viewDelivery } from '../send-logs/run-mails.queries.ts';
import { blankBatch } from './blank.command.ts';
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
const keep = (months: number | null, by = ours()) => updateRetention(by, { update_info: { months } });
const mails = () => database.db.selectFrom('delivery').selectAll().orderBy('id').execute();
const whole = async () => (await mails()).filter(({ blanked_at }) => blanked_at === null);
const blanked = async () => (await mails()).filter(({ blanked_at }) => blanked_at !== null);
const contacts = () =>
  database.db.selectFrom('contact_state').select(['prospect_id', 'last_sent_at']).orderBy('prospect_id').execute();
const PAGE = { pagenate_count: 100, pagenate_num: 1 } as const;

/** A run that ended so many days ago, its mails sent. */
async function endedRun(count: number, days = 400, of = tenant): Promise<{ id: number; prospectIds: number[] }> {
  const run = await sentRun(database, of, count, { days });
  await sql`UPDATE send_log SET ended_at = sent_at WHERE id = ${run.id}`.execute(database.db);
  return run;
}

/** Blanks until nothing is due. @returns how many mails each batch has blanked */
async function blankAll(batch?: number): Promise<number[]> {
  const counts: number[] = [];
  for (let done = await blankBatch(database.service.db, batch); done !== null; ) {
    counts.push(done);
    done = await blankBatch(database.service.db, batch);
  }
  return counts;
}

const BLANK = { mail_to: null, company_name: '', person_in_charge: '', merge_values: null };

const firstMail = async () => (await mails())[0] ?? expect.unreachable();

describe('retention', () => {
  test('takes whom they went to out of the finished mails of old runs, and history, results and contacts stay', async () => {
    const { id } = await endedRun(3);
    await sql`UPDATE delivery SET state = 'failed', smtp_reply = '550 5.1.1' WHERE row_index = 1`.execute(database.db);
    await sql`UPDATE delivery SET merge_values = '{"custom": {"rank": "A"}}'`.execute(database.db);
    await sql`UPDATE send_log SET mail = mail || '{"text_body": "ランク「{{ custom.rank }}」"}'`.execute(database.db);
    const { id: mail } = await firstMail();
    const textOf = async () =>
      ((await viewDelivery(ours(), mail)) as { mail: { text: string } }).mail.text.split('\n')[0];
    expect(await textOf()).toBe('ランク「A」');
    const seen = async () => ({
      run: await runProgress(database.db, tenant.accountId, id, Date.now()),
      rows: await viewDeliveries(ours(), id, PAGE),
      contacts: await contacts(),
    });
    const before = await seen();
    await keep(12);
    await blankAll();
    const { rows } = before.rows as { rows: object[] };
    const taken = { archived: true, mail_to: null, company_name: '（消去済み）', smtp_reply: null };
    expect(await seen()).toStrictEqual({
      ...before,
      run: { ...before.run, archived: 3 },
      rows: { rows: rows.map((row) => ({ ...row, ...taken, cause: expect.toSatisfy(() => true) })), total: 3 },
    });
    const hashes = await sql<{ hash: Buffer }>`
      SELECT address_hash(${tenant.accountId}, email_search) AS hash FROM prospect ORDER BY id`.execute(database.db);
    expect(await mails()).toMatchObject(hashes.rows.map((row) => ({ ...BLANK, erased_hash: row.hash })));
    expect(await textOf()).toBe('ランク「」');
    expect(await viewDelivery(ours(), mail)).toMatchObject({ archived: true, mail: { to: '' } });
  });

  test('changes nothing when it looks again', async () => {
    await endedRun(2);
    await keep(12);
    await blankAll();
    const before = await mails();
    await sql`UPDATE send_log SET blanked_at = NULL`.execute(database.db);
    await sql`UPDATE mail_retention SET next_at = now()`.execute(database.db);
    expect(await blankAll()).toStrictEqual([0, 0]);
    expect(await mails()).toStrictEqual(before);
  });

  test('is held to by the database: no writer gives a blanked mail an address', async () => {
    await endedRun(1);
    await keep(12);
    await blankAll();
    const written = sql`UPDATE delivery SET mail_to = 'info0@a.example'`.execute(database.db);
    await expect(written).rejects.toThrow(/delivery_check2/);
  });

  test('leaves the sums of reports alone', async () => {
    await endedRun(2);
    await sql`DELETE FROM report_change`.execute(database.db);
    await keep(12);
    await blankAll();
    expect(await database.db.selectFrom('report_change').selectAll().execute()).toStrictEqual([]);
  });

  test('leaves young runs, open runs, and accounts that keep all', async () => {
    await endedRun(1, 300);
    const open = await endedRun(1);
    await sql`UPDATE send_log SET ended_at = NULL WHERE id = ${open.id}`.execute(database.db);
    await endedRun(1, 400, await addTenant(database.db));
    await keep(12);
    await blankAll();
    expect(await blanked()).toStrictEqual([]);
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
    await keep(12);
    await blankAll();
    expect((await whole()).map((mail) => mail.id)).toStrictEqual([unknown, replied, bounced, suppressing]);
    expect((await whole()).map((mail) => mail.mail_to)).not.toContain(null);
    expect(await blanked()).toHaveLength(1);
  });

  test('goes on where it stopped, and takes turns between accounts', async () => {
    const other = await addTenant(database.db);
    await endedRun(3);
    await endedRun(3, 400, other);
    await keep(12);
    await keep(12, memberOf(other));
    const owners: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      const before = new Set((await blanked()).map(({ id }) => id));
      expect(await blankBatch(database.service.db, 2)).toBe(n < 2 ? 2 : 1);
      owners.push((await blanked()).find(({ id }) => !before.has(id))?.account_id ?? 0);
    }
    expect(owners).toStrictEqual([tenant, other, tenant, other].map(({ accountId }) => accountId));
    expect(await blankAll(2)).toStrictEqual([0, 0]);
  });

  test('passes over a mail that a running act holds, and over a run', async () => {
    await endedRun(2);
    await keep(12);
    const holder = await database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM delivery WHERE row_index = 0 FOR KEY SHARE');
    await blankAll();
    await holder.query('ROLLBACK');
    holder.release();
    expect((await whole()).map(({ row_index }) => row_index)).toStrictEqual([0]);
  });

  test('keeps failed mails from being sent again, and the answer says why', async () => {
    const { id, prospectIds } = await endedRun(1);
    await sql`UPDATE delivery SET state = 'failed'`.execute(database.db);
    const mail = await firstMail();
    // What a new address of the company would concern.
    const affected = async () => (await countAffected(database.db as Tx, tenant.accountId, prospectIds[0])).failed;
    expect(await affected()).toBe(1);
    await keep(12);
    await blankAll();
    expect(await affected()).toBe(0);
    const skipped = [{ prospect_id: prospectIds[0], reason: 'blanked' }];
    const answer = { status: 'no-added', accepted: 0, skipped };
    expect(await retryDelivery(ours(), mail.id, Date.now())).toStrictEqual(answer);
    expect(await retryFailures(ours(), id, Date.now())).toStrictEqual(answer);
    expect(await runProgress(database.db, tenant.accountId, id, Date.now())).toMatchObject({
      failed: 1,
      finished: true,
    });
  });
});

describe('a follow-up', () => {
  const followable = async (runId: number) => {
    const { accountId, senderGroupId } = tenant;
    const found = followableMails({ accountId, senderGroupId } as never, runId).select('first.id');
    const { rows } = await sql`${found}`.execute(database.db);
    const runs = await readFollowUpRuns(ours(), { days_from_lastday: 0 }, Date.now());
    return [rows.length, runs.rows.length];
  };

  test('does not follow blanked mails', async () => {
    const { id } = await endedRun(2);
    expect(await followable(id)).toStrictEqual([2, 1]);
    await keep(12);
    await blankBatch(database.service.db, 1);
    expect(await followable(id)).toStrictEqual([1, 1]);
    await blankAll();
    expect(await followable(id)).toStrictEqual([0, 0]);
  });
});

describe('a report about a blanked mail', () => {
  const take = async (raw: Buffer) => {
    const { db } = database.service;
    const services = { db, now: Date.now, accountDb: accountDbOf(db) };
    return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
  };

  const keyOf = ({ mail_key }: { mail_key: string }) => mail_key.replaceAll('-', '');

  test('a bounce of the last mail leaves its company mailed by a blanked one before', async () => {
    const { prospectIds } = await endedRun(1, 500);
    const [before] = await contacts();
    await keep(12);
    await blankAll();
    // The latest mail to the same company, to an address that it has no more.
    const second = await endedRun(1, 0);
    const [earlier, later] = await mails();
    await sql`UPDATE delivery SET prospect_id = ${prospectIds[0]} WHERE id = ${later?.id}`.execute(database.db);
    await sql`DELETE FROM contact_state WHERE prospect_id = ${second.prospectIds[0]}`.execute(database.db);
    await sql`UPDATE contact_state SET last_sent_at = (SELECT max(finished_at) FROM delivery)`.execute(database.db);
    const group = postfixGroup('info1@a.example', '5.1.1', 'smtp; 550 5.1.1 unknown');
    expect(await take(dsnMail({ key: keyOf(later ?? { mail_key: '' }), groups: [group] }))).toBe('bounce');
    expect(await contacts()).toStrictEqual([{ prospect_id: before?.prospect_id, last_sent_at: earlier?.finished_at }]);
  });

  test('a bounce gives a mail its address back', async () => {
    await endedRun(1, 400);
    const mail = await firstMail();
    await keep(12);
    await blankAll();
    const group = postfixGroup('info0@a.example', '5.1.1', 'smtp; 550 5.1.1 unknown');
    await take(dsnMail({ key: keyOf(mail), groups: [group] }));
    expect(await mails()).toStrictEqual([{ ...mail, smtp_reply: null }]);
  });

  test('an answer to a blanked one is stored, and gives it its address back', async () => {
    await endedRun(1);
    await sql`UPDATE delivery SET merge_values = '{"custom": {"rank": "A"}}'`.execute(database.db);
    const mail = await firstMail();
    await keep(12);
    await blankAll();
    expect(await mails()).toMatchObject([BLANK]);
    const uuid = mail.message_id.slice(1, 37);
    await take(Buffer.from(replyMail('ご連絡ありがとうございます。').toString().replaceAll(MAIL_UUID, uuid)));
    expect(await database.db.selectFrom('reply').select('delivery_id').execute()).toStrictEqual([
      { delivery_id: mail.id },
    ]);
    const { company_name } = mail;
    const recalled = { mail_to: 'info0@a.example', company_name, replied: true, erased_hash: null, blanked_at: null };
    // Its own values are gone: it renders blanks.
    expect(await mails()).toMatchObject([{ ...recalled, merge_values: null }]);
  });

  test('its reader can refuse with its link, also where the company has another address by now', async () => {
    const { prospectIds } = await endedRun(2);
    const [same, other] = await mails();
    await keep(12);
    await blankAll();
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
  test('of blanked mails is shown and erased, also where the company has another address by now', async () => {
    await endedRun(2);
    await keep(12);
    await blankAll();
    await sql`UPDATE prospect SET company_email = 'x@b.example', email_search = 'x@b.example'`.execute(database.db);
    const email = 'info0@a.example';
    const [mail, other] = await mails();
    expect((await view(ours(), email)).mails).toMatchObject([{ delivery_id: mail?.id }]);
    expect(await erase(ours(), { email, record_refusal: 0 })).toMatchObject({ mails: 1 });
    expect(await mails()).toStrictEqual([{ ...mail, blanked_at: null }, other]);
    expect(await view(ours(), email)).toMatchObject({ mails: [], erased: 1 });
  });

  test('of blanked mails does not count as erased, but that of erased ones does when they are old', async () => {
    await endedRun(1);
    await keep(12);
    await blankAll();
    const stored = await view(ours(), 'info0@a.example');
    expect(stored).toMatchObject({ mails: [{ mail_to: null, company_name: '' }], erased: 0 });
    await endedRun(1);
    await erase(ours(), { email: 'info1@a.example', record_refusal: 0 });
    await sql`UPDATE mail_retention SET next_at = now()`.execute(database.db);
    await blankAll();
    expect(await view(ours(), 'info1@a.example')).toMatchObject({ mails: [], erased: 1 });
  });
});

describe('the setting', () => {
  test('is read, changed, recorded once, and limited', async () => {
    const { address } = await serveApp(database);
    const client = clientAt(address, `Bearer ${await openSessionOf(database.login, tenant.accountId, Date.now())}`);
    const put = (months: unknown) => client.put('/mail_retention', { update_info: { months } });
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: null, archived: 0 });
    for (let n = 0; n < 2; n += 1) expect((await put(24)).body).toMatchObject({ status: 'updated' });
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: 24, archived: 0 });
    for (const months of [5, 121, 6.5, '12', undefined]) expect((await put(months)).status).toBe(400);
    await put(null);
    expect((await client.get('/mail_retention')).body).toMatchObject({ months: null, archived: 0 });
    const events = await database.db
      .selectFrom('audit_event')
      .select('detail')
      .where('kind', '=', 'mail_retention_changed')
      .orderBy('id')
      .execute();
    expect(events.map(({ detail }) => detail)).toStrictEqual([{ months: 24 }, { months: null }]);
  });
});
