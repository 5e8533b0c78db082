import { z } from 'zod';
import { isDomainName } from '#domain/dns/domain-name.ts';
import { CHECK_LEVELS, DOMAIN_CHECKS, DOMAIN_STATES } from '#domain/dns/health.ts';
import { DOMAIN_TEST_CHECKS, DOMAIN_TEST_STATES } from '#domain/dns/test-mail.ts';
import { call } from '../call.ts';
import { listCall } from '../list.ts';
import { flag } from '../wire.ts';

const MAX_DOMAIN_LENGTH = 253;

/** The ASCII name of a domain, in lower case. */
const domainName = z
  .string()
  .transform((text) => text.toLowerCase())
  .refine(isDomainName, 'ドメインは example.co.jp の形で入力してください（日本語ドメインは xn-- で始まる形にします）')
  .meta({ documentedAs: z.string().max(MAX_DOMAIN_LENGTH) });

const result = z.object({
  level: z.enum(CHECK_LEVELS).describe('`good` は正しく設定されています。'),
  message: z.string().describe('利用者に見せる文です。'),
  remedy: z.string().describe('直し方です。なければ空です。'),
  setting: z.string().optional().describe('このサーバーの設定で直せるとき、その設定のしかたです。なければありません。'),
  found: z.array(z.string()).describe('見つかった値です（10件、1件500文字まで）。'),
  record: z
    .object({
      type: z.literal('TXT').describe('レコードの種類です。'),
      name: z.string().describe('レコードの名前です。'),
      value: z.string().describe('設定する値です。'),
    })
    .nullable()
    .describe('DNSに設定するレコードです。示せなければ null です。'),
  checked_at: z.string().describe('DNSが答えた日時です。`unknown` では、確かめた日時です。'),
});

const finding = result.extend({
  check: z.enum(DOMAIN_CHECKS).describe('確かめたことです。'),
});

const testFinding = result.extend({
  check: z.enum(DOMAIN_TEST_CHECKS).describe('確かめたことです。'),
});

const selfTest = z.object({
  state: z
    .enum(DOMAIN_TEST_STATES)
    .describe('`off` は送れません（RETURN_ADDRESS がないか、メールがこのマシンから出ない設定）。'),
  sent_at: z.string().nullable().describe('最後に送った日時です。まだなら null です。'),
  arrived_at: z.string().nullable().describe('結果のもとになったメールが届いた日時です。まだなら null です。'),
  checks: z.array(testFinding).describe('最後に届いたメールの結果です。ドメインの `state` には数えません。'),
});

const row = z.object({
  domain: z.string().describe('差出人のドメインです。'),
  senders: z.int().describe('このドメインを使う、有効な差出人の数です。'),
  state: z.enum(DOMAIN_STATES).describe('`unchecked` はまだ確かめていません。'),
  is_due: flag.describe('結果が古いか、まだないなら1です。`POST /domain_health/check` で確かめます。'),
  needs_acknowledgement: flag.describe('要対応で、メールが社外に出る設定なら1です。'),
  checked_at: z.string().nullable().describe('最後に確かめた日時です。まだなら null です。'),
  failed_at: z.string().nullable().describe('最後に確かめたとき、DNSが答えない項目があったなら、その日時です。'),
  checks: z.array(finding).describe('項目ごとの結果です。'),
  self_test: selfTest.describe('自己診断メールです。'),
});

/** Limited, because the DNS records of one domain may take 30 kB. */
const MAX_LISTED_DOMAINS = 100;

export const listDomainHealth = listCall({
  path: '/domain_health/list',
  summary: '差出人のドメインの状態の一覧',
  where: { domain: domainName.optional() },
  row,
  maxRows: MAX_LISTED_DOMAINS,
});

export const checkDomainHealth = call({
  method: 'POST',
  path: '/domain_health/check',
  summary: '差出人のドメインをDNSで確かめる',
  errors: ['not_found', 'too_many_checks'],
  body: z.strictObject({ domain: domainName.describe('確かめるドメインです。') }),
  response: row,
});

export const testDomainHealth = call({
  method: 'POST',
  path: '/domain_health/send_test',
  summary: '自己診断メールを送る',
  errors: ['not_found', 'no_inbox', 'too_many_mails', 'mail_not_sent'],
  body: z.strictObject({ domain: domainName.describe('差出人のドメインです。') }),
  response: row,
});
