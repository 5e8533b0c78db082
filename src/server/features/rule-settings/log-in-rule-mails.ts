import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';
import type { NetworkChange } from './login-networks.command.ts';

interface LogInRules {
  readonly two_factor_required?: 0 | 1 | undefined;
  readonly password_off?: 0 | 1 | undefined;
}

interface Wanted extends LogInRules {
  readonly networks: readonly string[] | undefined;
  readonly networksChanged: NetworkChange | undefined;
}

/** Returns a line for each rule of log-ins that becomes another; a second step asked of all is none. */
export function changedLogIns(before: LogInRules, { networks, networksChanged, ...after }: Wanted): string[] {
  const { added, removed } = networksChanged ?? { added: [], removed: [] };
  const isOpen = networks?.length === 0 && removed.length > 0;
  const isPasswordChanged = after.password_off !== undefined && after.password_off !== before.password_off;
  return [
    added.length > 0 ? `・許可したネットワーク：${added.join('、')}` : null,
    removed.length > 0 ? `・許可をやめたネットワーク：${removed.join('、')}` : null,
    isOpen ? '・どのネットワークからも使えるようになりました' : null,
    isPasswordChanged && after.password_off === 1 ? '・パスワードでのログインを止めました' : null,
    isPasswordChanged && after.password_off === 0 ? '・パスワードでのログインを再開しました' : null,
    after.two_factor_required === 0 && before.two_factor_required === 1
      ? '・全員に二段階認証を求めるのをやめました'
      : null,
  ].filter((line) => line !== null);
}

/** Tells an admin that other log-ins count than before. */
export const logInsChangedMail = (
  to: string,
  memberOf: number,
  { by, lines }: { readonly by: string; readonly lines: readonly string[] },
): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】ログインの決まりが変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      `${by}さんが、「設定」の「ログインの決まり」を次のように変更しました。`,
      lines.join('\n'),
      'お心当たりがない場合は、ほかの方が管理者のアカウントを使っているおそれがあります。' +
        'すぐに「設定」の「ログインの決まり」を確かめ、このKaitakuの管理者にご連絡ください。',
    ],
  });
