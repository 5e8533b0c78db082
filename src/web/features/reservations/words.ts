import { LATEST_START_MINUTES } from '#domain/limits.ts';
import { companies } from '#web/lib/phrases.ts';

/** The texts of the reservation tab. */
export const RESERVATION_MESSAGES = {
  list: '予約リスト',
  label: '予約',
  all: 'すべて表示',
  option: ({ label, isTest, isMissed }: { label: string; isTest: boolean; isMissed: boolean }) =>
    `${label}${isTest ? '（テスト）' : ''}${isMissed ? '（送信されませんでした）' : ''}`,
  waits: (label: string, reason: string) =>
    `${label}の予約は、まだ送信できていません。${reason}原因が解消されると、予約日時から${LATEST_START_MINUTES}分以内に限り自動で送信します。`,
  missed: (label: string, reason: string | null) =>
    `${label}の予約は、送信されませんでした。${reason ?? `予約日時から${LATEST_START_MINUTES}分以内に送信を始められませんでした。`}予約を削除すると、対象の会社をもう一度選べます。`,
  suppressedHelp: (label: string, companies: number) =>
    `${label}の予約のうち${companies.toLocaleString('ja-JP')}社は、配信停止のため送信しません。`,
  maybeRefusedHelp: (label: string, companies: number) =>
    `${label}の予約のうち${companies.toLocaleString('ja-JP')}社は、返信の確認待ちです。会社の詳細で対応を選ぶまで、送信を保留します。`,
  repliedHelp: (label: string, companies: number) =>
    `${label}の予約のうち${companies.toLocaleString('ja-JP')}社は、返信があったため送信しません。`,
  remove: '予約を削除',
  nothingChosen: '削除対象が選択されていません',
  removed: '予約が削除されました',
  title: '予約の削除',
  testTitle: 'テスト予約の削除',
  question: '本当に予約を削除しますか？',
  consequence: '予約したメールは送信されなくなります。元に戻せません。',
  subject: '件名',
  sendAt: '予約日時',
  companies: '対象の会社',
  companyCount: companies,
  counting: '…社',
  empty: 'このテンプレートの予約はありません',
  emptyHelp: '「アタックリスト」タブで予約モードをオンにすると、日時を決めて予約できます。',
  noMatch: '条件に合う予約中の見込み客がありません',
  noMatchHelp: '絞り込みの条件を変更してください。',
  noSender: 'テンプレートがないため、予約を表示できません',
} as const;
