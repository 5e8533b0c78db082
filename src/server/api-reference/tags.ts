interface Tag {
  readonly name: string;
  readonly description: string;
  /** The prefixes of its calls' paths. */
  readonly paths: readonly string[];
}

/** The groups of calls in the reference, in its order. */
export const TAGS: readonly Tag[] = [
  {
    name: 'ログイン',
    description: 'トークンを受け取り、無効にします。忘れたパスワードを再設定し、最初のアカウントを作ります。',
    paths: ['/auth/login', '/auth/logout', '/auth/password_reset', '/setup'],
  },
  {
    name: 'アカウント',
    description: 'プロフィールとパスワード、メールアドレスの変更、最初の送信までの手順です。',
    paths: ['/account', '/auth', '/mail/send/confirmation', '/first_steps'],
  },
  {
    name: '送信者',
    description: '送信者グループと、その中の差出人と送信者、グループの法定表示、差出人のドメインの状態です。',
    paths: [
      '/sender_group',
      '/sender_profile',
      '/sender',
      '/sender_confirmation',
      '/legal_profile',
      '/legal_check',
      '/domain_health',
    ],
  },
  {
    name: '送信ルール',
    description: '送信できる時間、会社の休業日、1日の上限、送信を取り消せる時間です。',
    paths: ['/sending_rules', '/account_rule', '/closing_day', '/sender_limit'],
  },
  {
    name: 'テンプレート',
    description: 'メールの件名と本文、その版とフォルダー、プレビューとテスト送信です。',
    paths: ['/mail_template', '/mail_template_folder'],
  },
  {
    name: '見込み客',
    description: '見込み客のリストと、送信者グループごとの有効・無効、備考、保存した条件です。',
    paths: ['/prospect', '/active_prospect', '/saved_condition'],
  },
  {
    name: 'アタックリスト',
    description: '設定に合う送信対象を選びます。',
    paths: ['/attack_list'],
  },
  {
    name: '予約',
    description: '日時を決めて送るアタックリストです。',
    paths: ['/reservation', '/restored'],
  },
  {
    name: '送信',
    description: 'アタックリストをすぐに送り、進み具合と結果を読み、送信を止めたり、やり直したりします。',
    paths: ['/mail/preview', '/mail/check', '/mail/send', '/send_log', '/delivery'],
  },
  {
    name: 'レポート',
    description: '期間の送信の結果です。',
    paths: ['/report'],
  },
  {
    name: '返信',
    description: '会社からの返信と、メンバーの記録です。',
    paths: ['/reply'],
  },
  {
    name: '配信停止',
    description: '送ってはならないアドレスとドメインです。',
    paths: ['/suppression', '/inbox'],
  },
  {
    name: '通知',
    description: '送信の終わりや返信などの、自分への通知と、その設定です。',
    paths: ['/notice', '/notice_setting'],
  },
  {
    name: '個人情報',
    description: '1つのメールアドレスについて保存している内容の開示と消去、メールの保存期間です。',
    paths: ['/personal_data', '/mail_retention'],
  },
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
  {
    name: 'SendGrid',
    description: 'SendGridで送るときに、SendGridが呼び出します。',
    paths: ['/sendgrid'],
  },
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
