import { IN_MAILBOX, type InboxMail } from '../inbox/inbox-mail.ts';
import { findMatched } from '../inbox/matched-mail.queries.ts';
import { type MailThread, readBeside } from '../inbox/parse-beside.ts';
import { applyFound, type InboxServices } from '../inbox/take-mail.command.ts';
import type { Candidate } from './candidates.ts';

/** A candidate with the beginning of its mail, if it needs more than its fields. */
export type FetchedCandidate = Exclude<Candidate, { kind: 'refusal' }> & { readonly source: Uint8Array };

export interface TakeParts {
  readonly services: InboxServices;
  readonly accountId: number;
  readonly thread: MailThread;
  /** The row of `inbox_parse`. */
  readonly parse: { readonly mailbox: string; readonly mail: string; readonly workerId: string };
  readonly stopping: AbortSignal;
}

/** The excerpt of an answer that may be about something else. */
const NOT_STORED = '本文は保存していません。';

/** A mail in a mailbox is matched with mails of its account alone. */
const ofMailbox = { isMailbox: true };

/** Refuses for the mail of the key, if it is the account's. @returns whether it changed anything */
export async function takeRefusal(services: InboxServices, accountId: number, key: string): Promise<boolean> {
  const refs = [{ key }];
  const found = await findMatched(services.db, refs, accountId);
  return found !== null && applyFound(services, found, { kind: 'refusal', refs }, ofMailbox);
}

/** Reads a candidate beside the event loop, and applies it. @returns whether it is about a mail of the account */
export async function takeCandidate(parts: TakeParts, candidate: FetchedCandidate): Promise<boolean> {
  const { services, accountId, thread, parse, stopping } = parts;
  const beside = { db: services.db, thread, parse, stopping };
  const unread = { source: candidate.source, pattern: null, envelope: IN_MAILBOX };
  const { mail } = await readBeside(beside, unread);
  if (mail.kind === 'ignored') return false;
  if (candidate.kind === 'unclear') return takeUnclear(parts, candidate, mail);
  const found = await findMatched(services.db, mail.refs, accountId);
  return found !== null && applyFound(services, found, mail, ofMailbox);
}

/** An answer is certain if it quotes the key of a mail to its sender; else a member decides. */
async function takeUnclear(
  { services, accountId }: TakeParts,
  { mails }: Extract<FetchedCandidate, { kind: 'unclear' }>,
  mail: Exclude<InboxMail, { kind: 'ignored' }>,
): Promise<boolean> {
  if (!('answer' in mail)) return false;
  const { answer, refs } = mail;
  const keys = [...(answer.keys ?? []), ...refs.flatMap((ref) => ('key' in ref ? [ref.key] : []))];
  const quoted = mails.find(({ key }) => keys.includes(key));
  if (quoted) return applyFound(services, { accountId, deliveryId: quoted.deliveryId }, mail, ofMailbox);
  const [latest] = mails;
  // A robot's answer would stop nothing.
  if (latest === undefined || (mail.kind === 'auto_reply' && answer.wish === 'none')) return false;
  const unclear = { ...mail, kind: 'reply', answer: { ...answer, excerpt: NOT_STORED, wish: 'doubtful' } } as const;
  return applyFound(services, { accountId, deliveryId: latest.deliveryId }, unclear, { ...ofMailbox, isUnclear: true });
}
