import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '#test/db.ts';
import { dsnMail, postfixGroup, RETURN_PATTERN, replyMail } from '#test/inbox-mails.ts';
import { COMPILE_CACHE } from '#test/program.ts';
import { addDelivery } from '#test/prospect-history.ts';
import { addProspects, addTenant } from '#test/prospects.ts';

const ROOT = join(import.meta.dirname, '../../..');
let database: TestDatabase;
let key: string;

beforeAll(async () => {
  database = await emptyDatabase();
  const tenant = await addTenant(database.db);
  const [prospect = 0] = await addProspects(database.db, tenant.accountId, [{ company_name: 'みどり' }]);
  await addDelivery(database.db, tenant, prospect, { state: 'sent', mailTo: 'info@midori.example' });
  const { mail_key } = await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow();
  key = mail_key?.replaceAll('-', '') ?? '';
});

async function take(input: Buffer, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(ROOT, 'src/server/main.ts'), 'inbox', 'take'], {
    env: {
      PATH: process.env.PATH,
      ...COMPILE_CACHE,
      DATABASE_URL: database.url,
      RETURN_ADDRESS: RETURN_PATTERN,
      ...env,
    },
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const closed = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await closed;
  return { code, out, err };
}

const unknown = () => [postfixGroup('info@midori.example', '5.1.1', 'smtp; 550 User unknown')];
const states = () => database.db.selectFrom('delivery').select('state').execute();

describe('kaitaku inbox take', () => {
  test('fails with 75 while the database is away or a setting is wrong: the mail server keeps the mail', async () => {
    const mail = dsnMail({ key, groups: unknown() });
    const away = await take(mail, { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' });
    expect(away).toMatchObject({ code: 75, out: '', err: expect.stringContaining('メールを反映できませんでした') });
    expect(await take(mail, { RETURN_ADDRESS: 'x' })).toMatchObject({ code: 75 });
    expect(await states()).toStrictEqual([{ state: 'sent' }]);
  });

  test('reads the recipient and the sender of a pipe, and the same mail twice', async () => {
    const mail = dsnMail({ key: 'f'.repeat(32), returnPath: null, returned: 'Subject: x', groups: unknown() });
    expect(await take(mail)).toMatchObject({ code: 0, out: 'ignored\n' });
    const env = { ORIGINAL_RECIPIENT: `b-${key}@bounce.kaitaku.example`, SENDER: '' };
    for (let round = 0; round < 2; round += 1) {
      expect(await take(mail, env)).toStrictEqual({ code: 0, out: 'bounce\n', err: '' });
      expect(await states()).toStrictEqual([{ state: 'failed' }]);
    }
  });

  test('believes the server that INBOX_AUTHSERV_ID names about who wrote an answer', async () => {
    const mail = replyMail('送らないでください', [['Content-Type', 'text/plain; charset=utf-8']]);
    const passed = Buffer.from('Authentication-Results: mx.kaitaku.example; dmarc=pass header.from=Midori.example\r\n');
    const to = { ORIGINAL_RECIPIENT: `b-${key}@bounce.kaitaku.example`, SENDER: 'x@evil.example' };
    await database.db.updateTable('delivery').set({ mail_to: 'info@a.example' }).execute();
    await take(Buffer.concat([passed, mail]), { ...to, INBOX_AUTHSERV_ID: 'mx.kaitaku.example' });
    const refused = database.db.selectFrom('suppression').select('value').where('class', '=', 'refused');
    const values = await refused.orderBy('value').execute();
    expect(values.map(({ value }) => value)).toStrictEqual(['info@a.example', 'info@midori.example']);
  });

  test('reads the header alone of a mail whose parse did not end three times, and never fails for it', async () => {
    const mail = dsnMail({ key: 'e'.repeat(32), groups: unknown() });
    const parse = { mailbox: 'kaitaku inbox take', mail: createHash('sha256').update(mail).digest('hex'), tries: 3 };
    await database.db.insertInto('inbox_parse').values(parse).execute();
    await database.db.updateTable('delivery').set({ mail_to: 'info@c.example' }).execute();
    const env = { ORIGINAL_RECIPIENT: `u-${key}@bounce.kaitaku.example` };
    const err = expect.stringContaining('ヘッダーだけを読みました');
    expect(await take(mail, env)).toStrictEqual({ code: 0, out: 'refusal\n', err });
    const suppressed = await database.db.selectFrom('suppression').select(['value', 'source']).execute();
    expect(suppressed).toContainEqual({ value: 'info@c.example', source: 'mailto' });
  });

  test('reads five megabytes to their end', async () => {
    const mail = Buffer.concat([dsnMail(), Buffer.alloc(5_000_000, 'x')]);
    expect(await take(mail)).toMatchObject({ code: 0, out: 'unmatched\n' });
    const ended = await database.db.selectFrom('inbox_parse').select('tries').execute();
    // That of the mail above stays.
    expect(ended).toHaveLength(1);
  });
});
