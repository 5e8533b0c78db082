import { companies, LIST_SEPARATOR, mails } from '#web/lib/phrases.ts';

/** The sentence that says what the button will do. Each {…} is a separate part, which leads to its control. */
export const ORDER_MESSAGES = {
  label: '送信の内容',
  prefix: '{followUp}：',
  help: {
    testNow: '{subject}を{number}、{when} {to} に送ります。',
    testLater: '{subject}を{number}、{when}に {to} へ送る予約をします。',
    now: '{from}から{number}に{subject}を{when}送ります。',
    later: '{from}から{number}に{subject}を{when}に送る予約をします。',
    /** After an order. */
    next: '次の{number}への送信を準備できます。',
    loading: '送信対象を確認しています。',
    /** For a member who may not send for the group. */
    notAllowed: 'この送信者グループでは送信できません。送信は管理者に依頼してください。',
    noSender: '{template}がないため、送れません。',
    allAside: 'すべての会社を外しています。',
    legal: '{legal}がそろっていないため、会社には送れません。',
    unconfirmed: '{sender}の確認が済んでいないため、会社には送れません。',
    interval: '{days}以内に送った会社は除いています。',
    noInterval: '{days}のため、送信したばかりの会社にも送ります。',
    most: '一度に送れるのは1,000社までです。並び順の先頭から1,000社を表示しています。',
    overDomain: (perDomain: number) => `同じドメインへは1回に${mails(perDomain)}までのため、{over}を除いています。`,
    fallen: (names: string) => `${names}には送れません。`,
    offHoursNow: (causes: string) => `いまは${causes}です。{reserve}と、平日の昼間に送れます。`,
    closedNow: '{reserve}と、送信時間に送れます。',
    offHoursLater: (causes: string) => `{when}は${causes}です。`,
    badDomain: '迷惑メールと判定されやすい設定です（{mend}）。',
  },
  followUp: 'フォローアップ',
  /** While the followed run is not loaded. */
  followUpSubject: 'Re: 前のメールの件名',
  subject: (subject: string) => `「${subject}」`,
  all: (targets: number) => `条件に合う${companies(targets)}すべて`,
  ofTest: { some: (targets: string) => `${targets}分`, all: (targets: string) => `${targets}の分` },
  now: 'いますぐ',
  days: (days: number) => `${days.toLocaleString('ja-JP')}日`,
  noInterval: '再送信間隔が0日',
  aside: (aside: number) => `${companies(aside)}を外しています`,
  restoreAll: 'すべて戻す',
  names: (names: readonly string[], others: number) =>
    names.join(LIST_SEPARATOR) + (others === 0 ? '' : `ほか${companies(others)}`),
  reserve: '予約モードにする',
  template: 'テンプレート',
  legal: '法定表示',
  sender: '差出人のアドレス',
  mend: '直し方',
  offHours: { holiday: '祝日', weekend: '土日', early_morning: '早朝', night: '夜間' },
  buttons: {
    testNow: (targets: number) => `テスト送信（${mails(targets)}）`,
    testLater: 'テスト送信を予約',
    now: (targets: number) => `${companies(targets)}に送信`,
    later: (targets: number) => `${companies(targets)}への送信を予約`,
    /** After an order, in place of the next one. */
    next: { known: (targets: number) => `次の${companies(targets)}を準備`, unknown: '次の会社を準備' },
    /** Used while no number of companies is known, and for none. */
    unknown: { testNow: 'テスト送信', testLater: 'テスト送信を予約', now: '送信', later: '送信を予約' },
  },
  /** The number beside the docked button of a phone. */
  docked: { test: (targets: number) => mails(targets), real: (targets: number) => companies(targets) },
} as const;

/** The sentence of an empty attack list. `{who}` are the companies: their number, or the name of a single one. */
export const NOTHING_MESSAGES = {
  noMatch: '条件に合う会社がありません。',
  noFollowUp: 'フォローアップできる会社がありません。届かなかった会社と、あとにメールを送った会社は対象になりません。',
  noChosen: '選んだ会社は、削除またはアーカイブされています。見込み客リストで選び直してください。',
  several: '送れる会社がありません。おもな理由は、{first}と{second}です。',
  all: (count: number) => `${companies(count)}すべて`,
  /** The particle of the subject: すべてが, but a name with は. */
  subject: { one: '{who}は、', all: '{who}が、' },
  reasons: {
    inactive: '{subject}無効になっています。',
    no_email: '{who}に、メールアドレスがありません。',
    suppressed: '{subject}配信停止に登録されています。',
    maybe_refused: '{subject}配信停止を求めている可能性のある返信を受け、確認を待っています。',
    replied: '{subject}返信への対応を待っています。',
    refused_by_notice: '{subject}営業メールをお断りする旨を表示しています。',
    reserved: '{subject}予約済みです。',
    open_delivery: '{who}に、送信待ち、送信中、または届いたかどうかわからないメールがあります。',
    rejected: '{who}に送ったメールが、相手のサーバーに拒否されました。{days}がたつか、アドレスを変えると送れます。',
    recently_sent: '{who}に、{days}以内に送っています。',
    recently_sent_elsewhere: '{who}に、ほかの送信者グループが{days}以内に送ったか、これから送ります。',
    missing: '{subject}削除またはアーカイブされています。',
  },
  reservedFor: (when: string) => `{subject}${when}に予約済みです。`,
  /** From when the re-send interval lets companies be mailed again. */
  next: {
    one: (from: string) => `${from}から送れます。`,
    all: (from: string) => `${from}から順に送れます。`,
    some: (from: string) => `再送信間隔内の会社には、${from}から順に送れます。`,
  },
  showReservation: '予約を見る',
} as const;
