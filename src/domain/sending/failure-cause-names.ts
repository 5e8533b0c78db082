/** The user's words for why a mail did not arrive, on screens and in files. */
export const FAILURE_CAUSES = [
  'unknown_address',
  'mailbox_full',
  'busy',
  'unreachable',
  'spam',
  'sender_refused',
  'unknown_domain',
  'too_large',
  'authentication',
  'limit',
  'connection_lost',
  'other',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/**
 * What a member can do about a mail that did not arrive.
 * `mend`: enter another address and send again. `deactivate`: remove the company from the group's lists.
 * `domain`: check the DNS records of the sender's domain.
 */
export type NextStep = 'mend' | 'deactivate' | 'domain';

interface CauseTexts {
  readonly name: string;
  /** Its meaning and remedy, in sentences. */
  readonly advice: string;
  readonly steps: readonly NextStep[];
}

export const FAILURE_CAUSE_TEXTS: Readonly<Record<FailureCause, CauseTexts>> = {
  unknown_address: {
    name: '宛先が存在しません',
    advice: '会社のサイトなどで新しいアドレスを確かめてください。',
    steps: ['mend', 'deactivate'],
  },
  mailbox_full: {
    name: '相手のメールボックスがいっぱいです',
    advice:
      'アドレスに誤りはありません。相手のメールボックスに空きができるまで届かないため、日をおいて再送信してください。',
    steps: [],
  },
  busy: {
    name: '相手のサーバーが混み合っています',
    advice: '相手のサーバーが、一時的に受け取りを見合わせました。時間をおくと届くことがあります。',
    steps: [],
  },
  unreachable: {
    name: '相手のサーバーに接続できません',
    advice: '相手のサーバーが止まっているか、アドレスのドメインに誤りがあるおそれがあります。',
    steps: ['mend'],
  },
  spam: {
    name: '迷惑メールと判断されました',
    advice:
      '本文や送信元が、相手のサーバーの基準に合いませんでした。続くときは、本文と「ドメイン・受信」の設定を確かめてください。',
    steps: ['domain'],
  },
  sender_refused: {
    name: '差出人が拒否されました',
    advice: '相手の受信設定か、サーバーの設定で、差出人からのメールが拒否されています。',
    steps: ['mend', 'deactivate'],
  },
  unknown_domain: {
    name: 'ドメインが見つかりません',
    advice: 'アドレスの@より右に誤りがあるか、ドメインが使われなくなっています。',
    steps: ['mend', 'deactivate'],
  },
  too_large: {
    name: 'メールが大きすぎます',
    advice: 'メールサーバーが受け取れる大きさを超えました。本文を短くするか、埋め込んだ画像をリンクに変えてください。',
    steps: [],
  },
  authentication: {
    name: '認証（SPF・DKIM）の不備で拒否されました',
    advice: '差出人のドメインの設定が足りません。設定の「ドメイン・受信」で確かめてください。',
    steps: ['domain'],
  },
  limit: {
    name: '送信の上限に達しました',
    advice: '短い時間に送れる数を超えました。時間をおいて、再送信してください。',
    steps: [],
  },
  connection_lost: {
    name: '送信直後に接続が切れました',
    advice: '届いたかどうかわかりません。自動では送り直しません。',
    steps: [],
  },
  other: {
    name: 'その他の理由です',
    advice: 'サーバーの応答を確かめてください。',
    steps: ['mend'],
  },
};

/** A Japanese reply, from the program or a server, states the cause itself. */
const JAPANESE = /[ぁ-んァ-ヶ]/;

/** Returns the cause as a text; '' where there is none. */
export function causeText(cause: FailureCause | null, reply: string | null): string {
  if (cause === null) return '';
  return cause === 'other' && reply !== null && JAPANESE.test(reply) ? reply : FAILURE_CAUSE_TEXTS[cause].name;
}
