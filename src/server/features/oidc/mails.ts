import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/** Tells an admin that another provider, or none, lets members in. */
export const oidcChangedMail = (
  to: string,
  memberOf: number,
  { by, issuer, isActive }: { readonly by: string; readonly issuer: string; readonly isActive: boolean },
): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】会社のIDでのログインの設定が変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      `${by}さんが、会社のIDでのログインの設定を変更しました。`,
      isActive
        ? `これからは、次の提供元が認めた人が、メンバーとしてログインできます。\n${issuer}`
        : 'これからは、会社のIDではログインできません。会社のIDでログインしていた人は、ログアウトしました。',
      'お心当たりがない場合は、ほかの方が管理者のアカウントを使っているおそれがあります。' +
        'すぐに「設定」の「ログインの決まり」で会社のIDでのログインを止め、このKaitakuの管理者にご連絡ください。',
    ],
  });
