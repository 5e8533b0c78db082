import { companies, FIGURE_SEPARATOR, mails } from '#web/lib/phrases.ts';

/** The texts of the dialogs that send and reserve. */
export const SENDING_MESSAGES = {
  reserving: {
    title: (at: string, action: string) => `${at}に${action}`,
    question: '本当に予約しますか？',
    consequence: '予約は、送信が始まるまで削除できます。',
    tickHelp: '上の項目を確かめてチェックすると、予約できます。',
    blockedHelp: '足りない表示を整えると、予約できます。',
    into: (targets: number) =>
      `同じ日時に予約があります。その予約に${companies(targets)}を加え、候補日を今回の内容に置き換えます。`,
    candidateDates: '候補日',
    progress: 'メールを予約中',
    progressUpdate: 'メール予約を更新中',
    added: 'メールが予約されました',
    updated: 'メールの予約が更新されました',
    summary: (at: string, targets: number) => `${at}・${companies(targets)}`,
    endsAbout: (at: string) => `終了の目安：${at}`,
    show: '予約を見る',
    already: 'アタックリストはすでに予約されています',
    nothing: '予約できる送信対象がありませんでした',
    skipped: (skipped: number, reasons: string) => `${companies(skipped)}は対象外になりました（${reasons}）`,
  },
  sending: {
    question: '本当に送信しますか？',
    tickHelp: '上の項目を確かめてチェックすると、送信できます。',
    blockedHelp: '足りない表示を整えると、送信できます。',
    testConsequence: 'テスト送信です。見込み客には送信されません。',
    followUp: 'フォローアップ',
    showMails: 'メールを見る',
    nothing: '送信できる会社がありません。メールは送信されませんでした',
  },
  /** For a test. */
  test: {
    send: (targets: number) => `${mails(targets)}をテスト送信`,
    reserve: (targets: number) => `${mails(targets)}のテスト送信を予約`,
  },
  /** For a send or a reservation to companies. */
  real: {
    send: (targets: number) => `${companies(targets)}に送信`,
    reserve: (targets: number) => `${companies(targets)}への送信を予約`,
    andOthers: (first: string, others: number) => (others === 0 ? first : `${first} ほか${companies(others)}`),
    mailsTo: '宛先',
    mailsToOf: (toPrimary: number, others: number) =>
      [
        ...(toPrimary === 0 ? [] : [`主担当 ${companies(toPrimary)}`]),
        ...(others === 0 ? [] : [`代表メール ${companies(others)}`]),
      ].join(FIGURE_SEPARATOR),
    bcc: 'Bcc',
    conditions: '対象の条件',
    followed: '前の送信で届き、返信のない会社（フォローアップ）',
    typeNumber: (targets: number) => `確認のため、会社の数（${targets.toLocaleString('ja-JP')}）を入力してください`,
    units: ['社', '件'],
    numberWrong: (targets: number) => `会社の数が違います。${targets.toLocaleString('ja-JP')}と入力してください`,
  },
  /** For an order whose mails a daily limit spreads over several days. */
  days: {
    label: '日ごとの送信',
    loading: '送信する日を確認しています…',
    help: {
      several: '1日の上限のため、日を分けて送信します。',
      one: '1日の上限のため、この日に送信します。',
    },
  },
  legal: {
    errors: '法律の求める表示が足りないため、送信と予約ができません',
    testErrors: '法律の求める表示が足りません。テスト送信はできますが、実際の送信と予約はできません',
    /** For the tick if recipients cannot reach the server's address. */
    noOneClickHelp: 'PUBLIC_URL に、社外から開けるhttpsのアドレスを設定すると使えます。',
    noOneClick: 'ワンクリックでの配信停止が使えないことを確認しました',
    places: { legal_profile: '法定表示を開く', mail_template: 'テンプレートを開く', sender: '差出人を開く' },
  },
  checks: {
    label: '送信前の確認',
    ticks: 'チェックが必要な項目',
    loading: 'メールの内容を確認しています…',
    lawful: '法定表示・配信停止の案内',
    unconfirmed: '差出人のアドレスの確認が済んでいないため、会社には送れません',
    interval: (days: number) => `${days.toLocaleString('ja-JP')}日以内の送信なし`,
    noInterval: '再送信間隔が0日のため、送信したばかりの会社にも、もう一度送ります',
    tick: 'このまま送る',
    tickReserve: 'このまま予約する',
    /** The tick names the time of sending: 土曜日の夜間に送信する. */
    tickAt: (times: readonly string[], isNow: boolean) => `${times.join('の')}に${isNow ? '送信' : '予約'}する`,
    times: { early_morning: '早朝', night: '夜間', holiday: '祝日' },
    dayOff: (isSaturday: boolean) => (isSaturday ? '土曜日' : '日曜日'),
    today: '今日',
    earlyMorning: (time: string) => `${time}は早朝です`,
    night: (time: string) => `${time}は夜間です`,
    weekend: (day: string, name: string) => `${day}は${name}です`,
    holiday: (day: string, name: string) => `${day}は祝日です（${name}）`,
    offHours: (causes: readonly string[], remedy: string) => `${causes.join('。')}。${remedy}`,
    sendLater: '予約モードにすると、平日の昼間に送れます',
    reserveOther: '予約日時は、平日の昼間にも変えられます',
  },
} as const;
