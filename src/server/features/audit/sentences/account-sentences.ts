import { NOTICE_TITLES } from '#contract/notices/notices-names.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { EXPORT_NAMES } from '#domain/company/export-names.ts';
import { formatMinute, parseDateTime } from '#domain/time/tokyo-time.ts';
import type { LogInEvents } from '../log-in-events.ts';
import type { MemberEvents } from '../member-events.ts';
import type { AccountEvents } from '../record-audit.ts';
import { count, fromTo, labelled, type NameOf, note, type Sentences, wordOf } from './sentence.ts';

const WAYS = { password: 'パスワード', oidc: '会社のID' };
const SECOND_STEPS = { code: '認証アプリ', recovery: '復旧コード', device: 'コードを省略する端末' };
const REFUSALS = {
  password: 'パスワードの間違い',
  network: '許可されていないネットワーク',
  code: '認証コードの間違い',
  wait: '間違いが続いたための待ち時間',
  company: 'パスワードでのログインの停止中',
};

export const LOG_IN_SENTENCES: Sentences<LogInEvents> = {
  logged_in: {
    group: 'log_in',
    text: ({ way, second, network }) =>
      `ログインしました${note(wordOf(WAYS, way), wordOf(SECOND_STEPS, second), labelled('接続元', network))}`,
  },
  log_in_refused: {
    group: 'log_in',
    text: ({ reason, refusals, network }) =>
      `この人のアドレスでのログインを断りました${note(
        wordOf(REFUSALS, reason),
        refusals !== undefined && `1時間に${count(refusals, '回目')}`,
        labelled('接続元', network),
      )}`,
  },
  two_factor_on: { group: 'log_in', text: '二段階認証を設定しました' },
  two_factor_off: { group: 'log_in', text: '自分の二段階認証を解除しました' },
  recovery_code_used: {
    group: 'log_in',
    text: ({ left }) => `復旧コードを使いました${note(left !== undefined && `残り${count(left, '個')}`)}`,
  },
  recovery_codes_made: { group: 'log_in', text: '復旧コードを作り直しました' },
  session_ended: { group: 'log_in', text: ({ sessions }) => `自分のログインを${count(sessions, '件')}終了しました` },
};

const groupNames = (groups: readonly number[] | null | undefined, nameOf: NameOf): string =>
  groups === undefined ? '' : (groups?.map((id) => nameOf('group', id)).join('、') ?? 'すべて');

export const MEMBER_SENTENCES: Sentences<MemberEvents> = {
  invitation_cancelled: { group: 'members', text: '招待を取り消しました' },
  role_changed: {
    group: 'members',
    text: ({ from, to }) => `役割を${fromTo(wordOf(ROLE_NAMES, from), wordOf(ROLE_NAMES, to))}変更しました`,
  },
  member_groups_changed: {
    group: 'members',
    text: ({ from, to }, nameOf) =>
      `操作できる送信者グループを${fromTo(groupNames(from, nameOf), groupNames(to, nameOf))}変更しました`,
  },
  member_stopped: {
    group: 'members',
    text: ({ reservations, handed_over_to: heir }, nameOf) =>
      `利用を停止しました${note(heir ? `予約${count(reservations, '件')}は${nameOf('member', heir)}さんに引き継ぎ` : '')}`,
  },
  member_brought_back: { group: 'members', text: 'もう一度利用できるようにしました' },
  member_two_factor_removed: { group: 'members', text: '二段階認証を解除し、ログインを終えました' },
};

const FORMATS = { csv_utf8: 'CSV UTF-8', csv_cp932: 'CSV Shift_JIS', xlsx: 'Excel' };
const timeOf = (instant = ''): string => {
  const at = parseDateTime(instant);
  return at === null ? instant : formatMinute(at);
};
const JOBS = {
  export: '書き出し',
  import_check: '取り込みの確認',
  import_run: '取り込み',
  import_undo: '取り込みの取り消し',
};

const onOff = (label: string, value: 0 | 1 | undefined): string =>
  value === undefined ? '' : `${label} ${value === 1 ? 'オン' : 'オフ'}`;
const limit = (label: string, value: number | null | undefined, unit: string): string =>
  value === undefined ? '' : `${label} ${value === null ? 'なし' : count(value, unit)}`;
const NETWORKS_SHOWN = 5;
const networks = (label: string, all: readonly string[] = []): string =>
  all.length === 0
    ? ''
    : `${label}：${all.slice(0, NETWORKS_SHOWN).join('、')}${
        all.length > NETWORKS_SHOWN ? `ほか${count(all.length - NETWORKS_SHOWN, '件')}` : ''
      }`;
const kinds = (label: string, off: readonly string[] = []): string =>
  off.length === 0
    ? ''
    : `${label}：${off.map((kind) => NOTICE_TITLES[kind as keyof typeof NOTICE_TITLES]?.(null) ?? kind).join('、')}`;

export const ACCOUNT_SENTENCES: Sentences<AccountEvents> = {
  account_created: { group: 'operator', text: ({ email }) => `アカウントを作成しました${note(email)}` },
  demo_created: { group: 'operator', text: 'お試し用のデータを用意しました' },
  profile_changed: {
    group: 'account',
    text: ({ name, company }) => `登録情報を変更しました${note(labelled('氏名', name), labelled('会社名', company))}`,
  },
  password_changed: { group: 'log_in', text: '自分のパスワードを変更しました' },
  password_reset_requested: {
    group: 'log_in',
    by: 'ログイン画面の訪問者',
    text: 'パスワードの再設定のメールを送りました',
  },
  password_reset: { group: 'log_in', text: 'メールのリンクで、パスワードを設定し直しました' },
  password_set_by_operator: { group: 'operator', text: 'パスワードを設定し直しました' },
  email_changed: {
    group: 'log_in',
    text: ({ from = '', to = '' }) => `自分のメールアドレスを${fromTo(from, to)}変更しました`,
  },
  email_set_by_operator: {
    group: 'operator',
    text: ({ from = '', to = '' }) => `メールアドレスを${fromTo(from, to)}変更しました`,
  },
  email_change_notice_failed: {
    group: 'log_in',
    text: ({ to }) => `メールアドレスの変更を、元のアドレスに知らせられませんでした${note(to)}`,
  },
  host_set_by_operator: {
    group: 'operator',
    text: ({ host }) => (host ? `専用のアドレスを設定しました${note(host)}` : '専用のアドレスをやめました'),
  },
  frozen_by_operator: { group: 'operator', text: 'データの移行のため、アカウントを止めました' },
  thawed_by_operator: {
    group: 'operator',
    text: ({ held }) =>
      `止めていたアカウントを再開しました${note(held ? `その間に届いた要求 ${count(held, '件')}` : '')}`,
  },
  account_moved: { group: 'operator', text: ({ to }) => `アカウントを別のサーバーに移しました${note(to)}` },
  account_arrived: { group: 'operator', text: 'アカウントを別のサーバーから受け入れました' },
  secrets_reset_by_operator: {
    group: 'operator',
    text: ({ member_ids = [], oidc, mailbox_ids = [] }, nameOf) =>
      `失われた鍵で封じた値を削除しました${note(
        member_ids.length > 0 && `二段階認証：${member_ids.map((id) => nameOf('member', id)).join('、')}`,
        oidc === true && '会社のIDでのログイン',
        mailbox_ids.length > 0 && `メールボックス${count(mailbox_ids.length, '件')}`,
      )}`,
  },
  restored: {
    group: 'operator',
    text: ({ backup_at }) =>
      `データベースをバックアップから復元しました${note(labelled('バックアップの日時', timeOf(backup_at)))}`,
  },
  sending_resumed: { group: 'operator', text: 'データベースが過去の状態に戻ったあとの送信を再開しました' },
  first_steps_dismissed: {
    group: 'account',
    text: ({ dismissed }) =>
      dismissed === false ? '「はじめかた」をもう一度表示しました' : '「はじめかた」を閉じました',
  },
  notice_settings_changed: {
    group: 'account',
    text: ({ screen_off, mail_off, failure_percent, morning_summary }) =>
      `自分の通知を変更しました${note(
        kinds('画面で受け取らない', screen_off),
        kinds('メールで受け取らない', mail_off),
        failure_percent !== undefined && `失敗の割合 ${failure_percent}%`,
        onOff('朝のまとめ', morning_summary === undefined ? undefined : morning_summary ? 1 : 0),
      )}`,
  },
  account_rule_changed: {
    group: 'rules',
    text: (rule) =>
      `アカウントの決まりを変更しました${note(
        limit('送信の取り消し', rule.undo_seconds, '秒'),
        limit('1日の上限', rule.per_day, '通'),
        limit('同じドメインの上限', rule.per_domain, '通'),
        onOff('グループをまたぐ再送信間隔', rule.across_groups),
        onOff('書き出しを管理者だけにする', rule.export_needs_admin),
        onOff('全員に二段階認証を求める', rule.two_factor_required),
        networks('許可したネットワーク', rule.login_networks?.added),
        networks('許可をやめたネットワーク', rule.login_networks?.removed),
        onOff('パスワードでのログインを止める', rule.password_off),
      )}`,
  },
  oidc_changed: {
    group: 'rules',
    text: ({ active, issuer, domains = [], secret_changed }) =>
      `会社のIDでのログインを設定しました${note(
        active === 0 && 'オフ',
        issuer,
        domains.join('、'),
        secret_changed === true && 'シークレットも変更',
      )}`,
  },
  login_networks_removed_by_operator: {
    group: 'operator',
    text: ({ removed }) =>
      `どのネットワークからも使えるようにしました${note(networks('許可をやめたネットワーク', removed))}`,
  },
  member_invited: {
    group: 'members',
    text: ({ email, role }) => `メンバーを招待しました${note(email, wordOf(ROLE_NAMES, role))}`,
  },
  invitation_accepted: {
    group: 'members',
    text: ({ email, role }) => `招待を受けて、メンバーになりました${note(email, wordOf(ROLE_NAMES, role))}`,
  },
  member_added_by_operator: {
    group: 'operator',
    text: ({ email, role }) => `メンバーを追加しました${note(email, wordOf(ROLE_NAMES, role))}`,
  },
  member_erased_by_operator: { group: 'operator', text: '利用を停止した人の氏名とアドレスを消去しました' },
  mail_retention_changed: {
    group: 'data',
    text: ({ months }) => `メールの保存期間を変更しました${note(months === null ? '消さない' : count(months, 'か月'))}`,
  },
  export_started: {
    group: 'data',
    text: ({ what, format }) =>
      `${wordOf<string>(EXPORT_NAMES, what) || 'データ'}を書き出しました${note(wordOf<string>(FORMATS, format))}`,
  },
  export_deleted: { group: 'data', text: '書き出したファイルを削除しました' },
  job_cancelled: { group: 'data', text: ({ job_kind }) => `${wordOf<string>(JOBS, job_kind) || '処理'}を中止しました` },
};
