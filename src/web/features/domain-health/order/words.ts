import type { DomainCheck } from '#domain/dns/health.ts';
import type { DomainTestCheck } from '#domain/dns/test-mail.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';

export const DOMAIN_CHECK_MESSAGES: Readonly<Record<DomainCheck | DomainTestCheck, string>> = {
  mx: 'メールの受け取り（MX）',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  alignment: 'ドメインの一致',
  one_click: 'ワンクリック停止',
  arrival: '到着',
  mail_spf: '届いたメールのSPF',
  mail_dkim: '届いたメールのDKIM',
  mail_dmarc: '届いたメールのDMARC',
  ptr: '逆引きとHELO',
};

/** The texts of a sender's domain outside of its settings. */
export const ORDER_DOMAIN_MESSAGES = {
  mark: 'ドメイン要対応',
  markHelp: (domain: string) => `${domain}の設定に問題があります。設定の「ドメイン・受信」で直し方を確かめられます。`,
  order: {
    good: 'ドメイン（SPF・DKIM・DMARC）',
    bad: (domain: string, checks: readonly DomainCheck[]) =>
      `${domain}の設定に問題があります（${checks.map((check) => DOMAIN_CHECK_MESSAGES[check]).join(LIST_SEPARATOR)}）。` +
      '迷惑メールになりやすい状態です',
    unknown: (domain: string) => `${domain}の状態を確認できません（DNSに接続できません）。このまま送れます`,
    checking: '差出人のドメインを確認しています…',
    mend: '直し方',
    open: 'ドメインの状態を開く',
  },
} as const;
