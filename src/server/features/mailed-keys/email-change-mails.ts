import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/*
 * Mails to an unproved address contain nothing that the caller chose, neither a name nor a company, and bear no
 * address of an account: a stranger could send any words to anybody.
 */

export const confirmationMail = (to: string, link: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: '【Kaitaku】メールアドレスの確認',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'アカウントのメールアドレスをこのアドレスに変更するお申し込みを受け付けました。Kaitakuにログインしているブラウザーで次のリンクを開くと、変更が完了します。',
      { link },
      'リンクの有効期限は60分で、1回だけ使えます。期限が過ぎたときは、アカウントの画面からもう一度お申し込みください。変更が完了すると、すべてのログインが終了します。新しいメールアドレスでログインし直してください。',
      'お心当たりがない場合は、リンクを開かずに、このメールを削除してください。何も変更されません。',
    ],
  });

/** Replaces the confirmation if a member has the address already: only the owner learns that. */
export const addressInUseMail = (to: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: '【Kaitaku】メールアドレスの変更について',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'ほかのアカウントから、メールアドレスをこのアドレスに変更するお申し込みがありました。このアドレスはすでにお使いのアカウントに登録されているため、変更できません。',
      'ご自身でお申し込みになった場合は、別のメールアドレスで、もう一度お申し込みください。',
      'お心当たりがない場合は、何もする必要はありません。お使いのアカウントは変更されていません。',
    ],
  });

/** Notifies the old address of the change. */
export const addressChangedMail = (to: string, memberOf: number): SystemMail =>
  writeNotice({
    to,
    reader: { memberOf },
    subject: '【Kaitaku】メールアドレスが変更されました',
    paragraphs: [
      'Kaitakuをご利用いただき、ありがとうございます。',
      'お使いのアカウントのメールアドレスが変更され、今後はこのアドレスではログインできなくなりました。すべてのログインを終了しました。',
      'ご自身で変更した場合は、新しいメールアドレスでログインしてください。',
      'お心当たりがない場合は、ほかの方がアカウントを使っているおそれがあります。すぐに、このKaitakuの管理者にご連絡ください。管理者がメールアドレスを元に戻し、パスワードを設定し直せます。',
    ],
  });
