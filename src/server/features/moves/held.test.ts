import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { refusalAddress, returnAddress } from '#domain/mail/return-address.ts';
import { emailOf } from '#test/accounts.ts';
import { serveApp } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN, rawMail } from '#test/inbox-mails.ts';
import { ask, makeInstallation } from '#test/installation.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { runCommand } from '#test/run-command.ts';
import { untilBlocked } from '#test/sending.ts';
import { prepareDatabase } from '../../commands/open-database.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { queueFigures } from '../delivery/queue-figures.queries.ts';
import { holdArrival } from '../held-arrivals/hold.ts';
import { NO_ENVELOPE } from '../inbox/inbox-mail.ts';
import { readInboxMail } from '../inbox/read-mail.ts';
import { takeOrHold } from '../inbox/take-mail.command.ts';
import { takeEvents } from '../sendgrid-events/take-events.command.ts';

let database: TestDatabase;
let tenant: Tenant;
let origin: string;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  const { address } = await serveApp(database);
  origin = new URL(address).origin;
});

const operate = async (...args: string[]) => {
  const email = await emailOf(database.db, tenant.accountId);
  const env = { DATABASE_URL: database.url, RETURN_ADDRESS: RETURN_PATTERN };
  const ended = await runCommand(['account', ...args, '--email', email], env);
  expect([args, ended.code, ended.err]).toStrictEqual([args, 0, expect.any(String)]);
  return ended.out;
};

/** Adds a mail that was sent to an address. */
async function sentMail(mailTo: string) {
  const [prospect = 0] = await addProspects(database.db, tenant.accountId, [
    { company_name: mailTo, company_email: mailTo, email_search: mailTo },
  ]);
  const runId = await addDelivery(database.db, tenant, prospect, { state: 'sent', mailTo });
  const row = await database.db
    .updateTable('delivery')
    .set({ finished_at: new Date(), message_id: `<${crypto.randomUUID()}@kaitaku.example>` })
    .where('send_log_id', '=', runId)
    .returning(['id', 'mail_key', 'claim_no', 'message_id'])
    .executeTakeFirstOrThrow();
  return { ...row, prospect, mailTo, key: row.mail_key?.replaceAll('-', '') ?? '' };
}

const held = () => database.db.selectFrom('held_arrival').select(['kind', 'delivery_id']).orderBy('id').execute();
const refusals = () =>
  database.db.selectFrom('suppression').select(['value', 'class', 'source']).orderBy('value').execute();
const stateOf = async (id: number) =>
  (await database.db.selectFrom('delivery').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state;

async function post(path: string): Promise<[number, string]> {
  const response = await fetch(`${origin}/u/${path}`, { method: 'POST' });
  return [response.status, await response.text()];
}

async function take(source: Buffer): Promise<string> {
  const services = { db: database.service.db, now: Date.now, accountDb: accountDbOf(database.service.db) };
  const mail = await readInboxMail(source, RETURN_PATTERN);
  return takeOrHold(services, mail, async () => [], { source, envelope: NO_ENVELOPE });
}

test('what comes for a frozen account is answered as taken, held, and carried out by the thaw before mails begin', async () => {
  const [refused, returned, complained] = [
    await sentMail('stop@a.example'),
    await sentMail('gone@b.example'),
    await sentMail('angry@c.example'),
  ];
  const waiting = await addDelivery(database.db, tenant, refused.prospect, {
    state: 'queued',
    mailTo: refused.mailTo,
  });
  expect(await operate('freeze')).toContain('移行番号 1');

  // Refused, undone, refused again: the last one holds. A repeated request is held once.
  for (const act of ['', '', '/undo', '', '']) expect((await post(refused.key + act))[0]).toBe(200);
  const page = await (await fetch(`${origin}/u/${refused.key}`)).text();
  expect(page).toContain('配信停止');
  expect((await post('f'.repeat(32)))[0]).toBe(404);
  const report = dsnMail({
    key: returned.key,
    groups: [postfixGroup(returned.mailTo, '5.1.1', 'smtp; 550 5.1.1 Unknown')],
  });
  expect([await take(report), await take(report)]).toStrictEqual(['bounce', 'bounce']);
  const event = {
    event: 'spamreport',
    email: complained.mailTo,
    kaitaku: `${tenant.accountId}.${complained.id}.${complained.claim_no}.${complained.message_id.slice(1, 37)}`,
  };
  const signed = { signature: 's', timestamp: '1', bytes: Buffer.from(JSON.stringify([event])) };
  for (let n = 0; n < 2; n += 1) await takeEvents(accountDbOf(database.api), [event], signed);

  expect(await held()).toStrictEqual([
    { kind: 'refusal', delivery_id: refused.id },
    { kind: 'undo', delivery_id: refused.id },
    { kind: 'refusal', delivery_id: refused.id },
    { kind: 'mail', delivery_id: returned.id },
    { kind: 'events', delivery_id: null },
  ]);
  expect(await queueFigures(database.service.db)).toMatchObject({ heldArrivals: 5, frozenAccounts: 1, due: 0 });
  expect([await refusals(), await stateOf(returned.id)]).toStrictEqual([[], 'sent']);

  expect(await operate('thaw')).toContain('預かっていた5件を反映しました');
  expect(await held()).toStrictEqual([]);
  expect(await refusals()).toStrictEqual([
    { value: complained.mailTo, class: 'refused', source: 'complaint' },
    { value: returned.mailTo, class: 'undeliverable', source: 'dsn' },
    { value: refused.mailTo, class: 'refused', source: 'one_click' },
  ]);
  expect(await stateOf(returned.id)).toBe('failed');
  const open = database.db.selectFrom('delivery').select('state').where('send_log_id', '=', waiting);
  expect(await open.execute()).toStrictEqual([{ state: 'cancelled' }]);
});

test('a stranger makes us hold few mails and few acts of one mail, and a refusal among many answers is held', async () => {
  const mail = await sentMail('reader@a.example');
  await operate('freeze');
  const answer = (n: number, to = returnAddress(RETURN_PATTERN, mail.key)) =>
    rawMail(
      [
        ['From', 'reader@a.example'],
        ['To', to],
        ['Subject', `Re: ${n}`],
        ['Return-Path', '<reader@a.example>'],
      ],
      `${n}`,
    );
  for (let n = 0; n < 25; n += 1) await take(answer(n));
  expect(await held()).toHaveLength(20);
  for (const n of [25, 26]) expect(await take(answer(n, refusalAddress(RETURN_PATTERN, mail.key)))).toBe('refusal');
  expect(await held()).toHaveLength(21);
  for (let n = 0; n < 12; n += 1) await post(`${mail.key}/undo`);
  for (let n = 0; n < 12; n += 1) for (const act of ['', '/undo']) await post(mail.key + act);
  const acts = (await held()).filter(({ kind }) => kind !== 'mail').map(({ kind }) => kind);
  expect(acts).toStrictEqual(['refusal', 'undo', 'refusal', 'undo', 'refusal', 'undo', 'refusal']);
});

test('the role that holds a batch of events holds it once, and reads neither it nor another', async () => {
  await operate('freeze');
  const { accountId } = tenant;
  const account = accountDbOf(database.api)(accountId, null);
  const kinds = ['events', 'mail'] as const;
  for (const kind of [...kinds, ...kinds])
    await account.whileFrozen((tx) => holdArrival(tx, accountId, { kind, deliveryId: null, head: {}, body: null }));
  expect((await held()).map(({ kind }) => kind)).toStrictEqual(kinds);
  const seen = (tx: Tx) => tx.selectFrom('held_arrival').select('kind').execute();
  expect(await account.whileFrozen(seen)).toStrictEqual([{ kind: 'mail' }]);
  // No program before another: the index does it.
  const again = database.pool.query(
    `INSERT INTO held_arrival (account_id, kind, head, body, digest) SELECT account_id, kind, head, body, digest FROM held_arrival`,
  );
  await expect(again).rejects.toThrow('held_arrival_digest_key');
});

test('migration 16 keeps the oldest of what was held twice', async () => {
  const old = await makeInstallation();
  onTestFinished(old.drop);
  await prepareDatabase(old.access, { schema: 12 });
  await ask(
    old.adminUrl,
    `INSERT INTO account (company) VALUES ('甲'), ('乙');
     INSERT INTO held_arrival (account_id, kind, head, digest)
       SELECT account.id, 'events', '{}', digest::bytea FROM account,
         unnest(ARRAY['a', 'b', 'a', 'a', 'b']) WITH ORDINALITY AS held (digest, n) ORDER BY account.id, n`,
  );
  await prepareDatabase(old.access);
  const rows = `SELECT array_agg(id::integer ORDER BY id) AS ids, encode(digest, 'escape') AS digest FROM held_arrival
    GROUP BY account_id, digest ORDER BY 1`;
  expect(await ask(old.adminUrl, rows)).toStrictEqual([
    { ids: [1], digest: 'a' },
    { ids: [2], digest: 'b' },
    { ids: [6], digest: 'a' },
    { ids: [7], digest: 'b' },
  ]);
});

test('a held arrival that cannot be carried out stops the thaw, and is named', async () => {
  await operate('freeze');
  const { accountId } = tenant;
  const broken = { kind: 'events', head: '{}', body: Buffer.from('no JSON'), digest: Buffer.alloc(1) };
  await database.db
    .insertInto('held_arrival')
    .values({ account_id: accountId, ...broken })
    .execute();
  const email = await emailOf(database.db, accountId);
  const ended = await runCommand(['account', 'thaw', '--email', email], { DATABASE_URL: database.url });
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('events') });
  expect(await queueFigures(database.service.db)).toMatchObject({ heldArrivals: 1, frozenAccounts: 1 });
});

test('a command that runs within a test does not let the process of the tests end while it waits for the next file', async () => {
  const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
  const before = pipes();
  await operate('freeze');
  await operate('thaw');
  expect(pipes()).toBe(before);
});

test('a request that arrives during a thaw is applied, not held', async () => {
  const mail = await sentMail('reader@a.example');
  await operate('freeze');
  const accountLock = await database.pool.connect();
  try {
    // The thaw has the row: the refusal waits for it.
    await accountLock.query('BEGIN');
    await accountLock.query('UPDATE account SET frozen_at = NULL, settled_at = NULL');
    const answered = post(mail.key);
    await untilBlocked(database);
    await accountLock.query('COMMIT');
    expect((await answered)[0]).toBe(200);
  } finally {
    accountLock.release();
  }
  expect([await held(), (await refusals()).length]).toStrictEqual([[], 1]);
});
