import type { InboxState } from './inbox-query.ts';

/** The texts of the state of the mailbox for bounces and replies (設定 › ドメイン・受信). */
export const INBOX_MESSAGES = {
  title: '受信',
  help: '届かずに戻ったメールや返信が届くメールボックスの状態です。すべてのアカウントで共通です。',
  states: { reading: '正常', failing: '読めていません', waiting: '確認中' },
  readAt: (at: string) => `最終確認 ${at}`,
  neverReadHelp: 'まだ一度も読み終えていません。',
  faultHelp: {
    connection: 'メールサーバーに接続できません。サーバーが動いているか、ホスト名とポートの設定を確かめてください。',
    login: 'メールサーバーにログインできません。ユーザー名とパスワードの設定を確かめてください。',
    mailbox: 'メールボックスを開けません。メールボックスの名前の設定を確かめてください。',
    other: '読み取り中に問題が起きました。ログに詳しい内容があります。',
  } satisfies Record<NonNullable<InboxState['fault']>, string>,
  staleHelp: '10分以上、だれも読んでいません。ワーカーが動いているか、受信の設定が残っているかを確かめてください。',
  settingHelp: '接続先とメールボックスは INBOX_URL、パスワードは INBOX_PASSWORD で設定します。',
  meanwhileHelp: '読めない間も、送信は続きます。直ると、たまったメールから読み、自動で反映します。',
  counts: '読んだメール',
  mails: '読んだメール',
  unmatched: 'どの送信とも関係がないメール',
  skipped: '読み取れなかったメール',
  leftHelp: 'どの送信とも関係がないメールと、読み取れなかったメールは、メールボックスに残しています。',
  off: '受信の設定がありません',
  offHelp:
    '届かずに戻ったメールや返信を読むと、結果に反映できます。設定するまで、後から戻ったメールの送信は「送信済み」のままです。' +
    'メールサーバーから直接渡す設定のときは、ここには表示しません。',
  offSettingHelp: 'INBOX_URL、INBOX_PASSWORD、RETURN_ADDRESS を設定します。',
} as const;
