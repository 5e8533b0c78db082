import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { emailOf, updateMember } from '#test/accounts.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { CONFIRMED, type EmailChangeScene, emailChangeScene, type Mover, SENT, secretIn } from '#test/email-change.ts';

/** The ways to take over an account by its address change (bad-inputs 65, 66): none of them works. */

/** Whatever is wrong with a secret: one answer, to the letter. */
const INVALID = {
  status: 400,
  body: {
    code: 'invalid_confirmation',
    message: 'メールアドレスを確認できませんでした。URLが正しくないか、有効期限が切れています。',
  },
};
const INVALID_TICKET = { status: 400, body: { code: 'invalid_ticket' } };
const NOT_CONFIRMED = { status: 400, body: { code: 'not_confirmed' } };
const MINUTE_MS = 60_000;

let database: TestDatabase;
let scene: EmailChangeScene;
let mover: Mover;
let target: string;

beforeAll(async () => {
  database = await emptyDatabase();
});

/** Each abuse begins with an account that waits for its new address, and must not have got any other at its end. */
beforeEach(async () => {
  scene = await emailChangeScene(database);
  ({ mover, target } = scene);
  await mover.setPending(target);
  return async () => expect([mover.email, target]).toContain(await addressOf(mover));
});

const addressOf = ({ id }: Mover) => emailOf(database.db, id);

const mailsThatCame = () => scene.sink.mails.length;

describe('1. the wrong kind of token', () => {
  test('a ticket is no secret', async () => {
    const ticket = await mover.ticket();
    expect(await mover.confirm(ticket)).toStrictEqual(INVALID);
    expect(await mover.send(target, ticket)).toStrictEqual(SENT);
    expect(await mover.confirm(ticket)).toStrictEqual(INVALID);
  });

  test('a secret is no ticket', async () => {
    const secret = await mover.secretFor(target);
    expect(await mover.send(target, secret)).toMatchObject(INVALID_TICKET);
    expect(mailsThatCame()).toBe(1);
  });

  test('what the database holds is no token', async () => {
    await mover.secretFor(target);
    await mover.ticket();
    const row = await database.db
      .selectFrom('email_change')
      .selectAll()
      .where('account_id', '=', mover.id)
      .executeTakeFirstOrThrow();
    for (const encoding of ['base64url', 'base64', 'hex'] as const) {
      expect(await mover.confirm(row.secret_hash?.toString(encoding) ?? '')).toStrictEqual(INVALID);
      expect(await mover.send(target, row.ticket_hash?.toString(encoding) ?? '')).toMatchObject(INVALID_TICKET);
    }
  });
});

describe("2. another account's token", () => {
  test("§2.25 bad-inputs 65: a secret confirms nothing of another account, and its own owner's session is needed for it", async () => {
    const thief = await scene.addMover(`thief-${target}`);
    await thief.setPending(`thiefs-${target}`);
    const secret = await mover.secretFor(target);
    expect(await thief.confirm(secret)).toStrictEqual(INVALID);
    expect(await mover.confirm(secret)).toStrictEqual(CONFIRMED);
  });

  test('a thief who waits for the same address gets nothing from the secret mailed for another account', async () => {
    const thief = await scene.addMover(`thief-${target}`);
    await thief.setPending(target);
    expect(await thief.confirm(await mover.secretFor(target))).toStrictEqual(INVALID);
    expect(await thief.move(target)).toMatchObject(NOT_CONFIRMED);
  });

  test('a ticket sends nothing for another account', async () => {
    const thief = await scene.addMover(`thief-${target}`);
    await thief.setPending(target);
    const ticket = await mover.ticket();
    expect(await thief.send(target, ticket)).toMatchObject(INVALID_TICKET);
    expect(mailsThatCame()).toBe(0);
  });
});

describe('3. a secret after the pending address changed', () => {
  test.each([
    ['to another', (current: string) => `other-${current}`],
    ['to the same one', (current: string) => current],
  ])('%s', async (_, next) => {
    const secret = await mover.secretFor(target);
    await mover.setPending(next(target));
    expect(await mover.confirm(secret)).toStrictEqual(INVALID);
  });

  test('to another and back', async () => {
    const secret = await mover.secretFor(target);
    await mover.setPending(`other-${target}`);
    await mover.setPending(target);
    expect(await mover.confirm(secret)).toStrictEqual(INVALID);
  });

  test('behind the back of the program', async () => {
    const secret = await mover.secretFor(target);
    await updateMember(database.db, mover.id, { email_before_confirmation: `other-${target}` });
    expect(await mover.confirm(secret)).toStrictEqual(INVALID);
  });
});

test('4. a secret after a newer one was sent: only the newest counts', async () => {
  const first = await mover.secretFor(target);
  const second = await mover.secretFor(target);
  expect(await mover.confirm(first)).toStrictEqual(INVALID);
  expect(await mover.confirm(second)).toStrictEqual(CONFIRMED);
});

test('bad-inputs 65: 5. a secret used twice is refused', async () => {
  const secret = await mover.secretFor(target);
  expect(await mover.confirm(secret)).toStrictEqual(CONFIRMED);
  expect(await mover.confirm(secret)).toStrictEqual(INVALID);
  expect(await mover.move(target)).toMatchObject({ status: 200 });
});

describe('6. a token out of its time', () => {
  test('bad-inputs 65: a secret is valid for 60 minutes and not a second longer', async () => {
    const begun = scene.now;
    const secret = await mover.secretFor(target);
    scene.now = begun + 60 * MINUTE_MS + 1000;
    expect(await mover.confirm(secret)).toStrictEqual(INVALID);
    scene.now = begun + 60 * MINUTE_MS;
    expect(await mover.confirm(secret)).toStrictEqual(INVALID);
    scene.now = begun + 60 * MINUTE_MS - 1000;
    expect(await mover.confirm(secret)).toStrictEqual(CONFIRMED);
  });

  test('bad-inputs 65: a ticket is valid for 10 minutes and not a second longer', async () => {
    const begun = scene.now;
    const ticket = await mover.ticket();
    scene.now = begun + 10 * MINUTE_MS + 1000;
    expect(await mover.send(target, ticket)).toMatchObject(INVALID_TICKET);
    scene.now = begun + 10 * MINUTE_MS - 1000;
    expect(await mover.send(target, ticket)).toStrictEqual(SENT);
  });
});

describe('7. a ticket used again', () => {
  test('after its mail', async () => {
    const ticket = await mover.ticket();
    expect(await mover.send(target, ticket)).toStrictEqual(SENT);
    expect(await mover.send(target, ticket)).toMatchObject(INVALID_TICKET);
    expect(mailsThatCame()).toBe(1);
  });

  test('50 times at once: one mail', async () => {
    const ticket = await mover.ticket();
    const answers = await Promise.all(Array.from({ length: 50 }, () => mover.send(target, ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(mailsThatCame()).toBe(1);
  });

  test('after a newer ticket was issued', async () => {
    const ticket = await mover.ticket();
    await mover.ticket();
    expect(await mover.send(target, ticket)).toMatchObject(INVALID_TICKET);
  });
});

test('8. a ticket after the pending address changed: it was for the old one', async () => {
  const ticket = await mover.ticket();
  await mover.setPending(`victim-${target}`);
  expect(await mover.send(`victim-${target}`, ticket)).toMatchObject(INVALID_TICKET);
  expect(await mover.send(target, ticket)).toMatchObject(INVALID_TICKET);
  expect(mailsThatCame()).toBe(0);
});

test.each([
  '',
  'victim@example.com',
  'VICTIM@example.com',
  'x,y',
  `victim@example.com,new@example.jp`,
  'a@x.jp\r\nBcc: b@x.jp',
])('9. the address in the body is not the pending one: %j gets no mail', async (address) => {
  const ticket = await mover.ticket();
  expect(await mover.send(address, ticket)).toMatchObject(INVALID_TICKET);
  expect(mailsThatCame()).toBe(0);
  expect(await mover.send(target, ticket)).toStrictEqual(SENT);
});

test('10. the address is not set without a confirmation: before the mail, after it, and without a pending address', async () => {
  expect(await mover.move(target)).toMatchObject(NOT_CONFIRMED);
  await mover.secretFor(target);
  expect(await mover.move(target)).toMatchObject(NOT_CONFIRMED);
  const other = await scene.addMover(`nothing-pending-${target}`);
  expect(await other.move(`anything-${target}`)).toMatchObject(NOT_CONFIRMED);
  expect(await other.move('')).toMatchObject({ status: 400 });
  expect(await addressOf(mover)).toBe(mover.email);
});

describe('11. a confirmation put to another use', () => {
  beforeEach(async () => expect(await mover.confirm(await mover.secretFor(target))).toStrictEqual(CONFIRMED));

  test('for another address', async () => {
    expect(await mover.move(`victim-${target}`)).toMatchObject(NOT_CONFIRMED);
    expect(await addressOf(mover)).toBe(mover.email);
  });

  test('after the pending address changed', async () => {
    await mover.setPending(`victim-${target}`);
    expect(await mover.move(`victim-${target}`)).toMatchObject(NOT_CONFIRMED);
    expect(await mover.move(target)).toMatchObject(NOT_CONFIRMED);
    expect(await addressOf(mover)).toBe(mover.email);
  });

  test('15 minutes later', async () => {
    const begun = scene.now;
    scene.now = begun + 15 * MINUTE_MS;
    expect(await mover.move(target)).toMatchObject(NOT_CONFIRMED);
    scene.now = begun + 15 * MINUTE_MS - 1000;
    expect(await mover.move(target)).toMatchObject({ status: 200 });
  });

  test('a second time, by a session that was open', async () => {
    const [first, ...more] = await Promise.all(Array.from({ length: 5 }, () => mover.move(target)));
    const statuses = [first, ...more].map((answer) => answer?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    for (const status of statuses) expect([200, 400, 401]).toContain(status);
    expect(await scene.mailsTo(mover.email)).toHaveLength(1);
  });
});

test('12. 50 confirmations at once: one succeeds', async () => {
  const secret = await mover.secretFor(target);
  const answers = await Promise.all(Array.from({ length: 50 }, () => mover.confirm(secret)));
  expect(answers.filter(({ status }) => status === 200)).toStrictEqual([CONFIRMED]);
  expect(answers.filter(({ status }) => status !== 200)).toStrictEqual(Array.from({ length: 49 }, () => INVALID));
});

/** bad-inputs 65 */
test.each([
  ['nothing', ''],
  ['a short one', 'abc'],
  ['10 KB', 'A'.repeat(10_240)],
  ['a path', '../../account/1'],
  ['an escaped NUL', '%00'],
  ['SQL', "' OR secret_hash IS NOT NULL --"],
  ['a space behind', 'A '],
])('bad-inputs 65: %s is no secret and no ticket, and gets the same answer as a wrong one', async (_, token) => {
  await mover.secretFor(target);
  expect(await mover.confirm(token)).toStrictEqual(INVALID);
  expect(await mover.send(target, token)).toMatchObject(INVALID_TICKET);
});

test.each([null, 1, true, ['x'], {}])(
  'bad-inputs 65: %j in place of a token is no request',
  async (confirmation_token) => {
    const body = { confirmation_token };
    expect(await mover.client.post(`/auth/confirmation_token/${mover.id}/confirm`, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input' },
    });
  },
);

test('the path with a token in it exists for the web client alone: no call reads a secret from a URL', async () => {
  const secret = await mover.secretFor(target);
  expect(await mover.client.get(`/auth/confirmation_token/${mover.id}/confirm/${secret}`)).toMatchObject({
    status: 404,
  });
  expect(secretIn((await scene.mailsTo(target))[0])).toBe(secret);
});
