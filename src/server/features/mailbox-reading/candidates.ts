import { answersSubject } from '#domain/mail/reply.ts';
import { readWish } from '#domain/mail/reply-wish/wish.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { mapInSlices } from '../../platform/turns.ts';
import { NO_ENVELOPE } from '../inbox/inbox-mail.ts';
import { parseMailHeader } from '../inbox/parsed-mail.ts';
import { readFields } from './mail-fields.ts';
import type { FoundFields } from './mailbox-session.ts';
import { latestMailsTo, type MailedMail, mailedAddresses, ownAddresses, ownUuids } from './own-mails.queries.ts';

/*
 * Which mails of a mailbox may be about ours, by their fields alone. Of the others nothing more is read, and nothing is
 * stored, counted or logged: they are private.
 */

export type Candidate =
  /** Its subject names the key of a mail: a refusal, whoever writes, and whatever stands in it. */
  | { readonly kind: 'refusal'; readonly uid: number; readonly key: string }
  /** In a thread of ours, or a server's report. */
  | { readonly kind: 'mail'; readonly uid: number }
  /** From a recipient of these mails. Its subject answers the first of them, or asks for no more. */
  | { readonly kind: 'unclear'; readonly uid: number; readonly mails: readonly MailedMail[] };

/** @param keys of the mailbox's addresses @returns the candidates, in order */
export async function findCandidates(
  account: AccountDb,
  keys: readonly string[],
  found: readonly FoundFields[],
): Promise<Candidate[]> {
  const mails = await mapInSlices(found, ({ uid, fields }) => ({ uid, raw: fields, ...readFields(fields) }));
  const uuids = [...new Set(mails.flatMap((mail) => mail.uuids))];
  const froms = [...new Set(mails.flatMap(({ from }) => from ?? []))];
  const [threads, own, mailed] = await account.snapshot(
    async (tx) =>
      [
        await ownUuids(tx, account.id, uuids),
        await ownAddresses(tx, account.id),
        await mailedAddresses(tx, account.id, keys, froms),
      ] as const,
  );
  const candidates: Candidate[] = [];
  // Members name mailboxes and senders without a proof: who was mailed is a recipient all the same.
  for (const { uid, raw, from, refusedKey, isReport, ...mail } of mails) {
    if (refusedKey !== null) candidates.push({ kind: 'refusal', uid, key: refusedKey });
    else if (from !== null && own.has(from) && (keys.includes(from) || !mailed.has(from))) continue;
    else if (isReport || mail.uuids.some((uuid) => threads.has(uuid))) candidates.push({ kind: 'mail', uid });
    else if (from !== null && mailed.has(from)) {
      const answered = await unclearAnswer(account, keys, from, raw);
      if (answered.length > 0) candidates.push({ kind: 'unclear', uid, mails: answered });
    }
  }
  return candidates;
}

/** Returns the mails that one of their recipient may answer, the likeliest first; none if its subject says neither. */
async function unclearAnswer(
  account: AccountDb,
  keys: readonly string[],
  from: string,
  raw: Uint8Array,
): Promise<readonly MailedMail[]> {
  const { email } = await parseMailHeader(raw, NO_ENVELOPE);
  const subject = email.subject ?? '';
  const mails = await account.snapshot((tx) => latestMailsTo(tx, account.id, keys, from));
  const isAnswered = (mail: MailedMail) => answersSubject(subject, mail.subject);
  if (!mails.some(isAnswered)) return readWish('', subject).wish === 'none' ? [] : mails;
  return mails.toSorted((one, other) => Number(isAnswered(other)) - Number(isAnswered(one)));
}
