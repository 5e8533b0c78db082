import { NOTICE_TITLES } from '#contract/notices/notices-names.ts';
import { formatDayWithWeekday } from '#domain/time/calendar.ts';
import { writeNotice } from '../../platform/mail/notice.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';
import type { ClaimedMail, MailedNotice } from './notice-mail.queries.ts';
import type { Summary } from './summary.queries.ts';

/** Writes a member's mail about due notices. @param publicUrl without a trailing slash */
export function noticeMail(
  { accountId, to, notices, summary }: Pick<ClaimedMail, 'accountId' | 'to' | 'notices' | 'summary'>,
  publicUrl: string,
): SystemMail {
  const told = notices.map(paragraphOf);
  const paragraphs = [
    ...(summary === null ? [] : [summaryOf(summary)]),
    ...told,
    'くわしくは、Kaitakuの画面の通知（ベル）でご確認ください。',
    { link: publicUrl },
    'メールで受け取る通知は、次の画面で選べます。',
    { link: `${publicUrl}/settings/notifications` },
  ];
  return writeNotice({
    to,
    reader: { memberOf: accountId },
    subject: `【Kaitaku】${subjectOf(notices, summary)}`,
    paragraphs,
  });
}

const titleOf = ({ kind, percent, count }: MailedNotice): string =>
  count > 1 ? `${NOTICE_TITLES[kind](percent)}（${count}件）` : NOTICE_TITLES[kind](percent);

function subjectOf(notices: readonly MailedNotice[], summary: Summary | null): string {
  if (summary !== null) return `${formatDayWithWeekday(summary.day)}のまとめ`;
  const [first, ...others] = notices;
  const title = first === undefined ? '' : titleOf(first);
  return others.length === 0 ? title : `${title}、ほか${others.length}件`;
}

function paragraphOf(notice: MailedNotice): string {
  const { subjects, count } = notice;
  const shown = subjects.slice(0, count);
  const rest = shown.length > 0 && count > shown.length ? [`・ほか${count - shown.length}件`] : [];
  return [`■ ${titleOf(notice)}`, ...shown.map(({ name }) => `・${name}`), ...rest].join('\n');
}

function summaryOf({ sent, failed, replies, refusals, reservations }: Summary): string {
  return [
    '■ 昨日のまとめ',
    `・送信 ${sent}通（失敗 ${failed}通）`,
    `・返信 ${replies}通`,
    `・配信停止の希望 ${refusals}件`,
    `・本日の予約 ${reservations}件`,
  ].join('\n');
}
