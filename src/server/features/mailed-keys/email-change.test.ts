import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openSessionOf } from '#test/accounts.ts';
import { clientAt, PUBLIC_URL, serve } from '#test/client.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { CONFIRMED, type EmailChangeScene, emailChangeScene, type Mover, SENT, secretIn } from '#test/email-change.ts';

const MINUTE_MS = 60_000;

let database: TestDatabase;
let scene: EmailChangeScene;
let mover: Mover;
let target: string;

beforeAll(async () => {
  database = await emptyDatabase();
});

beforeEach(async () => {
  scene = await emailChangeScene(database);
  ({ mover, target } = scene);
});

const stored = () =>
  database.db
    .selectFrom('member')
    .select(['email', 'email_before_confirmation'])
    .where('account_id', '=', mover.id)
    .executeTakeFirstOrThrow();

const events = () =>
  database.db
    .selectFrom('audit_event')
    .select(['kind', 'detail'])
    .where('account_id', '=', mover.id)
    .orderBy('id')
    .execute();

test('§2.27 a change of the address ends every session, and is mailed to the old address', async () => {
  const elsewhere = await serve(database, () => scene.now);
  const other = clientAt(elsewhere, `Bearer ${await openSessionOf(database.login, mover.id, scene.now)}`);
  const isAlive = async () => (await other.get(`/account/${mover.id}`)).status === 200;

  expect(await mover.setPending(target)).toStrictEqual({ status: 200, body: { status: 'updated', id: mover.id } });
  const ticket = await mover.ticket();
  expect(ticket).toMatch(/^[\w-]{43}$/);
  expect(await mover.send(target, ticket)).toStrictEqual(SENT);
  const secret = secretIn((await scene.mailsTo(target))[0]);
  expect(secret).not.toBe(ticket);
  expect(await stored()).toStrictEqual({ email: mover.email, email_before_confirmation: target });

  expect(await mover.confirm(secret)).toStrictEqual(CONFIRMED);
  expect(await stored()).toStrictEqual({ email: mover.email, email_before_confirmation: target });
  expect(await isAlive()).toBe(true);

  expect(await mover.move(target)).toStrictEqual({ status: 200, body: { status: 'updated', id: mover.id } });
  expect(await stored()).toStrictEqual({ email: target, email_before_confirmation: null });
  expect(await isAlive()).toBe(false);
  expect(await mover.client.get(`/account/${mover.id}`)).toMatchObject({ status: 401 });
  expect(await database.db.selectFrom('email_change').where('account_id', '=', mover.id).execute()).toHaveLength(0);
  expect(await events()).toStrictEqual([{ kind: 'email_changed', detail: { from: mover.email, to: target } }]);

  const [notice, ...more] = await scene.mailsTo(mover.email);
  expect(more).toHaveLength(0);
  expect(notice?.subject).toBe('【Kaitaku】メールアドレスが変更されました');
  for (const part of [notice?.text, notice?.html]) {
    expect(part).toContain('お心当たりがない場合は');
    expect(part).toContain('管理者にご連絡ください');
    // The old mailbox may be somebody else's by now: the new address is not its business.
    expect(part).not.toContain(target);
  }
});

test('the mail is Japanese, text and HTML, one link, to one address, with nothing that the asker chose', async () => {
  await mover.client.put(`/account/${mover.id}`, { update_info: { name: '当選者 https://evil.example' } });
  await mover.setPending(target);
  const secret = await mover.secretFor(target);
  expect(scene.sink.mails).toMatchObject([{ from: 'no-reply@kaitaku.example.jp', to: [target] }]);
  const [mail] = await scene.mailsTo(target);
  expect(mail).toMatchObject({
    from: { name: 'Kaitaku', address: 'no-reply@kaitaku.example.jp' },
    to: [{ address: target }],
    subject: '【Kaitaku】メールアドレスの確認',
  });
  const link = `${PUBLIC_URL}/confirmation/${secret}`;
  expect(mail?.text).toMatch(/次のリンクを開くと、変更が完了します。\n\nhttps:\S+\n\nリンクの有効期限は60分/);
  expect(mail?.html).toContain(`<a href="${link}">${link}</a>`);
  expect(mail?.html).toContain('<html lang="ja">');
  for (const part of [mail?.text ?? '', mail?.html ?? '']) {
    expect(new Set(part.match(/https?:\/\/[^\s"<]+/g))).toStrictEqual(new Set([link]));
    expect(part).not.toMatch(/当選者|undefined|null|\{\{/);
  }
});

test('an address with characters that mean something in HTML and headers arrives as it is', async () => {
  const odd = `a&b'c=?x?${target}`;
  await mover.setPending(odd);
  expect(await mover.confirm(await mover.secretFor(odd))).toStrictEqual(CONFIRMED);
  expect(await mover.move(odd)).toMatchObject({ status: 200 });
  expect(await stored()).toMatchObject({ email: odd });
});

test('the address may be written as the user typed it', async () => {
  await mover.setPending(` ${target.replace('@', '＠')}`);
  expect(await mover.send(target.replace('example', 'EXAMPLE'), await mover.ticket())).toStrictEqual(SENT);
});

test('tickets and secrets are stored as hashes, and no call answers a secret', async () => {
  await mover.setPending(target);
  const ticket = await mover.ticket();
  const row = () => database.db.selectFrom('email_change').selectAll().where('account_id', '=', mover.id).execute();
  expect(JSON.stringify(await row())).not.toContain(ticket);
  await mover.send(target, ticket);
  const secret = secretIn((await scene.mailsTo(target))[0]);
  const [change] = await row();
  expect(change?.secret_hash).toHaveLength(32);
  expect(change?.secret_hash?.toString()).not.toBe(secret);
  const account = JSON.stringify((await mover.client.get(`/account/${mover.id}`)).body);
  expect(account).not.toMatch(/hash|token|secret|argon2/);
  for (const written of [ticket, secret]) expect(account).not.toContain(written);
});

test('an address that has an account gets the same answers, its owner another mail, and nobody a secret', async () => {
  const owner = await scene.addMover(`Taken-${target}`);
  const asked = owner.email.toLowerCase();
  expect(await mover.setPending(asked)).toStrictEqual({ status: 200, body: { status: 'updated', id: mover.id } });
  expect(await mover.send(asked, await mover.ticket())).toStrictEqual(SENT);
  const [mail, ...more] = await scene.mailsTo(asked);
  expect(more).toHaveLength(0);
  expect(mail?.subject).toBe('【Kaitaku】メールアドレスの変更について');
  for (const part of [mail?.text, mail?.html]) {
    expect(part).toContain('このアドレスはすでにお使いのアカウントに登録されているため、変更できません');
    expect(part).not.toMatch(/https?:/);
  }
});

test('an address taken between the confirmation and the move is refused, and nothing has changed', async () => {
  await mover.setPending(target);
  await mover.confirm(await mover.secretFor(target));
  await scene.addMover(target.toUpperCase());
  expect(await mover.move(target)).toMatchObject({
    status: 409,
    body: { code: 'email_taken', message: expect.stringContaining('ほかのアカウントで使われている') },
  });
  expect(await stored()).toStrictEqual({ email: mover.email, email_before_confirmation: target });
  expect((await mover.client.get(`/account/${mover.id}`)).status).toBe(200);
  expect(await scene.mailsTo(mover.email)).toHaveLength(0);
});

test('an account sends five mails an hour, whatever the addresses', async () => {
  for (let n = 0; n < 6; n += 1) {
    await mover.setPending(`${n}${target}`);
    const answer = await mover.send(`${n}${target}`, await mover.ticket());
    if (n < 5) expect(answer).toStrictEqual(SENT);
    else expect(answer).toMatchObject({ status: 429, body: { code: 'too_many_mails', message: /60分後/ } });
  }
  expect(scene.sink.mails).toHaveLength(5);
  scene.now += 60 * MINUTE_MS;
  expect(await mover.send(`5${target}`, await mover.ticket())).toStrictEqual(SENT);
});

test('an address gets three mails an hour, whoever asks; what is refused kills no secret and no ticket', async () => {
  const movers = [mover, await scene.addMover(`b-${target}`)];
  for (const one of movers) await one.setPending(target);
  const [a, b] = movers as [Mover, Mover];
  for (const one of [a, a]) expect(await one.send(target, await one.ticket())).toStrictEqual(SENT);
  const secret = await b.secretFor(target);
  const ticket = await b.ticket();
  const refused = await b.send(target, ticket);
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_mails' } });
  expect(await a.send(target, await a.ticket())).toStrictEqual(refused);
  expect(scene.sink.mails).toHaveLength(3);
  expect(await b.confirm(secret)).toStrictEqual(CONFIRMED);
});

test('a refused request states the time of the next try in a header', async () => {
  const { api, login } = database;
  const address = await serve({ api, login }, () => scene.now);
  const authorization = `Bearer ${await openSessionOf(login, mover.id, scene.now)}`;
  await mover.setPending(target);
  const ask = async () =>
    fetch(`${address}/mail/send/confirmation/${mover.id}`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ email_before_confirmation: target, confirmation_token: await mover.ticket() }),
    });
  for (let n = 0; n < 3; n += 1) expect((await ask()).status).toBe(200);
  scene.now += 20 * MINUTE_MS;
  const refused = await ask();
  expect([refused.status, refused.headers.get('retry-after')]).toStrictEqual([429, String(40 * 60)]);
});

test('a mail server out of reach: 503, no valid secret, no mail counted, and it works when it is back', async () => {
  await mover.setPending(target);
  scene.sink.fault = (moment) => (moment === 'greeting' ? 'close' : null);
  for (let n = 0; n < 7; n += 1) {
    expect(await mover.send(target, await mover.ticket())).toMatchObject({
      status: 503,
      body: { code: 'mail_not_sent', message: expect.stringContaining('確認メールを送信できませんでした') },
    });
  }
  const { secret_hash } = await database.db
    .selectFrom('email_change')
    .select('secret_hash')
    .where('account_id', '=', mover.id)
    .executeTakeFirstOrThrow();
  expect(secret_hash).toBeNull();
  scene.sink.fault = () => null;
  expect(await mover.confirm(await mover.secretFor(target))).toStrictEqual(CONFIRMED);
});

test('a mail that the server refuses is not sent, and counts', async () => {
  await mover.setPending(target);
  scene.sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 nobody' : null);
  for (let n = 0; n < 3; n += 1) {
    expect(await mover.send(target, await mover.ticket())).toMatchObject({ status: 503 });
  }
  expect(await mover.send(target, await mover.ticket())).toMatchObject({ status: 429 });
});

test('a notice that cannot be sent changes nothing, and is recorded', async () => {
  await mover.setPending(target);
  await mover.confirm(await mover.secretFor(target));
  scene.sink.fault = (moment) => (moment === 'RCPT' ? '550 5.1.1 gone' : null);
  expect(await mover.move(target)).toMatchObject({ status: 200 });
  expect(await stored()).toStrictEqual({ email: target, email_before_confirmation: null });
  expect(await events()).toMatchObject([
    { kind: 'email_changed' },
    { kind: 'email_change_notice_failed', detail: { to: mover.email } },
  ]);
});

test('a member without a pending address gets no ticket', async () => {
  expect(await mover.client.put(`/auth/confirmation_token/${mover.id}`)).toMatchObject({
    status: 400,
    body: { code: 'no_pending_email' },
  });
});
