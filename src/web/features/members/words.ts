import { INVITATION_DAYS, MAX_INVITED_AT_ONCE } from '#domain/limits.ts';

const invitationsEnd = 'この人が送った招待のうち、まだ承諾されていないものは取り消されます。';

const people = (count: number): string => `${count.toLocaleString('ja-JP')}人`;

/** The texts of the members' list, and of what an admin does about a member. */
export const MEMBER_MESSAGES = {
  title: 'メンバー',
  help: '同じアカウントを使う人です。会社や送信履歴は、全員に見えます。',
  active: people,
  withStopped: (active: number, stopped: number) => `${people(active)}（ほかに利用停止 ${people(stopped)}）`,
  columns: {
    name: '氏名',
    email: 'メールアドレス',
    role: '役割',
    groups: '送信者グループ',
    secondStep: '二段階認証',
    lastLogin: '最終ログイン',
    status: 'ステータス',
    act: '操作',
  },
  me: (name: string) => `${name}（自分）`,
  everywhere: 'すべて',
  noGroup: '–',
  goneGroup: '（不明）',
  neverLoggedIn: 'まだありません',
  secondSteps: { 1: 'オン', 0: '未設定' },
  states: { 1: '有効', 0: '利用停止' },
  actsOn: (name: string) => `${name}の操作`,
  acts: {
    role: '役割を変更',
    groups: '送信者グループを変更',
    reset: 'パスワードの再設定を送る',
    secondStep: '二段階認証を外す',
    stop: '利用を停止',
    bringBack: 'もう一度利用する',
  },
  resetSent: (email: string) => `${email}にパスワードの再設定のメールを送りました`,
  saved: {
    role: (name: string) => `${name}さんの役割を変更しました`,
    groups: (name: string) => `${name}さんの送信者グループを変更しました`,
    secondStep: (name: string) => `${name}さんの二段階認証を外しました`,
    stop: (name: string) => `${name}さんの利用を停止しました`,
    bringBack: (name: string) => `${name}さんが、もう一度利用できるようになりました`,
  },
  editing: {
    titles: { role: '役割の変更', groups: '送信者グループの変更' },
    of: (name: string, email: string) => `${name}（${email}）`,
    lowersHelp: invitationsEnd,
  },
  stopping: {
    title: '利用の停止',
    question: (name: string) => `${name}さんの利用を停止しますか？`,
    endsHelp: 'すぐにログアウトし、ログインできなくなります。この人のメールボックスは切断されます。',
    sendingHelp: '送信中のメールは、そのまま送信されます。',
    heirHelp: '予約は引き継ぎ先の方のものになり、本文に予約した人の氏名があれば、その方の氏名になります。',
    invitedHelp: invitationsEnd,
    heir: (reservations: number) => `引き継ぎ先（予約 ${reservations.toLocaleString('ja-JP')}件）`,
    nobodyHelp: '引き継げる人がいません。先に、管理者か営業の人を招待してください。',
    senderHelp: (email: string, senders: number) =>
      `${email}を差出人にしているものが${senders.toLocaleString('ja-JP')}件あります。返信を受け取れる人のアドレスに変えてください。`,
    toSenders: '差出人を見る',
    stop: '利用を停止',
  },
  removingSecondStep: {
    title: '二段階認証の解除',
    question: (name: string) => `${name}さんの二段階認証を外しますか？`,
    help:
      'スマートフォンをなくしたときなどに外します。ご本人からの依頼であることを、確かめてください。すぐにすべての端末からログアウトし、次からはパスワードだけでログインできます。' +
      'ご本人に、メールでお知らせします。',
    remove: '二段階認証を外す',
  },
  bringingBack: {
    title: '利用の再開',
    question: (name: string) => `${name}さんが、もう一度ログインできるようにしますか？`,
    help: '役割と送信者グループは、停止する前のままです。引き継いだ予約は戻りません。',
    bringBack: 'もう一度利用する',
  },
  role: '役割',
  roleHelp: {
    sales: '会社とテンプレートを編集し、メールを送信・予約できます。',
    viewer: '会社、送信履歴、レポートを見るだけです。書き出しはできません。',
    admin: '営業の操作に加えて、メンバー、送信者グループ、法定表示、送信ルールなどを変更できます。',
  },
  groups: '送信者グループ',
  groupsHelp: '選ぶと、ほかのグループでは送信や予約ができません。見ることはできます。',
  chooseGroups: '選ぶ',
  groupsMissing: '送信者グループを1つ以上選んでください',
  inactiveGroup: (name: string) => `${name}（無効）`,
  exportsNeedAdmin: '書き出しを管理者だけにする',
  rights: {
    title: '役割',
    summary: '役割でできること',
    act: 'できること',
    /** What may be done, by a call that needs the same role. */
    acts: {
      listProspects: '会社・送信履歴・返信・レポートを見る',
      updateAccount: '自分の氏名・パスワード・通知を変更',
      updateProspect: '会社の追加・編集・取り込み',
      updateMailTemplate: 'テンプレートの作成・編集',
      sendMail: '送信・予約・送り直し',
      addSuppressions: '返信の対応・配信停止の登録',
      startExport: '書き出し',
      updateSenderProfile: '差出人の編集・確認メール',
      addSender: '送信者グループ・差出人の追加と停止',
      updateSendingRules: '法定表示・送信ルール・送信の上限',
      liftSuppression: '配信停止の解除・個人情報・保存期間',
      updateMember: 'メンバーの招待・役割・利用の停止',
      viewAudit: '操作履歴を見る・書き出す',
    },
    may: '○',
    mayNot: '–',
  },
} as const;

/** The texts of invitations, for admins. */
export const INVITE_MESSAGES = {
  open: 'メンバーを招待',
  title: 'メンバーの招待',
  emails: 'メールアドレス（必須）',
  emailsHelp: `1行に1つ、${MAX_INVITED_AT_ONCE}件まで入力できます。`,
  missing: 'メールアドレスを入力してください',
  tooMany: `一度に招待できるのは${MAX_INVITED_AT_ONCE}人までです`,
  noticesHelp: 'お知らせのメールは、招待された方が設定でオンにするまで届きません。',
  linkHelp: `招待のメールのリンクは、${INVITATION_DAYS}日間使えます。`,
  invite: '招待',
  invited: (count: number) => `${people(count)}に招待のメールを送ります`,
  none: '招待した人はいません',
  skipped: (count: number) => `次の${count.toLocaleString('ja-JP')}件は招待していません`,
  skippedOf: (email: string, reason: string) => `${email}：${reason}`,
  reasons: {
    already_member: 'すでにメンバーです',
    stopped: '利用を停止している人です（一覧の「もう一度利用する」で戻せます）',
    already_invited: 'すでに招待しています（一覧の「もう一度送る」で送り直せます）',
    invalid: 'メールアドレスの形ではありません',
    repeated: '同じアドレスが重なっています',
  },
  discarding: { title: '入力の破棄', question: '入力した招待を破棄しますか？', discard: '破棄' },
  /** The rows of both kinds are counted: those that wait, and those whose link has expired. */
  heading: (shown: readonly { readonly state: string }[]) => {
    const expired = shown.filter(({ state }) => state === 'expired').length;
    const waiting = `招待中 ${people(shown.length - expired)}`;
    return expired === 0 ? waiting : `${waiting}（ほかに期限切れ ${people(expired)}）`;
  },
  list: '招待中',
  columns: { email: 'メールアドレス', role: '役割', groups: '送信者グループ', state: 'ステータス', act: '操作' },
  days: (days: number) => `あと${days.toLocaleString('ja-JP')}日`,
  hours: (hours: number) => `あと${hours.toLocaleString('ja-JP')}時間`,
  sending: '送信中…',
  failed: '送信できませんでした',
  expired: '期限切れ',
  again: 'もう一度送る',
  againOf: (email: string) => `${email}にもう一度送る`,
  sent: (email: string) => `${email}に招待のメールを送りました`,
  caught: '届きません',
  caughtHelp: '招待メールを送るには、メールボックスをつないでください。',
  connect: 'メールボックスをつなぐ',
  actsOn: (email: string) => `${email}の招待の操作`,
  cancel: '招待を取り消す',
  cancelled: (email: string) => `${email}の招待を取り消しました`,
} as const;
