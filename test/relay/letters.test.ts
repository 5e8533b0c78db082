import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import { addSenderGroup, type NewSender, starterGroup } from '#server/features/senders/sender-group.command.ts';
import { LEGAL_PROFILE } from '#test/prospects.ts';
import { LETTER } from '../../bench/letter.ts';
import { PUBLIC_URL } from '../mailing.ts';
import { type DecodedMail, decodeMails } from './decode.ts';
import { verifyByOpenDkim } from './opendkim.ts';
import { type Postfix, startPostfix } from './postfix.ts';
import { relayScene } from './scene.ts';

/** Sends signed default letters through Debian's Postfix. Python, OpenDKIM and SpamAssassin check them. */

let postfix: Postfix;
beforeAll(async () => {
  postfix = await startPostfix();
});
afterAll(() => postfix.stop());

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const dkim = {
  domain: 'kaitaku-demo.example',
  selector: 'test',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
};
const dnsKey = { ...dkim, publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };

/** Rules that are no fault: the mail came from this machine, and it has an HTML part. Any other match is one. */
const ALLOWED = new Set(['ALL_TRUSTED', 'HTML_MESSAGE']);

const STARTER = starterGroup({
  name: '山田 花子',
  email: 'hanako@kaitaku-demo.example',
  company: '株式会社架空商事',
});
const LETTERS = [LETTER, ...[STARTER, ...DEMO_GROUPS].flatMap(({ senders }) => senders)];

interface Arrived extends DecodedMail {
  readonly source: string;
  readonly link: string;
}

/** Sends one letter of a group with complete legal details. */
async function arrivalOf(sender: NewSender): Promise<Arrived> {
  const { database, tenant, sendTo } = await relayScene(postfix, dkim);
  const { accountId } = tenant;
  await database.account(accountId).transaction((tx) =>
    addSenderGroup(tx, accountId, {
      group_name: 'グループ',
      senders: [sender],
      legal: LEGAL_PROFILE,
      legalConfirmedAt: new Date(),
    }),
  );
  await confirmAddress(database.db, accountId, sender.email);
  const { id } = await database.db
    .selectFrom('sender')
    .innerJoin('sender_profile', 'sender_profile.id', 'sender.profile_id')
    .select('sender.id')
    .where('sender.account_id', '=', accountId)
    .where('email', '=', sender.email)
    .executeTakeFirstOrThrow();
  const company = { company_name: '株式会社架空製作所', ceo: '山田 太郎', company_email: 'info@example.co.jp' };
  const [file = ''] = await sendTo(id, [company]);
  const [mail] = decodeMails([file]);
  const { mail_key } = await database.db.selectFrom('delivery').select('mail_key').executeTakeFirstOrThrow();
  if (mail === undefined) throw new Error('the mail cannot be read');
  return { ...mail, source: readFileSync(file, 'utf8'), link: `${PUBLIC_URL}/u/${mail_key?.replaceAll('-', '')}` };
}

describe.each(LETTERS.map((sender) => [sender.template.name, sender] as const))('%s', (_name, sender) => {
  let mail: Arrived;
  test('shows what the law requires, in its text and in its HTML', async () => {
    mail = await arrivalOf(sender);
    const shown = [
      '送信者: 株式会社見本',
      '住所: 〒100-0001 東京都千代田区見本1-2-3',
      'お問い合わせ・苦情: 03-0000-0000',
      '配信を停止（受信を拒否）できます。',
      mail.link,
    ];
    for (const part of shown) {
      expect(mail.text).toContain(part);
      expect(mail.html).toContain(part);
    }
    expect(mail.defects).toStrictEqual([]);
  });

  test('offers one-click unsubscribe, and OpenDKIM finds both fields signed', () => {
    expect(mail).toMatchObject({
      listUnsubscribe: `<${mail.link}>`,
      listUnsubscribePost: 'List-Unsubscribe=One-Click',
      signed: expect.arrayContaining(['from', 'list-unsubscribe', 'list-unsubscribe-post']),
    });
    expect(verifyByOpenDkim(mail.source, dnsKey)).toContain('succeeded');
    for (const [before, after] of [
      ['=One-Click', '=Two-Click'],
      [`<${mail.link}>`, '<https://elsewhere.example.jp/>'],
    ] as const) {
      expect(mail.source).toContain(before);
      expect(verifyByOpenDkim(mail.source.replace(before, after), dnsKey)).toContain('signature verification failed');
    }
  });

  test('has no fault of form or encoding for SpamAssassin', () => {
    const judged = execFileSync('spamassassin', ['-L', '-t'], { input: mail.source, encoding: 'utf8' });
    const [, rules = ''] = /^X-Spam-Status: .*?\btests=(.*?)\s\w+=/ms.exec(judged) ?? [];
    expect(rules, judged).toContain('HTML_MESSAGE');
    expect(rules.match(/\w+/g)?.filter((rule) => !ALLOWED.has(rule))).toStrictEqual([]);
  });
});
