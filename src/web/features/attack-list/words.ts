import { companies } from '#web/lib/phrases.ts';

/** The texts of the attack list and its settings. */
export const ATTACK_LIST_MESSAGES = {
  list: 'アタックリスト',
  settings: '送信設定',
  days: '再送信間隔（日）',
  again: '間隔を空けずに送信します',
  limit: '取得件数',
  limitOption: (limit: number) => companies(limit),
  testMode: 'テストモード',
  /** The same switch as two words. */
  modes: { label: '送信先の種類', test: 'テスト', real: '本番' },
  testTo: 'テスト送信先',
  testToHelp: '[n] は、0から始まる番号になります。入力例：test+[n]@example.com なら、1行目は test+0@example.com です。',
  testLimit: 'テスト件数',
  wholeNumber: (min: number, max: number) =>
    `${min.toLocaleString('ja-JP')}から${max.toLocaleString('ja-JP')}までの整数で入力してください`,
  testToMissing: 'テスト送信先が入力されていません',
  testToWrong: 'テスト送信先のメールアドレスが正しくありません',
  preview: '送信対象',
  eligible: (eligible: number) => `送信できる ${companies(eligible)}`,
  leftOut: (total: number) => `対象外 ${companies(total)}`,
  /** Before the reasons that an empty list does not name itself. */
  otherReasons: 'そのほかの理由',
  /** Chosen companies that are no longer in any list. */
  missing: 'リストにない会社',
  columns: {
    send: '送信',
    row: '行番号',
    company_name: '会社名',
    person_in_charge: '宛名',
    company_email: '送信先',
    sent_at: '最終送信',
  },
  noCompanyAddress: '代表メールのある会社がありません。',
  toPrimary: '主担当に送る',
  sendTo: (company: string) => `${company}に送信`,
  aside: '今回は外します',
  overDomain: '同じドメインの上限のため送りません',
  bringBack: '戻す',
  bringBackOf: (company: string) => `${company}を戻す`,
  firstMail: '未送信',
  chosen: (chosen: number) => `選んだ${companies(chosen)}`,
  endChosen: '選んだ会社のリストを終了',
  chosenHelp: '選んだ会社だけのリストです。絞り込みの条件と取得件数は使いません。',
  status: (status: string) => `送信状況：${status}`,
  endStatus: '送信状況の条件を外す',
  empty: 'アタックリストが0件です',
  clear: '条件をクリア',
  noGroup: '送信者グループがないため、アタックリストを作れません',
  checkMails: 'メールを確認',
} as const;

/** The texts of the dialog that lists the companies behind a reason. */
export const LEFT_OUT_MESSAGES = {
  title: (reason: string) => `対象外の見込み客（${reason}）`,
  company: '会社名',
  email: '送信先',
  person: '宛名',
  none: 'この理由の見込み客は、もうありません',
  mend: '対応',
  enterAddress: 'アドレスを入力',
  mendOf: (mend: string, company: string) => `${company}：${mend}`,
  domainLimitHelp:
    '1回の送信で同じドメインへ送る上限を超えるため、今回は送りません。リストの順に数えます。前の会社を外すと、次の会社に送ります。',
  missingHelp: '選んだあとに、削除またはアーカイブされた会社です。',
  help: {
    inactive: '見込み客リストの「有効」をオンにすると、送信対象になります。',
    no_email: 'メールアドレスが登録されると、送信対象になります。',
    suppressed: '配信停止の登録があるため、送信しません。',
    maybe_refused:
      '配信停止を求めている可能性のある返信があります。会社の詳細で「送信を続ける」を選ぶと、送信対象になります。同じメールアドレスのほかの見込み客も同じです。',
    replied: '会社の詳細で返信を対応済みにすると、送信対象になります。',
    refused_by_notice: '営業メールをお断りする旨の表示があるため、送信しません。',
    reserved: '予約リストで予約を削除すると、送信対象になります。',
    open_delivery: '送信待ち、送信中、または届いたかどうかわからないメールがあるため、送信しません。',
    rejected:
      '前のメールが相手のサーバーに拒否されました。再送信間隔（日）が過ぎるか、メールアドレスを変えるか、そのメールを再送すると、送信対象になります。同じメールアドレスのほかの見込み客へのメールも含みます。',
    recently_sent:
      '最後の送信から再送信間隔（日）が過ぎると、送信対象になります。同じメールアドレスのほかの見込み客に送った場合も含みます。',
    recently_sent_elsewhere:
      'ほかの送信者グループが、再送信間隔（日）以内にこの会社かメールアドレスへ送ったか、これから送ります。間隔が過ぎると、送信対象になります。',
  },
} as const;

/** The texts of following up an earlier run. */
export const FOLLOW_UP_MESSAGES = {
  label: 'フォローアップ',
  none: '使わない（初回のメール）',
  run: (at: string, subject: string) => `${at}「${subject}」`,
  /** Used while the runs are loading, or if they cannot be loaded. */
  unnamed: '選択した送信',
  /** @param from the first day on which it can be followed up */
  tooRecent: (run: string, from: string) => `${run}（${from}から送れます）`,
  help: '返信も不達もなかった会社に、前のメールへの返信の形（件名は「Re: 元の件名」）で1回だけ送ります。',
} as const;
