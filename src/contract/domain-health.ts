import { z } from 'zod';
import { isDomainName } from '#domain/dns/domain-name.ts';
import { CHECK_LEVELS, DOMAIN_CHECKS, DOMAIN_STATES } from '#domain/dns/health.ts';
import { DOMAIN_TEST_CHECKS, DOMAIN_TEST_STATES } from '#domain/dns/test-mail.ts';
import { call } from './call.ts';
import { listCall } from './list.ts';
import { flag } from './wire.ts';

const MAX_DOMAIN_LENGTH = 253;

/** The ASCII name of a domain. Capitals become small. */
const domainName = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isDomainName, 'ドメインは example.co.jp の形で入力してください（日本語ドメインは xn-- で始まる形にします）')
  .meta({ documentedAs: z.string().max(MAX_DOMAIN_LENGTH), examples: ['example.co.jp'] });

const result = z.object({
  level: z.enum(CHECK_LEVELS).meta({
    description:
      '`good` は正しく設定されています。`look` は確かめたい点があります。`bad` は、届かない原因になります。`unknown` はDNSが答えませんでした。',
    examples: ['bad'],
  }),
  message: z.string().meta({ description: '利用者に見せる文です。', examples: ['DMARCレコードがありません。'] }),
  remedy: z
    .string()
    .meta({ description: '直し方です。なければ空です。', examples: ['次のTXTレコードをDNSに追加してください。'] }),
  setting: z
    .string()
    .optional()
    .meta({
      description: 'このサーバーの設定で直せるとき、その設定のしかたです。なければありません。',
      examples: ['PUBLIC_URL に、社外から開けるhttpsのアドレスを設定します。'],
    }),
  found: z.array(z.string()).meta({ description: '見つかった値です（10件、1件500文字まで）。', examples: [[]] }),
  record: z
    .object({
      type: z.literal('TXT').describe('レコードの種類です。'),
      name: z.string().meta({ description: 'レコードの名前です。', examples: ['_dmarc.example.co.jp'] }),
      value: z.string().meta({
        description:
          '設定する値です。255文字を超える値は、ゾーンファイルと同じく、255文字までの文字列に分け、それぞれを `"` で囲みます。',
        examples: ['v=DMARC1; p=none'],
      }),
    })
    .nullable()
    .describe('DNSに設定するレコードです。示せなければ null です。'),
  checked_at: z.string().meta({
    description: 'DNSが答えた日時です。`unknown` では、確かめた日時です。',
    examples: ['2026/11/23 12:00:00'],
  }),
});

const finding = result.extend({
  check: z.enum(DOMAIN_CHECKS).meta({
    description:
      '確かめたことです。`mx`（メールの受け取り）、`spf`、`dkim`、`dmarc`、`alignment`（差出人とDKIM・返送先のドメインの一致）、`one_click`（ワンクリック停止）です。',
    examples: ['dmarc'],
  }),
});

const testFinding = result.extend({
  check: z.enum(DOMAIN_TEST_CHECKS).meta({
    description:
      '確かめたことです。届いたメールの `mail_spf`、`mail_dkim`、`mail_dmarc`、`ptr`（逆引きと名乗り）です。届かずに戻ったときは `arrival` だけです。',
    examples: ['ptr'],
  }),
});

const selfTest = z.object({
  state: z.enum(DOMAIN_TEST_STATES).meta({
    description:
      '`off` は送れません（RETURN_ADDRESS がないか、メールがこのマシンから出ない設定）。`none` はまだ送っていません。' +
      '`waiting` は届くのを待っています。`late` は10分たっても届いていません。`arrived` は届き、確かめました。',
    examples: ['arrived'],
  }),
  sent_at: z
    .string()
    .nullable()
    .meta({ description: '最後に送った日時です。まだなら null です。', examples: ['2026/11/23 12:00:00'] }),
  arrived_at: z
    .string()
    .nullable()
    .meta({
      description: '結果のもとになったメールが届いた日時です。まだなら null です。',
      examples: ['2026/11/23 12:00:05'],
    }),
  checks: z.array(testFinding).describe('最後に届いたメールの結果です。ドメインの `state` には数えません。'),
});

const row = z.object({
  domain: z.string().meta({ description: '差出人のドメインです。', examples: ['example.co.jp'] }),
  senders: z.int().meta({ description: 'このドメインを使う、有効な差出人の数です。', examples: [2] }),
  state: z.enum(DOMAIN_STATES).meta({
    description:
      '`unchecked` はまだ確かめていません。`good` は正常、`bad` は要対応、`unknown` は確認できない項目があります。`look` だけなら `good` です。',
    examples: ['bad'],
  }),
  is_due: flag.meta({
    description: '結果が古いか、まだないなら1です。`POST /domain_health/check` で確かめます。',
    examples: [0],
  }),
  needs_acknowledgement: flag.meta({
    description: '要対応で、メールが社外に出る設定なら1です。画面は送る前に確認を求めます。送信は拒否されません。',
    examples: [1],
  }),
  checked_at: z
    .string()
    .nullable()
    .meta({ description: '最後に確かめた日時です。まだなら null です。', examples: ['2026/11/23 12:00:00'] }),
  failed_at: z
    .string()
    .nullable()
    .meta({
      description:
        '最後に確かめたとき、DNSが答えない項目があったなら、その日時です。答えなかった項目は、前の結果のままです。すべて答えたなら null です。',
      examples: [null],
    }),
  checks: z.array(finding).describe('項目ごとの結果です。'),
  self_test: selfTest.describe('自己診断メールです。'),
});

/** What the DNS answers of one domain may be 30 kB. */
const MAX_LISTED_DOMAINS = 100;

export const listDomainHealth = listCall({
  path: '/domain_health/list',
  name: 'DomainHealth',
  summary: '差出人のドメインの状態の一覧',
  description:
    '有効な送信者のメールアドレスのドメインごとに1つ、ドメインの順です。最後に確かめた結果を返し、DNSには問い合わせません。' +
    '結果は、正常なら1時間、そうでなければ5分で古くなります（`is_due`）。',
  where: { domain: domainName.optional() },
  row,
  maxRows: MAX_LISTED_DOMAINS,
});

export const checkDomainHealth = call({
  method: 'POST',
  path: '/domain_health/check',
  summary: '差出人のドメインをDNSで確かめる',
  description: `MX、SPF、DKIM、DMARCのレコードをDNSに問い合わせ、結果を保存します（5秒以内）。

- DNSが答えない項目は、前の結果のままにします（\`failed_at\`）。前の結果もなければ \`unknown\` です。
- SPFは、受信側と同じように参照をたどって判定します。SMTPサーバーから先の中継は、ここでは確かめられません。`,
  errors: ['not_found', 'too_many_checks'],
  body: z.strictObject({ domain: domainName.describe('確かめるドメインです。') }),
  response: row,
});

export const testDomainHealth = call({
  method: 'POST',
  path: '/domain_health/send_test',
  summary: '自己診断メールを送る',
  description: `差出人のドメインのメールを、このサーバーが読むメールボックス（RETURN_ADDRESS のアドレス）に1通送ります。

- 届いたメールのヘッダーから、SPF、DKIM、DMARC、送信サーバーの逆引きを確かめます。結果は数秒から数分で \`self_test\` に入ります。
- 前の結果は、次のメールが届くまで残ります。`,
  errors: ['not_found', 'no_inbox', 'too_many_mails', 'mail_not_sent'],
  body: z.strictObject({ domain: domainName.describe('差出人のドメインです。') }),
  response: row,
});
