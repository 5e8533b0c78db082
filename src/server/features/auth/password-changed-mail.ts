import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

export const passwordChangedMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードが変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのパスワードが変更されました。変更した方のログインを除き、すべてのログインを終了しました。',
      'ご自身で変更した場合は、このまま新しいパスワードをお使いください。',
      'お心当たりがない場合は、ほかの方がアカウントを使っているおそれがあります。すぐに、このKaitakuの管理者にご連絡ください。管理者がパスワードを設定し直すと、すべてのログインが終了します。',
    ],
  });
