import type { Page } from 'playwright-core';
import { txtRecord } from '#domain/dns/health.ts';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, press, pressOrder, when } from './walk-steps.ts';

const LIST = '/domain_health/list';
const CHECK = '/domain_health/check';
const DOMAIN = 'kaitaku-demo.example';
const AT = '2026/11/23 12:00:00';

const good = (check: string, message: string, found: readonly string[] = []) => ({
  check,
  level: 'good',
  message,
  remedy: '',
  found,
  record: null,
  checked_at: AT,
});

/** A domain with a finding of each level. */
const FAULTY = {
  domain: DOMAIN,
  senders: 2,
  state: 'bad',
  is_due: 0,
  needs_acknowledgement: 1,
  checked_at: AT,
  failed_at: AT,
  checks: [
    { ...good('mx', 'メールを受け取るサーバーがあります。', [`mx1.${DOMAIN}`]), checked_at: '2026/11/23 11:00:00' },
    {
      ...good('spf', '送信サーバー（smtp.relay.example）がSPFレコードに含まれるかを確かめられません。', [
        'v=spf1 include:_spf.relay.example ~all',
      ]),
      level: 'look',
      remedy: '送信サーバーの提供元が案内する値がSPFレコードに入っているかを確かめてください。',
    },
    {
      ...good('dkim', 'DKIMの公開鍵が、このサーバーの秘密鍵と一致しません。', ['v=DKIM1; p=']),
      level: 'bad',
      remedy: '次のTXTレコードをDNSに設定してください。',
      record: txtRecord(`k1._domainkey.${DOMAIN}`, `v=DKIM1; k=rsa; p=${'MIIBIjANBgkq'.repeat(30)}`),
    },
    {
      ...good('dmarc', '確認できません（DNSの応答：SERVFAIL）。'),
      level: 'unknown',
      remedy: 'しばらくしてから、再確認してください。',
    },
    good('alignment', '差出人とDKIM・返送先（Return-Path）のドメインが一致します。'),
    good('one_click', 'ワンクリック停止のヘッダーを付け、DKIMで署名しています。'),
  ],
  self_test: {
    state: 'arrived',
    sent_at: AT,
    arrived_at: '2026/11/23 12:00:06',
    checks: [
      good('mail_spf', '届いたメールは、SPFに合格しました。', ['160.16.0.1', DOMAIN]),
      {
        ...good('mail_dkim', '届いたメールに、DKIMの署名がありません。'),
        level: 'look',
        remedy:
          '署名がないと、転送されたメールは認証に合格しません。DKIMの署名を付けるよう、管理者に依頼してください。',
      },
      good('mail_dmarc', '届いたメールは、DMARCに合格しました。'),
      {
        ...good('ptr', '逆引きがありません。', ['160.16.0.1', 'HELO relay']),
        level: 'bad',
        remedy: '送信サーバー（160.16.0.1）の逆引きの設定を、サーバーの提供元に依頼してください。',
      },
    ].map((one) => ({ ...one, checked_at: '2026/11/23 12:00:06' })),
  },
};

/** Domains whose test mails were sent and do not arrive. */
const TESTED = (['none', 'waiting', 'late'] as const).map((state) => ({
  ...FAULTY,
  domain: `${state}.${DOMAIN}`,
  state: 'good',
  failed_at: null,
  checks: FAULTY.checks.slice(4),
  self_test: { state, sent_at: state === 'none' ? null : AT, arrived_at: null, checks: [] },
}));

/** Walks through the state of the domains: not checked yet, with faults, tested, and without senders. */
export async function* domains(page: Page, url: string): AsyncGenerator<string> {
  await page.goto(`${url}/settings/domains`);
  yield* when(page, 'このドメインは、まだ確かめていません。', 'settings-domains-unchecked');
  await intercept(page, CHECK, (route) => route.fulfill({ json: FAULTY }));
  await press(page, `${DOMAIN}を今すぐ確認`);
  await page.getByText('見つかった値').first().click();
  await page.evaluate(`scrollTo(0, 0); document.querySelector('main').scrollTop = 0`);
  yield* when(page, '設定する値', 'settings-domains');
  letThrough(page, CHECK);
  await intercept(page, LIST, (route) => route.fulfill({ json: TESTED }));
  await page.reload();
  yield* when(page, '届くのを待っています', 'settings-domains-tested');
  letThrough(page, LIST);
  await intercept(page, LIST, (route) => route.fulfill({ json: [] }));
  await page.reload();
  yield* when(page, '差出人のドメインがまだありません', 'settings-domains-none');
  letThrough(page, LIST);
}

/** Walks through the dialog of a real send from a domain with faults, on a server that sends mails out. */
export async function* faultyDomain(page: Page): AsyncGenerator<string> {
  const catcher = `document.querySelector('meta[name="mail-catcher"]')`;
  const before = await page.evaluate<string>(`${catcher}.content`);
  await page.evaluate(`${catcher}.content = ''`);
  await intercept(page, LIST, (route) => route.fulfill({ json: [FAULTY] }));
  // The result that the page has loaded is due for another check.
  await intercept(page, CHECK, (route) => route.fulfill({ json: FAULTY }));
  await pressOrder(page);
  yield* when(page, /の設定に問題があります（DKIM）/, 'send-dialog-domain');
  await closeDialog(page);
  letThrough(page, LIST);
  letThrough(page, CHECK);
  await page.evaluate(`${catcher}.content = ${JSON.stringify(before)}`);
}
