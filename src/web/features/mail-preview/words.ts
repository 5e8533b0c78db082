import { companies, mails } from '#web/lib/phrases.ts';

/** The texts of finished mails and what to check in them. */
export const MAIL_PREVIEW_MESSAGES = {
  title: 'メールの確認',
  pager: 'メールの切り替え',
  previous: '前のメール',
  next: '次のメール',
  place: (page: number, total: number) => `${page.toLocaleString('ja-JP')} / ${mails(total)}`,
  skipped: (skipped: number) => `ほかに${companies(skipped)}が対象外になります`,
  none: '送信されるメールがありません',
  company: '会社名',
  bodies: '本文の形式',
  html: 'HTML',
  text: 'テキスト',
  htmlFrame: 'HTMLの本文',
  images: '外部の画像は、ここでは表示されません。',
  white: '背景は、届くメールと同じ白です。',
  warnings: '送信前に確認が必要な点',
  noWarnings: '差し込み項目と敬称に問題はありません',
  blank: (field: string) => `差し込み項目「${field}」が空です`,
  blankBecause: {
    person_in_charge: '代表者や主担当の氏名がないため、宛名が「ご担当者様」になります',
    candidate_dates: '候補日を入れる設定ではないため、候補日の欄が空になります',
  },
  doubled: (text: string) => `敬称が重なっています：${text}`,
  garbled: (characters: string) => `文字化けの恐れ（${characters}）。別の文字をおすすめします`,
  longSubject: (length: number) => `件名が長すぎます（${length.toLocaleString('ja-JP')}字）。30字までをおすすめします`,
  imageOnly: '画像だけのメールです。迷惑メールと判断されやすいため、文字も入れてください',
  badLink: (link: string) => `リンクが開けません：${link}`,
  placeholder: (words: string) => `仮の語句が残っています：${words}`,
  noAttachment: (sentence: string) => `添付ファイルは付きません。文を確かめてください：${sentence}`,
  wrongWeekday: (date: string, right: string) =>
    right === '' ? `この日付はありません：${date}` : `曜日が違います：${date}。正しくは${right}曜日です`,
  pastDate: (date: string) => `過ぎた日付です：${date}`,
  clipped: (size: string) =>
    `HTMLが大きいため（${size}）、Gmailでは終わりが隠れ、法定表示と配信停止のリンクが見えません。100KBまでにしてください`,
  tooLarge: (size: string, max: string) =>
    `メールが大きすぎて送れません（約${size}）。メールサーバーが受け取れるのは${max}までです。本文を短くするか、埋め込んだ画像をリンクに変えてください`,
  checks: {
    failed: (reason: string) => `メールの内容を確認できませんでした。${reason}`,
    late: 'メールの内容の確認が終わりませんでした。送信するときに1通ずつ確認します',
    fine: (checked: number) => (checked === 1 ? '差し込みに問題なし' : `差し込み ${mails(checked)}とも問題なし`),
    partly: (checked: number, total: number) =>
      `${mails(total)}のうち${mails(checked)}まで確認しました。残りは、送信するときに1通ずつ確認します`,
    noPerson: (concerned: number) =>
      `代表者や主担当の氏名が空欄の会社 ${companies(concerned)}（「ご担当者様」で送ります）`,
    blankOwn: (field: string, concerned: number) => `${field}が空欄の会社 ${companies(concerned)}`,
    ofAll: (point: string, checked: number) => (checked === 1 ? point : `${point}（${mails(checked)}とも）`),
    ofSome: (point: string, concerned: number, names: string) => `${point}（${mails(concerned)}：${names}）`,
    andOthers: (names: string, others: number) => `${names} ほか${companies(others)}`,
    /** Of persons without the day on which they gave their card. */
    withoutMetOn: (targets: number) => `根拠の記録なし ${companies(targets)}（主担当の名刺交換日が空欄です）`,
    withoutSource: (targets: number) => `公開元の記録なし ${companies(targets)}`,
  },
} as const;
