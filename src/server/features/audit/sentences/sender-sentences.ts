import { MAILBOX_KIND_NAMES } from '#contract/senders/mailboxes-names.ts';
import type { MailboxEvents } from '../mailbox-events.ts';
import type { SenderEvents, TemplateEvents } from '../record-audit.ts';
import { count, labelled, namesOf, note, type Sentences, wordOf } from './sentence.ts';

const PERSON_FIELDS = {
  template_id: 'テンプレート',
  subject: '件名',
  person_in_charge: '名前',
  email: 'メールアドレス',
  bcc: 'BCC',
  reply_to: '返信先',
  signature: '署名',
  mails_per_minute: '送信速度',
  active: '有効・無効',
  mailbox_id: 'メールボックス',
};
const LEGAL_FIELDS = {
  official_name: '正式名称',
  department: '部署名',
  postal_code: '郵便番号',
  postal_address: '住所',
  contact_phone: '電話番号',
  contact_email: 'メールアドレス',
  contact_url: 'お問い合わせページのURL',
  refusal_email: '配信停止の受付先メール',
  privacy_url: '個人情報の取り扱いのURL',
  basis: '送信の根拠',
};

const MAILBOX_FIELDS = {
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

/** Says what a group or a sender is from now on; nothing where that did not change. */
const active = (isActive: boolean | undefined) => isActive !== undefined && (isActive ? '有効' : '無効');
const newAddress = (email: string | undefined) => email !== undefined && `新しいアドレス ${email}`;
const chosen = (label: string, ids: readonly number[] = []) => ids.length > 0 && `${label} ${count(ids.length, '件')}`;

export const SENDER_SENTENCES: Sentences<SenderEvents> = {
  sender_group_added: {
    group: 'senders',
    text: ({ group_name = '' }) => `送信者グループ${group_name === '' ? '' : `「${group_name}」`}を追加しました`,
  },
  sender_group_changed: {
    group: 'senders',
    text: ({ group_name, active: isActive }) =>
      `送信者グループを変更しました${note(group_name !== undefined && `名前 ${group_name}`, active(isActive))}`,
  },
  sender_added: { group: 'senders', text: ({ email }) => `送信者を追加しました${note(email)}` },
  sender_changed: {
    group: 'senders',
    text: ({ fields, email }) => `送信者を変更しました${note(namesOf(PERSON_FIELDS, fields), newAddress(email))}`,
  },
  sender_profile_changed: {
    group: 'senders',
    text: ({ fields, email }) => `差出人を変更しました${note(namesOf(PERSON_FIELDS, fields), newAddress(email))}`,
  },
  senders_chosen: {
    group: 'senders',
    text: ({ on, added, off }) =>
      `差出人とテンプレートの組み合わせを変更しました${note(
        chosen('追加', [...(on ?? []), ...(added ?? [])]),
        chosen('停止', off),
      )}`,
  },
  sender_confirmation_requested: { group: 'senders', text: ({ to }) => `差出人の確認メールを送りました${note(to)}` },
  sender_address_confirmed: {
    group: 'senders',
    by: '差出人のアドレスの持ち主',
    text: ({ email }) => `メールのリンクで、差出人のアドレスを確認しました${note(email)}`,
  },
  domain_test_requested: {
    group: 'senders',
    text: ({ domain }) => `ドメインの自己診断メールを送りました${note(domain)}`,
  },
  legal_profile_changed: {
    group: 'rules',
    text: ({ fields, confirmed }) =>
      `法定表示を変更しました${note(namesOf(LEGAL_FIELDS, fields), confirmed === true && '内容を確認')}`,
  },
  sending_hours_changed: {
    group: 'rules',
    text: ({ outside, on_holidays }) =>
      `送信できる時間を変更しました${note(
        outside !== undefined && (outside === 'hold' ? '時間外は待つ' : '時間外は知らせるだけ'),
        on_holidays !== undefined && (on_holidays ? '祝日も送信' : '祝日は送信しない'),
      )}`,
  },
  closing_days_added: {
    group: 'rules',
    text: ({ sender_group_id, days }) =>
      `休業日を追加しました${note(count(days, '件'), sender_group_id === null && 'すべてのグループ')}`,
  },
  closing_day_changed: { group: 'rules', text: '休業日を変更しました' },
  closing_day_removed: { group: 'rules', text: '休業日を削除しました' },
  sender_limit_changed: {
    group: 'rules',
    text: ({ per_day }) =>
      `差出人の1日の上限を変更しました${note(per_day === null ? '上限なし' : count(per_day, '通'))}`,
  },
  sender_pace_set_by_operator: {
    group: 'operator',
    text: ({ mails_per_minute, max_connections }) =>
      `差出人の送信速度を設定しました${note(
        mails_per_minute !== undefined &&
          (mails_per_minute === null ? '速度の上限なし' : `1分に${count(mails_per_minute, '通')}`),
        max_connections !== undefined && `接続 ${count(max_connections, '本')}`,
      )}`,
  },
};

export const TEMPLATE_SENTENCES: Sentences<TemplateEvents> = {
  sendgrid_footer_confirmed: {
    group: 'templates',
    text: ({ confirmed }) =>
      confirmed === false
        ? 'SendGridのテンプレートに法定表示が入ることの確認を取り消しました'
        : 'SendGridのテンプレートに法定表示が入ることを確認しました',
  },
  template_added: { group: 'templates', text: 'テンプレートを追加しました' },
  template_changed: {
    group: 'templates',
    text: ({ restored_version }) =>
      `テンプレートを変更しました${note(restored_version !== undefined && `版${restored_version}の内容に戻す`)}`,
  },
  template_moved: {
    group: 'templates',
    text: ({ folder_id }, nameOf) =>
      folder_id
        ? `テンプレートをフォルダ「${nameOf('folder', folder_id)}」に移しました`
        : 'テンプレートをフォルダの外に移しました',
  },
  template_archived: {
    group: 'templates',
    text: ({ deactivated }) =>
      `テンプレートをアーカイブしました${note(deactivated ? `停止した送信者 ${count(deactivated, '件')}` : '')}`,
  },
  template_restored: { group: 'templates', text: 'テンプレートをアーカイブから戻しました' },
  template_test_requested: { group: 'templates', text: '自分へのテスト送信を始めました' },
  template_test_sent: {
    group: 'templates',
    text: ({ to }) => `テンプレートのテストメールを自分に送りました${note(to)}`,
  },
  template_folder_added: { group: 'templates', text: 'フォルダを追加しました' },
  template_folder_renamed: {
    group: 'templates',
    text: ({ name }) => `フォルダの名前を${name === undefined ? '' : `「${name}」に`}変更しました`,
  },
  template_folder_removed: {
    group: 'templates',
    text: ({ name }) => `フォルダ${name === undefined ? '' : `「${name}」`}を削除しました`,
  },
  sendgrid_template_set_by_operator: {
    group: 'operator',
    text: ({ sendgrid_template_id: id }) =>
      id ? `SendGridのテンプレートを設定しました${note(id)}` : 'SendGridのテンプレートの設定をやめました',
  },
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
      `メールボックスを変更しました${note(address, labelled('項目', namesOf(MAILBOX_FIELDS, fields)))}`,
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
