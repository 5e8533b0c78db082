import { SENT_COUNT_DAYS } from '#domain/limits.ts';
import { count, mails } from '#web/lib/phrases.ts';

/** The texts of the list of templates. */
export const TEMPLATE_LIST_MESSAGES = {
  title: 'テンプレート',
  create: 'テンプレートを作成',
  search: '名前・件名で探す',
  folder: 'フォルダー',
  folders: { all: 'すべて', none: 'フォルダーなし', archived: 'アーカイブ' },
  folderOf: (name: string, templates: number) => `${name}（${templates.toLocaleString('ja-JP')}）`,
  matches: (templates: number) => count(templates),
  order: '並べ替え',
  orders: {
    updated_at: '更新の新しい順',
    name: '名前順',
    sent: '送信の多い順',
    reply_rate: '返信率の高い順',
  },
  senders: '使う差出人',
  moreSenders: (others: number) => `ほか${others.toLocaleString('ja-JP')}人`,
  noSender: '使う差出人はまだいません',
  unsent: `${SENT_COUNT_DAYS}日間の送信なし`,
  counts: (sent: number, replyRate: string) => `${SENT_COUNT_DAYS}日間に${mails(sent)}・返信率 ${replyRate}%`,
  updated: (at: string, by: string | null) => `最終更新 ${at}${by === null ? '' : ` ${by}`}`,
  noThumbnail: 'このテンプレートからは、メールを作れません。開いて、誤りを直してください',
  sampleCompany: { company_name: '株式会社みどり製作所', person_in_charge: '緑川 花子' },
  actionsOf: (name: string) => `「${name}」の操作`,
  actions: { copy: '複製', archive: 'アーカイブ', restore: '元に戻す' },
  archiving: {
    title: 'テンプレートのアーカイブ',
    question: (name: string) => `「${name}」をアーカイブしますか？`,
    help: (people: number) =>
      `差出人${people.toLocaleString('ja-JP')}人が、このテンプレートで送れなくなります。元に戻しても、差出人は選び直す必要があります。`,
    reservations: '予約を見る',
  },
  archived: (name: string) => `「${name}」をアーカイブしました`,
  restored: (name: string) => `「${name}」を元に戻しました`,
  moved: (name: string) => `「${name}」を移動しました`,
  empty: 'テンプレートがまだありません',
  emptyHelp: '見本から始めると、すぐに送れます。',
  fromSample: '見本から作成',
  noMatch: '条件に合うテンプレートがありません',
  noArchived: 'アーカイブしたテンプレートはありません',
  clear: '条件をクリア',
} as const;

/** The texts of the dialog that creates a template. */
export const CREATE_MESSAGES = {
  title: 'テンプレートの作成',
  kind: '作成の方法',
  kinds: { blank: '白紙から作成', sample: '見本から作成', copy: '複製' },
  sample: '見本',
  samplesFailed: '見本を読み込めませんでした',
  field: (name: string) => `【${name}】`,
  copyOf: '複製するテンプレート',
  copyName: (name: string) => `${name}のコピー`,
  name: '名前（必須）',
  nameHelp: '見分けるための名前です。メールには入りません。',
  subject: '件名（必須）',
  folder: 'フォルダー',
  create: '作成',
  created: 'テンプレートを作成しました',
  missing: '入力してください',
} as const;

/** The texts of the folders. */
export const FOLDER_MESSAGES = {
  title: 'フォルダーの整理',
  manage: 'フォルダーを整理',
  newName: '新しいフォルダー',
  create: 'フォルダーを作成',
  name: '名前',
  nameOf: (name: string) => `「${name}」の名前`,
  save: '名前を変更',
  remove: '削除',
  removeOf: (name: string) => `フォルダー「${name}」を削除`,
  created: (name: string) => `フォルダー「${name}」を作成しました`,
  renamed: (name: string) => `フォルダーの名前を「${name}」に変更しました`,
  removed: (name: string) => `フォルダー「${name}」を削除しました`,
  none: 'フォルダーはまだありません',
  help: 'フォルダーは、空のときだけ削除できます。',
  move: { to: '移動先', none: 'フォルダーなし' },
} as const;
