import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';

/** The test mail of a domain. People who look into the mailbox read it too. */
export const testMail = (to: string, domain: string): SystemMail =>
  writeNotice({
    to,
    reader: 'anybody',
    subject: `【Kaitaku】自己診断メール（${domain}）`,
    paragraphs: [
      `差出人のドメイン（${domain}）のメールがどう届くかを確かめるために、Kaitakuが返信用のメールボックスに送ったメールです。`,
      '結果は、Kaitakuの「設定」の「ドメイン」に表示されます。何もする必要はありません。',
    ],
  });
