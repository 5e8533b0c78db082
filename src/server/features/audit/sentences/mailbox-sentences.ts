import { MAILBOX_KIND_NAMES } from '#contract/senders/mailboxes-names.ts';
import type { MailboxEvents } from '../mailbox-events.ts';
import { labelled, namesOf, note, type Sentences, wordOf } from './sentence.ts';

const FIELDS = {
  name: '名前',
  address: 'アドレス',
  smtp_host: 'SMTPサーバー',
  smtp_port: 'ポート',
  security: '暗号化',
  username: 'ユーザー名',
  imap_host: 'IMAPサーバー',
  reads_replies: '返信の受信',
  per_day: '1日の上限',
  per_minute: '1分の上限',
  owner_id: '持ち主',
  password: 'パスワード',
  other_from: 'ほかの差出人のアドレス',
};

export const MAILBOX_SENTENCES: Sentences<MailboxEvents> = {
  mailbox_added: {
    group: 'senders',
    text: ({ address, mailbox_kind, is_shared }) =>
      `メールボックスを追加しました${note(address, wordOf(MAILBOX_KIND_NAMES, mailbox_kind), is_shared === true && '共有')}`,
  },
  mailbox_changed: {
    group: 'senders',
    text: ({ address, fields }) =>
      `メールボックスを変更しました${note(address, labelled('項目', namesOf(FIELDS, fields)))}`,
  },
  mailbox_connected: { group: 'senders', text: ({ address }) => `メールボックスをつなぎました${note(address)}` },
  mailbox_disconnected: { group: 'senders', text: ({ address }) => `メールボックスを切断しました${note(address)}` },
  mailbox_lost: {
    group: 'senders',
    by: 'メールサーバー',
    text: ({ address, reply }) => `メールボックスのログインを断りました${note(address, reply)}`,
  },
  oauth_app_changed: {
    group: 'senders',
    text: ({ provider, client_id, secret_changed }) =>
      `メールボックスをつなぐアプリケーションを登録しました${note(
        wordOf(MAILBOX_KIND_NAMES, provider),
        client_id,
        secret_changed === true && 'シークレットも変更',
      )}`,
  },
};
