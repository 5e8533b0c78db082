import type { Email } from 'postal-mime';
import { addressKey } from '#domain/mail/address-key.ts';
import { type ReturnedKey, readReturnAddress } from '#domain/mail/return-address.ts';
import { answerOf, hashOf } from './answer.ts';
import { readDeliveryReports, receivedAt } from './delivery-reports.ts';
import { type InboxEnvelope, type InboxMail, type MailRef, NO_ENVELOPE, UNREADABLE } from './inbox-mail.ts';
import {
  contentOf,
  fieldOf,
  fieldsOf,
  hasNullSender,
  ownSubjectOf,
  type ParsedMail,
  parseHeader,
  parseMail,
  parseMailHeader,
  recipientsOf,
} from './parsed-mail.ts';
import { copiedHeader, readBounceSubject, readTextBounce, SYSTEM_SENDER } from './text-bounce.ts';

/**
 * Reads the type of a mail in the inbox. The order matters: Postfix marks its delivery reports as automatic replies.
 * @param pattern the setting RETURN_ADDRESS; null: not set
 */
export async function readInboxMail(
  raw: Uint8Array,
  pattern: string | null,
  envelope: InboxEnvelope = NO_ENVELOPE,
): Promise<InboxMail> {
  const mail = await parseMail(raw, envelope);
  const key = returnedKey(mail, pattern);
  const refs = refsOf(mail, key);
  return (
    (await readReport(mail, refs)) ??
    (await readComplaint(mail, refs)) ??
    readRefusal(key) ??
    readReceipt(mail) ??
    (await readPlainBounce(mail, key)) ??
    readAnswer(mail, refs)
  );
}

/**
 * Reads the type of an unparseable mail from its header. Opt-outs, complaints and replies count as usual. A server's
 * report counts only if the subject states that the mail did not arrive: others may concern a delay.
 */
export async function readInboxHeader(
  raw: Uint8Array,
  pattern: string | null,
  envelope: InboxEnvelope = NO_ENVELOPE,
): Promise<InboxMail> {
  const mail = await parseMailHeader(raw, envelope);
  const key = returnedKey(mail, pattern);
  const refs = refsOf(mail, key);
  if (reportTypeOf(mail) === 'feedback-report') return { kind: 'complaint', refs };
  const refusal = readRefusal(key) ?? readReceipt(mail);
  if (refusal) return refusal;
  if (hasNullSender(mail) !== true) {
    const answer = readAnswer(mail, refs);
    return { ...answer, answer: { ...answer.answer, excerpt: UNREAD_EXCERPT } };
  }
  const reports = key === null ? null : readBounceSubject(mail.email);
  if (reports === null) return UNREADABLE;
  return { kind: 'bounce', refs, reports, arrivedAt: null, hash: hashOf(mail.email) };
}

const UNREAD_EXCERPT = '本文は読み取れませんでした。';

/** A robot that asks for no more mails, such as that of a retired person's mailbox, is left for a member to judge. */
function readAnswer(mail: ParsedMail, refs: readonly MailRef[]): Extract<InboxMail, { answer: unknown }> {
  const answer = { ...answerOf(mail.email), ...(mail.isMailbox && { keys: keysIn(mail.email) }) };
  if (!isAutomatic(mail)) return { kind: answer.isRobot ? 'auto_reply' : 'reply', refs, answer };
  if (answer.wish === 'none' || SYSTEM_SENDER.test(answer.from))
    return { kind: 'auto_reply', refs, answer: { ...answer, wish: 'none' } };
  return { kind: 'reply', refs, answer: { ...answer, wish: 'doubtful' } };
}

const reportTypeOf = ({ email }: ParsedMail): string | undefined =>
  /report-type\s*=\s*"?([\w-]+)/i.exec(fieldOf(email, 'content-type') ?? '')?.[1]?.toLowerCase();

/**
 * Reads a receipt that a mail program sends when its user opens or deletes a mail (RFC 8098): it is no reply. Servers
 * may wrap it to add a notice. A person who attaches one and asks for no more mails has replied.
 */
function readReceipt(mail: ParsedMail): InboxMail | null {
  const isReceipt =
    reportTypeOf(mail) === 'disposition-notification' ||
    (contentOf(mail.email, ['message/disposition-notification']) !== null && answerOf(mail.email).wish === 'none');
  return isReceipt ? { kind: 'ignored', why: 'receipt' } : null;
}

const readRefusal = (key: ReturnedKey | null): InboxMail | null =>
  key?.purpose === 'refusal' ? { kind: 'refusal', refs: [{ key: key.key }] } : null;

/** A person who pastes a report has an own sender address: that mail is a reply. */
async function readReport(mail: ParsedMail, refs: readonly MailRef[]): Promise<InboxMail | null> {
  const reported = await readDeliveryReports(mail.email, mail.returned);
  if (reported === null) return null;
  const isNull = hasNullSender(mail);
  if (isNull === null) return { kind: 'ignored', why: 'sender_unknown' };
  return isNull ? { kind: 'bounce', refs, ...reported, hash: hashOf(mail.email) } : null;
}

/** Reads a report that a reader marked our mail as spam (RFC 5965), or a provider's own form of one. */
async function readComplaint(
  { email, returned, isMailbox }: ParsedMail,
  refs: readonly MailRef[],
): Promise<InboxMail | null> {
  const report = contentOf(email, ['message/feedback-report']);
  if (report === null) return isBareComplaint(email, returned) ? { kind: 'complaint', refs } : null;
  const fields = await parseHeader(report.slice(0, MAX_FEEDBACK_LENGTH));
  const type = fieldOf(fields, 'feedback-type')?.toLowerCase();
  if (type === 'not-spam') return { kind: 'ignored', why: 'not_spam' };
  return { kind: 'complaint', refs, ...(isMailbox && { recipients: complainersIn(fields, returned) }) };
}

/** Returns the recipients that a complaint names, in its own fields or in the returned mail. */
function complainersIn(fields: Email, returned: Email | null): string[] {
  const named = ['original-rcpt-to', 'removal-recipient', 'final-recipient'].flatMap((name) => fieldsOf(fields, name));
  const to = (returned?.to ?? []).flatMap(({ address }) => address ?? []);
  return [...named, ...to].slice(0, MAX_IDS).map((name) => addressKey(name.replace(/^rfc822;|[<>]/gi, '').trim()));
}

const MAX_FEEDBACK_LENGTH = 16 * 1024;

/** Microsoft's JMRP returns our mail with an own header field. Others show the complaint only in sender and subject. */
const isBareComplaint = (email: Email, returned: Email | null): boolean =>
  refsIn(returned).length > 0 &&
  returned !== null &&
  (fieldOf(returned, 'x-hmxmroriginalrecipient') !== null ||
    (COMPLAINT_SENDER.test(email.from?.address ?? '') && COMPLAINT_SUBJECT.test(ownSubjectOf(email))));
const COMPLAINT_SENDER = /^staff@hotmail\.com$|^(?:feedback|fbl|complaints?|abuse|spam)[\w.-]{0,40}@/i;
const COMPLAINT_SUBJECT =
  /\bcomplaint (?:about|for|from|report)|(?:abuse|spam|email feedback) (?:report|complaint)|迷惑メール(?:の)?(?:報告|申告)/i;

/** Reads a bounce without a report. It has an empty sender, and our return address or a copy of our mail. */
async function readPlainBounce(mail: ParsedMail, key: ReturnedKey | null): Promise<InboxMail | null> {
  if (hasNullSender(mail) !== true) return null;
  const returned = mail.returned ?? (await copiedHeader(mail.email));
  const hasCopy = refsIn(returned).length > 0;
  if (key === null && !hasCopy) return null;
  const reports = readTextBounce(mail.email, hasCopy);
  const refs = refsOf({ ...mail, returned }, key);
  return reports && { kind: 'bounce', refs, reports, arrivedAt: receivedAt(returned), hash: hashOf(mail.email) };
}

/** Whether a program wrote the mail (RFC 3834, and fields and subjects of programs that ignore it). */
function isAutomatic(mail: ParsedMail): boolean {
  const { email } = mail;
  const submitted = fieldOf(email, 'auto-submitted')?.toLowerCase() ?? 'no';
  return (
    !submitted.startsWith('no') ||
    ['x-autoreply', 'x-autorespond'].some((name) => fieldOf(email, name) !== null) ||
    /^(?:bulk|junk|auto_reply)$/i.test(fieldOf(email, 'precedence') ?? '') ||
    hasNullSender(mail) === true ||
    AUTOMATIC_SUBJECTS.some((pattern) => pattern.test(ownSubjectOf(email)))
  );
}

/** Subjects of automatic replies, and of receipts whose programs attach no report. */
const AUTOMATIC_SUBJECTS = [
  /自動(?:返信|応答|送信|回答)|不在|out of (?:the )?office|auto(?:matic)?[- ]?(?:reply|response)/i,
  /^(?:開封(?:済み?|確認|通知)|既読|未読(?:のまま)?削除|read|not read) ?[:：]/i,
];

function returnedKey(mail: ParsedMail, pattern: string | null): ReturnedKey | null {
  if (pattern === null) return null;
  for (const address of recipientsOf(mail)) {
    const key = readReturnAddress(pattern, address);
    if (key) return key;
  }
  return null;
}

/** Returns references that may name our mail, the most reliable first. */
function refsOf({ email, returned }: ParsedMail, key: ReturnedKey | null): MailRef[] {
  const threads = ['in-reply-to', 'references'].flatMap((name) => idsIn(fieldOf(email, name)));
  const refs = [...(key ? [{ key: key.key }] : []), ...threads.map((uuid) => ({ uuid })), ...refsIn(returned)];
  const keys = refs.flatMap((ref) => ('key' in ref ? [ref.key] : []));
  const ids = refs.flatMap((ref) => ('uuid' in ref ? [ref.uuid] : []));
  return [...[...new Set(keys)].map((found) => ({ key: found })), ...[...new Set(ids)].map((uuid) => ({ uuid }))];
}

/** Returns the references in our own header, of a returned copy. Exchange replaces the Message-ID of what it sends. */
function refsIn(header: Email | null): MailRef[] {
  if (header === null) return [];
  const link = /(?:\/u\/|=unsubscribe%20)([0-9a-f]{32})\b/i.exec(fieldOf(header, 'list-unsubscribe') ?? '')?.[1];
  const ids = ['message-id', 'x-microsoft-original-message-id', 'references'];
  const refs = ids.flatMap((name) => idsIn(fieldOf(header, name))).map((uuid) => ({ uuid }));
  return [...(link === undefined ? [] : [{ key: link.toLowerCase() }]), ...refs];
}

/** A key, also behind the `%20` of a link. */
const KEYS = /(?:(?<![0-9a-f])|(?<=%20))[0-9a-f]{32}(?![0-9a-f])/gi;

/** Returns the keys that a mail may quote of ours, the first ones first. */
const keysIn = ({ text = '', html = '' }: Email): string[] =>
  [...new Set([...`${text}\n${html}`.matchAll(KEYS)].map(([key]) => key.toLowerCase()))].slice(0, MAX_IDS);

const ID = /<([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@/gi;
const MAX_IDS = 20;

/** Returns the ids in a field that may be ours, the latest first. */
export const idsIn = (field: string | null): string[] =>
  [...(field ?? '').matchAll(ID)]
    .flatMap(([, id]) => id?.toLowerCase() ?? [])
    .toReversed()
    .slice(0, MAX_IDS);
