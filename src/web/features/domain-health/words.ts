import type { DomainTestState } from '#domain/dns/test-mail.ts';
import { PRODUCT_NAME } from '#web/lib/words.ts';
import { DOMAIN_CHECK_MESSAGES } from './order/words.ts';

/** The texts of the state of the senders' domains (設定 › ドメイン・受信). */
export const DOMAIN_MESSAGES = {
  help: '差出人のメールアドレスのドメインが、届きやすい設定になっているかをDNSで確かめます。',
  catcherHelp: 'メールサーバーが未設定のため、自動では確かめません。設定は、ドメインごとのボタンで確かめられます。',
  none: '差出人のドメインがまだありません',
  noneHelp: '差出人を追加すると、そのドメインの状態がここに出ます。',
  openGroups: '送信者グループを開く',
  senders: (senders: number) => `差出人 ${senders.toLocaleString('ja-JP')}人`,
  states: { unchecked: '未確認', good: '正常', bad: '要対応', unknown: '確認できません' },
  checking: '確認中',
  checkedAt: (at: string) => `最終確認 ${at}`,
  failedHelp: (at: string) => `${at}の確認では、DNSが答えない項目がありました。その項目は前の結果です。`,
  uncheckedHelp: 'このドメインは、まだ確かめていません。',
  check: '今すぐ確認',
  checkOf: (domain: string) => `${domain}を今すぐ確認`,
  recheck: '再確認',
  recheckOf: (domain: string) => `${domain}を再確認`,
  checksOf: (domain: string) => `${domain}の確認結果`,
  checks: DOMAIN_CHECK_MESSAGES,
  levels: { good: '正常', look: '要確認', bad: '要対応', unknown: '確認できません' },
  olderThan: (at: string) => `${at}の結果`,
  found: '見つかった値',
  record: '設定する値',
  recordType: '種類',
  recordName: '名前',
  recordValue: '値',
  recordSplitHelp:
    '長い値なので、255文字までに分け、引用符（"）で囲んでいます。DNSの管理画面が1つの長い値を求めるときは、引用符とその間の空白を除いて入力してください。',
  copyName: '名前をコピー',
  copyValue: '値をコピー',
  test: {
    title: '自己診断メール',
    titleOf: (domain: string) => `${domain}の自己診断メール`,
    send: '自己診断メールを送る',
    sendOf: (domain: string) => `${domain}の自己診断メールを送る`,
    checksOf: (domain: string) => `${domain}の自己診断メールの結果`,
    waiting: '届くのを待っています',
    late: '届いていません',
    catcherHelp:
      '送信サーバーを設定すると、返信用のメールボックスに1通送り、届いたメールから逆引きなどを確かめられます。',
    offSettingHelp: 'RETURN_ADDRESS に、このサーバーが読むメールボックスのアドレスを設定します。',
    arrivedAt: (at: string) => `到着 ${at}`,
    help: {
      off: () =>
        '返信用のメールボックスに1通送り、届いたメールから逆引きなどを確かめられます。このサーバーの設定が必要です。',
      none: () =>
        '返信用のメールボックスに1通送り、届いたメールのSPF・DKIM・DMARCと、送信サーバーの逆引きを確かめます。',
      waiting: (at) => `${at}に送りました。届くと、結果がここに出ます。`,
      late: (at) =>
        `${at}に送ったメールが、まだ届きません。下の「受信」の状態と、迷惑メールのフォルダーを確かめてください。`,
      arrived: (at) => `${at}に送ったメールの結果です。DNSやサーバーの設定を変えたら、もう一度送ってください。`,
    } satisfies Record<DomainTestState, (at: string) => string>,
  },
  /** What the administrator of the domain can change, and the letter that asks for it. */
  admin: {
    faults: (faults: number) => `${faults}つ直すと届きやすくなります`,
    copy: 'ドメインの管理者に送る文面をコピー',
    copyOf: (domain: string) => `${domain}：ドメインの管理者に送る文面をコピー`,
    beginHelp: (domain: string) => `メールの差出人に使っているドメイン ${domain} の設定について、確認をお願いします。`,
    faultsHelp: '次のところを直すと、メールが届きやすくなります。',
    doubtsHelp: '次のところは、こちらでは確かめられないか、直すとさらに確実になります。',
    item: (place: number, check: string) => `${place}. ${check}`,
    line: (name: string, value: string) => `${name}：${value}`,
    /** What findings call our server, and what readers outside call it. */
    ours: ['このサーバー', `${PRODUCT_NAME}のサーバー`],
  },
} as const;
