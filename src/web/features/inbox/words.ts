import type { InboxState } from './inbox-query.ts';

/** The texts of the state of the mailbox of bounces and answers (設定 › 受信). */
export const INBOX_MESSAGES = {
  title: '受信',
  help: '届かずに戻ったメールや返信が届くメールボックスの状態です。管理者が設定し、すべてのアカウントで共通です。',
  mailbox: 'メールボックス',
  states: { reading: '正常', failing: '読めていません', waiting: '確認中' },
  readAt: (at: string) => `最終確認 ${at}`,
  neverReadHelp: 'まだ一度も読み終えていません。',
  faultHelp: {
    connection:
      'メールサーバーに接続できません。サーバーが動いているか、INBOX_URLのホスト名とポートを確かめてください。',
    login: 'メールサーバーにログインできません。INBOX_URLのユーザー名と、INBOX_PASSWORDを確かめてください。',
    mailbox: 'メールボックスを開けません。INBOX_URLの最後の名前（INBOXなど）を確かめてください。',
    other: '読み取り中に問題が起きました。ログに詳しい内容があります。',
  } satisfies Record<NonNullable<InboxState['fault']>, string>,
  staleHelp: '10分以上、だれも読んでいません。ワーカーが動いているか、INBOX_URLが設定されたままかを確かめてください。',
  meanwhileHelp: '読めない間も、送信は続きます。直ると、たまったメールから読み、自動で反映します。',
  counts: '読んだメール',
  mails: '読んだメール',
  unmatched: 'どの送信とも関係がないメール',
  skipped: '読み取れなかったメール',
  leftHelp: 'どの送信とも関係がないメールと、読み取れなかったメールは、メールボックスに残しています。',
  off: '受信の設定がありません',
  offHelp:
    '届かずに戻ったメールや返信を読むには、管理者がINBOX_URL、INBOX_PASSWORD、RETURN_ADDRESSを設定します。設定するまで、後から戻ったメールの送信は「送信済み」のままです。' +
    'メールサーバーから直接渡す設定のときは、ここには表示しません。',
} as const;
