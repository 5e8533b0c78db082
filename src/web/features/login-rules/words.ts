import { MAX_LOGIN_NETWORKS } from '#domain/account/login-networks.ts';

/** The texts of the rules for the account's log-ins. */
export const LOGIN_RULE_MESSAGES = {
  title: 'ログインの決まり',
  help: 'このアカウントのメンバー全員のログインに適用します。',
  notAllowed: 'この画面は管理者だけが使えます',
  notAllowedHelp: '変更が必要なときは、管理者に依頼してください。',
  twoFactor: {
    title: '二段階認証',
    help: 'オンにすると、未設定の人は、自分の二段階認証を設定するまで、ほかの操作ができません。設定する画面だけが開きます。',
    required: '全員に二段階認証を求める',
    requiredMissing: (missing: number) => `全員に二段階認証を求める（未設定 ${missing.toLocaleString('ja-JP')}人）`,
    toAccount: 'アカウントを開く',
  },
  networks: {
    title: 'ネットワーク',
    help: '入力すると、そのネットワークからだけ、ログインと操作ができます。空なら、どこからでも使えます。メールの配信停止や返信の受け取りには影響しません。',
    label: '許可するネットワーク',
    labelHelp: `1行に1つ、${MAX_LOGIN_NETWORKS}件まで入力できます。\n入力例：203.0.113.7、203.0.113.0/24、2001:db8::/32`,
    tooMany: `許可するネットワークは${MAX_LOGIN_NETWORKS}件までです`,
    atLine: (line: number, fault: string) => `${line}行目：${fault}`,
    here: (address: string) => `このサーバーから見た現在の接続元：${address}`,
    hereUnknown: 'このサーバーからは、現在の接続元が分かりません',
    add: '追加',
    addOf: (network: string) => `${network}を追加`,
    unsaved: '保存していない変更があります',
    consequence: '保存していない変更があります。保存すると、ほかの場所で開いている人は、すぐに使えなくなります。',
    saved: 'ネットワークを保存しました',
    save: 'ネットワークを保存',
    leaving: { question: '変更を破棄して移動しますか？', leave: '破棄して移動' },
  },
} as const;
