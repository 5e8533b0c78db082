import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/** The mails contain nothing that the visitor chose. */

export const resetLinkMail = (to: string, memberOf: number, link: string): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードの再設定',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのパスワードを再設定するお申し込みを受け付けました。' +
        '次のリンクを開き、新しいパスワードを設定してください。リンクを開いただけでは、何も変わりません。',
      { link },
      'リンクの有効期限は60分で、1回だけ使えます。期限が過ぎたときは、ログイン画面の「パスワードをお忘れですか？」から、もう一度お申し込みください。' +
        '新しいメールが届くと、前のリンクは使えなくなります。設定すると、すべてのログインが終了します。',
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。パスワードは変わりません。',
    ],
  });

export const passwordResetMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】パスワードが再設定されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'このメールアドレスに届いたリンクから、お使いのアカウントのパスワードが再設定されました。すべてのログインを終了しました。',
      'ご自身で設定した場合は、新しいパスワードでログインしてください。',
      'お心当たりがない場合は、ほかの方がこのメールボックスを読んでいるおそれがあります。' +
        'メールボックスのパスワードを変更し、このKaitakuの管理者にご連絡ください。管理者がパスワードを設定し直すと、すべてのログインが終了します。',
    ],
  });
