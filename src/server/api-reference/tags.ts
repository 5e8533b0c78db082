interface Tag {
  readonly name: string;
  readonly description: string;
  /** The prefixes of its calls' paths. */
  readonly paths: readonly string[];
}

/** The groups of calls in the reference, in its order. */
export const TAGS: readonly Tag[] = [
  { name: 'ログイン', description: 'トークンを受け取ります。', paths: ['/auth/login'] },
  {
    name: 'アカウント',
    description: 'プロフィールとパスワード、メールアドレスの変更です。',
    paths: ['/account', '/auth', '/mail/send/confirmation'],
  },
  {
    name: '送信者',
    description: '送信者グループと、その中の送信者です。',
    paths: ['/sender_group', '/sender'],
  },
  {
    name: '見込み客',
    description: '見込み客のリストと、会社の人、送信者グループごとの有効・無効、備考です。',
    paths: ['/prospect', '/person', '/active_prospect'],
  },
  {
    name: '自社の項目とタグ',
    description: '見込み客に自社で加える項目とタグです。値は、見込み客の呼び出しで読み書きします。',
    paths: ['/custom_field', '/tag'],
  },
  { name: '予約', description: '日時を決めて送るアタックリストです。', paths: ['/reservation'] },
  {
    name: '送信',
    description:
      'アタックリストのメールを確かめ、すぐに送り、進み具合と結果を読み、送信を止めたり、やり直したりします。',
    paths: ['/mail/preview', '/mail/send', '/send_log', '/delivery'],
  },
  { name: '返信', description: '会社からの返信と、メンバーの記録です。', paths: ['/reply'] },
  { name: '配信停止', description: '送ってはならないアドレスとドメインです。', paths: ['/suppression'] },
  {
    name: '取り込み',
    description: 'CSVの見込み客リストをアップロードし、確認し、取り込み、取り消します。',
    paths: ['/import'],
  },
  {
    name: '書き出しと処理',
    description: 'ファイルへの書き出しと、時間のかかる処理の進み具合です。',
    paths: ['/export', '/job'],
  },
  { name: 'SendGrid', description: 'SendGridで送るときに、SendGridが呼び出します。', paths: ['/sendgrid'] },
];

/**
 * Returns the group with the longest prefix of this path.
 * @throws for a path without a group: add it to TAGS
 */
export function tagOf(path: string): string {
  const fits = TAGS.flatMap(({ name, paths }) => paths.map((start) => ({ name, start }))).filter(
    ({ start }) => path === start || path.startsWith(`${start}/`),
  );
  const [closest] = fits.sort((one, other) => other.start.length - one.start.length);
  if (!closest) throw new Error(`no tag of the API reference has the path ${path}`);
  return closest.name;
}
