import { MAX_FOLDED_ANSWERS } from '#domain/mail/reply.ts';

/** The texts of the replies of a company. */
export const REPLY_MESSAGES = {
  title: '返信',
  kinds: { reply: '返信あり', auto_reply: '自動返信', manual: '返信あり（手動）' },
  doubtful: '返信の確認待ち',
  handled: '対応済み',
  handledAt: (at: string, by: string | null) => (by === null ? at : `${at}・${by}`),
  /** Recorded by a member. */
  notedBy: (name: string) => `${name}が記録`,
  refusalHelp: '配信停止の希望がありました。メールの宛先は配信停止に登録しました。内容を確かめてください。',
  uncheckedRefusalHelp:
    '配信停止の希望がありました。メールの宛先は配信停止に登録しましたが、返信した人のアドレスは、相手の会社のものか確かめられないため登録していません。内容を確かめてください。',
  doubtfulHelp:
    '配信停止を求めている可能性があります。「今後送らない」か「送信を続ける」を選ぶまで、この会社にも、同じメールアドレスのほかの会社にも送りません。送信待ちのメールは、取り消さずに保留します。',
  unclearHelp:
    'このメールは、こちらからのメールへの返信かもしれません。下のどれかを選ぶまで、この会社にも、同じメールアドレスのほかの会社にも送りません。「返信ではない」を選ぶと、この記録を削除します。',
  /** The texts before and after the name of the company whose reply must be handled. */
  waitingHelp: [
    'このメールアドレスは、返信の確認待ちです。',
    'の返信で「今後送らない」か「送信を続ける」を選ぶまで、送りません。',
  ],
  /** The text before the name of the company. */
  fromCompany: '別の会社のアドレスです：',
  /** The replies to the same mail that this one replaces in the list. */
  foldedHelp: (count: number) =>
    `ほかに${count.toLocaleString('ja-JP')}通${count < MAX_FOLDED_ANSWERS ? '' : '以上'}届きました（内容は残していません）。これは最新の内容です。`,
  stoppedHelp: '対応済みにするまで、この会社には送りません。',
  automaticHelp: '不在などの自動返信です。送信は止めません。',
  acts: {
    refuse: '今後送らない',
    proceed: '送信を続ける',
    handle: '対応済みにする',
    automatic: '不在の自動返信として扱う',
    reopen: '未対応に戻す',
    answer: '返信として扱う',
    notReply: '返信ではない',
  },
  done: {
    refuse: '配信停止に登録しました',
    proceed: '送信を続けます',
    handle: '対応済みにしました',
    automatic: '送信を続けます',
    reopen: '未対応に戻しました',
    answer: '返信として扱います',
    notReply: '記録を削除し、送信を続けます',
  },
  more: (left: number) => `ほか${left.toLocaleString('ja-JP')}通`,
  refusing: {
    title: '今後の送信の停止',
    question: (company: string) => `${company}に、今後送らないようにしますか？`,
    consequence: (hasWriter: boolean) =>
      `${hasWriter ? '返信した人、' : ''}メールの宛先、代表メールのアドレスを、配信停止（本人の希望）に登録します。送信待ちのメールも取り消します。`,
    writer: (address: string) => `返信した人のアドレス（${address}）も登録する`,
    writerHelp: '相手の会社のものか確かめられていません。別の人が名乗っているかもしれません。',
    writerCompanyHelp: (company: string) =>
      `「${company}」のアドレスです。登録すると、${company}にも送らなくなります。`,
  },
  marking: {
    button: '返信を記録',
    title: '返信の記録',
    consequence: '対応済みにするまで、どの送信者グループからも送りません。送信待ちのメールも取り消します。',
    note: 'メモ',
    noteHelp: '入力例：電話で返事がありました',
    done: '返信を記録しました',
  },
} as const;
