import type { DomainCheck } from '#domain/domain-health.ts';
import { LIST_SEPARATOR } from '#web/lib/phrases.ts';

const CHECK_NAMES: Readonly<Record<DomainCheck, string>> = {
  mx: 'メールの受け取り（MX）',
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  alignment: 'ドメインの一致',
  one_click: 'ワンクリック停止',
};

/** The texts of the state of the senders' domains (設定 › ドメイン). */
export const DOMAIN_MESSAGES = {
  title: 'ドメイン',
  help: '差出人のメールアドレスのドメインが、届きやすい設定になっているかをDNSで確かめます。',
  catcherHelp:
    'メールはこのマシンから出ないため（メールキャッチャー）、自動では確かめません。設定の準備には「再確認」を使えます。',
  none: '差出人のドメインがまだありません',
  noneHelp: '送信者を追加すると、そのドメインの状態がここに出ます。',
  openGroups: '送信者グループを開く',
  senders: (senders: number) => `送信者 ${senders.toLocaleString('ja-JP')}`,
  states: { unchecked: '未確認', good: '正常', bad: '要対応', unknown: '確認できません' },
  checking: '確認中',
  checkedAt: (at: string) => `最終確認 ${at}`,
  failedHelp: (at: string) => `${at}の確認では、DNSが答えない項目がありました。その項目は前の結果です。`,
  uncheckedHelp: 'このドメインは、まだ確かめていません。',
  recheck: '再確認',
  recheckOf: (domain: string) => `${domain}を再確認`,
  checksOf: (domain: string) => `${domain}の確認結果`,
  checks: CHECK_NAMES,
  levels: { good: '正常', look: '確認', bad: '要対応', unknown: '確認できません' },
  olderThan: (at: string) => `${at}の結果`,
  found: '見つかった値',
  record: '設定する値',
  recordType: '種類',
  recordName: '名前',
  recordValue: '値',
  copyName: '名前をコピー',
  copyValue: '値をコピー',
  copied: 'コピーしました',
  notCopied: 'コピーできませんでした。文字を選んでコピーしてください',
  mark: 'ドメイン要対応',
  markHelp: (domain: string) => `${domain}の設定に問題があります。設定の「ドメイン」で直し方を確かめられます。`,
  order: {
    good: '差出人のドメインは正常です（SPF・DKIM・DMARC）',
    bad: (domain: string, checks: readonly DomainCheck[]) =>
      `${domain}の設定に問題があります（${checks.map((check) => CHECK_NAMES[check]).join(LIST_SEPARATOR)}）。` +
      '迷惑メールと判断されたり、拒否されたりすることがあります',
    unknown: (domain: string) => `${domain}の状態を確認できません（DNSに接続できません）。このまま送れます`,
    checking: '差出人のドメインを確認しています…',
    tick: 'ドメインの設定に問題があることを理解して送信します',
    open: 'ドメインの状態を開く',
  },
} as const;
