import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { accountDbOf } from '#server/platform/database/account-db.ts';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { RETURN_PATTERN, rawMail } from '#test/inbox-mails.ts';
import { addProspects, addTenant, type Tenant } from '#test/prospects.ts';
import { acceptRun, claimMails, finishDeliveries, markSending, untilBlocked } from '#test/sending.ts';
import { readInboxMail } from './read-mail.ts';
import { takeMail } from './take-mail.command.ts';

/** Whoever has one mail of ours can answer it as anybody, and as often as they like. */

const FIRST = 'info0@a.example';
const SERVER = 'mx.kaitaku.example';

let database: TestDatabase;
let tenant: Tenant;

beforeEach(async () => {
  database = await emptyDatabase();
  tenant = await addTenant(database.db);
  await acceptRun(database, tenant, 1);
  const claims = await claimMails(database, { rows: 1 });
  await markSending(database.service.db, claims);
  const outcome = { kind: 'sent', reply: '250 OK' } as const;
  await finishDeliveries(
    database.service.db,
    claims.map((claim) => ({ claim, outcome })),
  );
});

const STOP = '今後は送らないでください。';
let sent = 0;

type Field = readonly [name: string, value: string];

/** An answer to the mail. It stands in the thread, and in no other way shows who wrote it. */
async function answer(froms: readonly string[], { body = STOP, top = [] as readonly Field[], id = `${++sent}` } = {}) {
  const { message_id } = await database.db.selectFrom('delivery').select('message_id').executeTakeFirstOrThrow();
  return rawMail(
    [
      ...top,
      ['Return-Path', '<x@evil.example>'],
      ...froms.map((from) => ['From', from] as const),
      ['Subject', 'Re: a proposal'],
      ['Message-ID', `<${id}@evil.example>`],
      ['In-Reply-To', message_id ?? ''],
      ['Content-Type', 'text/plain; charset=utf-8'],
    ],
    body,
  );
}

async function take(raw: Buffer, authservId: string | null = null) {
  const { db } = database.service;
  const services = { db, now: Date.now, accountDb: accountDbOf(db), authservId };
  return takeMail(services, await readInboxMail(raw, RETURN_PATTERN), () => expect.unreachable());
}

const refused = async () =>
  (await database.db.selectFrom('suppression').select('value').orderBy('id').execute()).map(({ value }) => value);
const answers = () => database.db.selectFrom('reply').selectAll().orderBy('id').execute();
const open = async () => (await answers()).filter(({ handled_at }) => handled_at === null);
const addCompany = (company_email: string, { accountId } = tenant) =>
  addProspects(database.db, accountId, [{ company_name: '乙', company_email }]);
const mailTo = (address: string) => database.db.updateTable('delivery').set({ mail_to: address }).execute();

/** Each stops the address of the mail. The writer's follows where `also` names it. */
async function expectRefused(mail: string, also: readonly string[]): Promise<void> {
  expect((await refused()).toSorted()).toStrictEqual([mail, ...also].toSorted());
  expect(await answers()).toMatchObject([{ kind: 'reply', is_refusal: true, handled_at: null }]);
}

describe('lawful 78: who asks for no more mails from the domain of the mail', () => {
  test.each([
    ['as a colleague', ['Taro <taro@a.example>'], ['taro@a.example']],
    ['in capitals', ['TARO@A.Example'], ['taro@a.example']],
    ['with another address as the name', ['"ceo@b.example" <taro@a.example>'], ['taro@a.example']],
    ['from another domain', ['ceo@b.example'], []],
    ['from another domain with this one as the name', ['"taro@a.example" <ceo@b.example>'], []],
    ['from a domain below', ['taro@mail.a.example'], []],
    ['from a domain that ends alike', ['taro@xa.example'], []],
    ['with two From fields', ['taro@a.example', 'taro@a.example'], []],
    ['with two addresses', ['taro@a.example, ceo@a.example'], []],
    ['as a group', ['Team: taro@a.example;'], []],
    ['with a comment for a part of the address', ['taro(x)@a.example'], []],
  ])('is refused, %s: %j also %j', async (_, froms, also) => {
    await take(await answer(froms));
    await expectRefused(FIRST, also);
  });

  test('is compared in the ASCII form of a domain', async () => {
    await mailTo('info@xn--wgv71a.example');
    await take(await answer(['taro@XN--WGV71A.example']));
    await expectRefused('info@xn--wgv71a.example', ['taro@xn--wgv71a.example']);
  });

  test.each([
    ['another company has an address there', async () => addCompany('shop@a.example'), []],
    [
      'an archived company has one',
      async () => {
        const [id = 0] = await addCompany('shop@A.example');
        await database.db.updateTable('prospect').set({ archived_at: new Date() }).where('id', '=', id).execute();
      },
      [],
    ],
    [
      'a company of another account has one',
      async () => addCompany('shop@a.example', await addTenant(database.db)),
      ['taro@a.example'],
    ],
    ['another company has one in a domain below', async () => addCompany('shop@mail.a.example'), ['taro@a.example']],
  ] as const)('where %s: also %j', async (_, arrange, also) => {
    await arrange();
    await take(await answer(['taro@a.example']));
    await expectRefused(FIRST, also);
  });

  test('is one of a few whom one mail stops, however many write', async () => {
    for (let n = 0; n < 30; n += 1) await take(await answer([`taro${n}@a.example`]));
    const values = await refused();
    expect(values).toHaveLength(20);
    expect(values).toContain(FIRST);
  });

  test('is refused as the address of the mail itself, whoever shares its domain', async () => {
    await addCompany('shop@a.example');
    await take(await answer(['Info0@a.example']));
    await expectRefused(FIRST, []);
  });
});

describe('what the server of the inbox says of another domain', () => {
  const results = (text: string): Field => ['Authentication-Results', text];
  const PASS = results(`${SERVER}; dmarc=pass (p=none) header.from=b.example`);
  const FAIL = results(`${SERVER}; dmarc=fail header.from=b.example`);
  const FOREIGN = results('mx.evil.example; dmarc=pass header.from=b.example');
  const CEO = ['Ceo <ceo@b.example>'];

  test.each([
    ['it passed', CEO, [PASS], ['ceo@b.example']],
    ['it passed, above what others say', CEO, [PASS, FAIL, FOREIGN], ['ceo@b.example']],
    [
      'it passed, in capitals',
      ['CEO@B.EXAMPLE'],
      [results('MX.Kaitaku.Example 1; DMARC=Pass header.from=B.Example')],
      ['ceo@b.example'],
    ],
    [
      'an IDN passed',
      ['x@XN--WGV71A.jp'],
      [results(`${SERVER}; dmarc=pass header.from=xn--wgv71a.jp`)],
      ['x@xn--wgv71a.jp'],
    ],
    ['nothing', CEO, [], []],
    ['it failed, above a forged field', CEO, [FAIL, PASS], []],
    ['nothing, and another server says so above a forged field', CEO, [FOREIGN, PASS], []],
    ['nothing, and another server says so', CEO, [FOREIGN], []],
    ['nothing of DMARC, above a forged field', CEO, [results(`${SERVER}; spf=pass smtp.mailfrom=b.example`), PASS], []],
    ['what cannot be read, above a forged field', CEO, [results(`${SERVER}; (`), PASS], []],
    ['nothing, and a field of a relay does', CEO, [['ARC-Authentication-Results', PASS[1]]], []],
    [
      'a server whose name begins alike',
      CEO,
      [results(`${SERVER}.evil.example; dmarc=pass header.from=b.example`)],
      [],
    ],
    ['another domain passed', ['ceo@c.example'], [PASS], []],
    ['the domain above passed', ['ceo@mail.b.example'], [PASS], []],
    ['a domain below passed', CEO, [results(`${SERVER}; dmarc=pass header.from=mail.b.example`)], []],
    ['the domain of the name passed', ['"ceo@b.example" <ceo@c.example>'], [PASS], []],
    ['one of two From fields passed', [...CEO, 'ceo@c.example'], [PASS], []],
    ['one of two addresses passed', ['ceo@b.example, ceo@c.example'], [PASS], []],
    ['a group passed', ['Team: ceo@b.example;'], [PASS], []],
  ] as const)('%s: %j', async (_, froms, top, also) => {
    await take(await answer(froms, { top }), SERVER);
    await expectRefused(FIRST, also);
  });

  test.each([
    ['no server', null],
    ['another server', 'mx2.kaitaku.example'],
  ])('is not believed while the setting names %s', async (_, authservId) => {
    await take(await answer(CEO, { top: [PASS] }), authservId);
    await expectRefused(FIRST, []);
  });

  test('is not enough where another company has an address in that domain', async () => {
    await addCompany('info@b.example');
    await take(await answer(CEO, { top: [PASS] }), SERVER);
    await expectRefused(FIRST, []);
  });

  test('is enough where the company of the mail has one there', async () => {
    await database.db
      .updateTable('prospect')
      .set({ company_email: 'info@b.example', email_search: 'info@b.example' })
      .execute();
    await take(await answer(CEO, { top: [PASS] }), SERVER);
    await expectRefused(FIRST, ['ceo@b.example']);
  });
});

describe('many answers to one mail', () => {
  const COUNT = 200;
  /** As the reader takes them. */
  const takeAll = async (mails: readonly Buffer[]) => {
    for (let at = 0; at < mails.length; at += 5) await Promise.all(mails.slice(at, at + 5).map((mail) => take(mail)));
  };
  const forged = (count: number, more: Parameters<typeof answer>[1] = {}) =>
    Promise.all(Array.from({ length: count }, (_, n) => answer([`ceo@c${n}.example`], more)));
  const folded = async () => (await answers()).map(({ folded_hashes }) => folded_hashes.length);

  test('200 forged ones refuse one address, and 20 are stored with a count, however often they are read', async () => {
    const mails = await forged(COUNT);
    await takeAll(mails);
    await take(await answer(['last@c.example'], { id: 'last', body: '資料をください。' }));
    const stored = await answers();
    for (const again of [0, 1]) {
      if (again) await takeAll(mails);
      expect(await refused()).toStrictEqual([FIRST]);
      expect(await answers()).toStrictEqual(stored);
    }
    expect(await folded()).toStrictEqual([...Array(19).fill(0), COUNT + 1 - 20]);
    // The newest shows what came last, and still says that somebody asked for no more mails.
    expect(stored.at(-1)).toMatchObject({
      from_address: 'last@c.example',
      excerpt: '資料をください。',
      is_refusal: true,
    });
    expect(stored.at(-1)?.at.getTime()).toBeGreaterThan(stored[0]?.at.getTime() ?? expect.unreachable());
    const events = await database.db.selectFrom('audit_event').select('id').where('kind', '=', 'opt_out').execute();
    expect(events).toHaveLength(1);
  });

  test('at the same moment are not stored beyond the limit either', async () => {
    await takeAll(await forged(19));
    const [first = Buffer.of(), second = Buffer.of()] = await forged(2, { body: '資料をください。' });
    const holder = await database.service.pool.connect();
    try {
      // A new row refers to its company: the first waits with one that nobody sees yet.
      await holder.query('BEGIN');
      await holder.query('SELECT FROM prospect FOR UPDATE');
      const taken = [take(first), take(second)];
      await untilBlocked(database, 2);
      await holder.query('COMMIT');
      await Promise.all(taken);
    } finally {
      holder.release();
    }
    expect(await folded()).toStrictEqual([...Array(19).fill(0), 1]);
  });

  test('are counted up to a limit', async () => {
    await takeAll(await forged(20));
    const hashes = sql<Buffer[]>`(SELECT array_agg(decode(md5(n::text), 'hex')) FROM generate_series(1, 999) AS n)`;
    await database.db
      .updateTable('reply')
      .set({ folded_hashes: hashes })
      .where('id', '=', (await open()).at(-1)?.id ?? 0)
      .execute();
    await takeAll(await forged(2, { body: 'later' }));
    expect(await folded()).toStrictEqual([...Array(19).fill(0), 1000]);
    expect((await answers()).at(-1)).toMatchObject({ excerpt: 'later' });
  });

  test('refuse again beyond the limit, but not what was lifted by being read again', async () => {
    const mails = await forged(25);
    await takeAll(mails);
    await database.db.deleteFrom('suppression').execute();
    await takeAll(mails);
    expect(await refused()).toStrictEqual([]);
    await take(await answer(['ceo@d.example']));
    expect(await refused()).toStrictEqual([FIRST]);
    expect(await answers()).toHaveLength(20);
  });

  test('are stored anew once all are handled; those that were read stay so', async () => {
    const mails = await forged(25);
    await takeAll(mails);
    await database.db.updateTable('reply').set({ handled_at: new Date() }).execute();
    await takeAll(mails);
    expect(await open()).toStrictEqual([]);
    await take(await answer(['ceo@d.example'], { body: '資料をください。' }));
    expect(await open()).toMatchObject([{ excerpt: '資料をください。', folded_hashes: [] }]);
  });

  test('are stored anew where a member handles the newest at this moment', async () => {
    await takeAll(await forged(20));
    const member = await database.service.pool.connect();
    try {
      await member.query('BEGIN');
      await member.query('UPDATE reply SET handled_at = now() WHERE id = (SELECT max(id) FROM reply)');
      const taken = take(await answer(['ceo@d.example'], { body: '資料をください。' }));
      await untilBlocked(database);
      await member.query('COMMIT');
      await taken;
    } finally {
      member.release();
    }
    expect(await answers()).toHaveLength(21);
    expect((await open()).at(-1)).toMatchObject({ excerpt: '資料をください。' });
  });

  test('of robots have a limit of their own, and leave the room of people', async () => {
    await takeAll(await forged(25, { top: [['Auto-Submitted', 'auto-replied']], body: 'Away.' }));
    expect(await folded()).toStrictEqual([...Array(19).fill(0), 5]);
    await take(await answer(['ceo@d.example']));
    expect((await answers()).map(({ kind }) => kind)).toStrictEqual([...Array(20).fill('auto_reply'), 'reply']);
  });
});
