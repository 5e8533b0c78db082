import { count } from './phrase-words.ts';

/** What is said about finished mails, under the rules of WORDS (words.ts). */
export const MAIL_PREVIEW_WORDS = {
  open: 'メールを確認',
  title: 'メールの確認',
  pager: 'メールの切り替え',
  previous: '前のメール',
  next: '次のメール',
  place: (page: number, total: number) => `${page.toLocaleString('ja-JP')} / ${count(total)}`,
  skipped: (skipped: number) => `ほかに${count(skipped)}が対象外になります`,
  none: '送信されるメールがありません',
  company: '会社名',
  subject: '件名',
  from: '差出人',
  to: '宛先',
  address: (name: string, address: string) => `${name}（${address}）`,
  bodies: '本文の形式',
  html: 'HTML',
  text: 'テキスト',
  htmlFrame: 'HTMLの本文',
  images: '外部の画像は、ここでは表示されません。',
  warnings: '送信前に確認が必要な点',
  noWarnings: '差し込み項目と敬称に問題はありません',
  blank: (field: string) => `差し込み項目「${field}」が空です`,
  blankBecause: {
    person_in_charge: '代表者が登録されていないため、宛名が「ご担当者様」になります',
    candidate_dates: '候補日を入れる設定ではないため、候補日の欄が空になります',
  },
  fields: {
    company_name: '会社名',
    'sender.person_in_charge': '送信者の担当者',
    'sender.email': '送信者のメールアドレス',
    'account.name': 'アカウントの氏名',
    'account.company': 'アカウントの会社名',
  },
  doubled: (text: string) => `敬称が重なっています：${text}`,
} as const;
