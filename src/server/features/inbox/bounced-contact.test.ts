import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { type Client, clientOf } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN } from '#test/inbox-mails.ts';
import { addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending, unbalancedRuns } from '#test/sending.ts';
import { readInboxMail } from './read-mail.ts';
import { takeMail } from './take-mail.command.ts';

/** A company whose mail bounced was not reached: it may be mailed again, at another address (decisions/bounces). */

const OLD = 'info0@a.example';
const NEW = 'contact@a.example';

let database: TestDatabase;
let tenant: Tenant;
let client: Client;
let prospectId: number;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  client = await clientOf(database, tenant.accountId);
  const { prospectIds } = await acceptRun(database, tenant, 1);
  prospectId = prospectIds[0] ?? expect.unreachable();
  await sendNext({ kind: 'sent', reply: '250 OK' });
  onTestFinished(async () => expect(await unbalancedRuns(database.db)).toStrictEqual([]));
});

/** Hands a waiting mail over, with this outcome. */
async function sendNext(outcome: { kind: 'sent' | 'unknown'; reply: string }): Promise<void> {
  const claims = await claimMails(database, { rows: 1 });
  expect(claims).toHaveLength(1);
  await markSending(database.service.db, claims);
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
}

const mail = () => database.db.selectFrom('delivery').selectAll().orderBy('id').executeTakeFirstOrThrow();

async function take(raw: Buffer): Promise<void> {
  const { db } = database.service;
  const services = { db, now: Date.now, accountDb: accountDbOf(db) };
  await takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
}

async function bounce(status: string, text: string, change: (group: string) => string = (group) => group) {
  const { mail_key, mail_to } = await mail();
  const key = mail_key?.replaceAll('-', '') ?? expect.unreachable();
  const raw = dsnMail({ key, groups: [change(postfixGroup(mail_to ?? '', status, `smtp; 550 ${status} ${text}`))] });
  await take(raw);
  expect(await mail()).toMatchObject({ state: 'failed' });
}

const moveTo = (address: string) =>
  database.db
    .updateTable('prospect')
    .set({ company_email: address, email_search: address })
    .where('id', '=', prospectId)
    .execute();

/** Why the list leaves the company out, and what sending its mail again answers. */
async function judge() {
  const { body } = await client.get(`/attack_list/preview?sender_group_id=${tenant.senderGroupId}`);
  const counts = Object.entries((body as { left_out: Record<string, number> }).left_out);
  const { accepted, skipped } = (await client.post(`/send_log/${(await mail()).send_log_id}/retry`, {})).body as {
    accepted: number;
    skipped: { reason: string }[];
  };
  return { list: counts.flatMap(([reason, count]) => (count > 0 ? [reason] : [])), accepted, skipped };
}

const held = (reason: string) => ({
  list: [reason],
  accepted: 0,
  skipped: [{ prospect_id: prospectId, reason }],
});

describe('a bounced mail', () => {
  test.each([
    ['of a dead address', '5.1.1', 'User unknown'],
    ['of a full mailbox', '5.2.2', 'Mailbox full'],
    ['by policy', '5.7.1', 'rejected by policy'],
  ])('%s leaves its company free at another address', async (_, status, text) => {
    await bounce(status, text);
    await moveTo(NEW);
    expect(await judge()).toStrictEqual({ list: [], accepted: 1, skipped: [] });
    await sendNext({ kind: 'sent', reply: '250 OK' });
    expect(await mail()).toMatchObject({ state: 'sent', mail_to: NEW });
    expect(await judge()).toMatchObject({ list: ['recently_sent'], accepted: 0 });
  });

  test('is sent again alone, with its present address', async () => {
    const others = await acceptRun(database, tenant, 1);
    const { id, send_log_id } = await mail();
    await bounce('5.1.1', 'User unknown');
    await moveTo(NEW);
    const again = () => client.post(`/delivery/${id}/retry`, {});
    expect((await again()).body).toStrictEqual({ status: 'accepted', accepted: 1, skipped: [] });
    expect((await again()).body).toStrictEqual({ status: 'no-added', accepted: 0, skipped: [] });
    expect(others.id).not.toBe(send_log_id);
    expect(await mail()).toMatchObject({ id, state: 'queued', mail_to: NEW });
    const event = await database.db
      .selectFrom('audit_event')
      .select('detail')
      .where('kind', '=', 'run_retried')
      .execute();
    expect(event).toStrictEqual([{ detail: { send_log_id, mails: 1 } }]);
    expect((await client.post('/delivery/999999/retry', {})).status).toBe(404);
  });

  test('holds its own address, in lists too, also where another company has it or gets it back', async () => {
    await bounce('5.2.2', 'Mailbox full');
    expect(await judge()).toStrictEqual(held('recently_sent'));
    await moveTo(NEW);
    await moveTo(OLD);
    expect(await judge()).toStrictEqual(held('recently_sent'));
  });

  test.each(['unknown', 'sending'])('that was %s when its bounce came holds its address', async (state) => {
    await database.db.deleteFrom('address_contact').execute();
    await database.db.deleteFrom('contact_state').execute();
    const now = new Date();
    const times = state === 'sending' ? { finished_at: null, lease_until: now } : { finished_at: now };
    await database.db
      .updateTable('delivery')
      .set({ state, ...times })
      .execute();
    await bounce('5.2.2', 'Mailbox full');
    expect(await judge()).toStrictEqual(held('recently_sent'));
    await moveTo(NEW);
    expect(await judge()).toMatchObject({ list: [], accepted: 1 });
  });

  test('of a forward may have been read: its company stays held', async () => {
    await bounce('5.1.1', 'User unknown', (group) =>
      group.replaceAll(OLD, 'other@b.example').replace(/Original-Recipient.*\n/, ''),
    );
    await moveTo(NEW);
    expect(await judge()).toStrictEqual(held('recently_sent'));
  });

  test('leaves the time of a later mail to its company', async () => {
    await database.db
      .updateTable('contact_state')
      .set({ last_sent_at: new Date(Date.now() + 1000) })
      .execute();
    await bounce('5.1.1', 'User unknown');
    await moveTo(NEW);
    expect(await judge()).toStrictEqual(held('recently_sent'));
  });

  test('of an unknown mail that was sent again may have arrived before: it stays unknown and held', async () => {
    await database.db.updateTable('delivery').set({ maybe_sent: true }).execute();
    const { mail_key } = await mail();
    const raw = dsnMail({
      key: mail_key?.replaceAll('-', '') ?? '',
      groups: [postfixGroup(OLD, '5.2.2', 'smtp; 552 5.2.2 Mailbox full')],
    });
    await take(raw);
    expect(await mail()).toMatchObject({ state: 'unknown' });
    await moveTo(NEW);
    expect(await judge()).toMatchObject({ list: ['open_delivery'], accepted: 0 });
    expect(await database.db.selectFrom('contact_state').selectAll().execute()).toHaveLength(1);
  });
});
