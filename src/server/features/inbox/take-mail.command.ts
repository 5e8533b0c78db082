import { sql } from 'kysely';
import { addressKey, domainOf } from '#domain/mail/address-key.ts';
import type { FromTrust } from '#domain/mail/reply.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { isAccountFrozen } from '../../platform/database/frozen.ts';
import { PASSED_ON, wasHere } from '../../platform/http/hosts.ts';
import { printable } from '../../platform/mail/outcome.ts';
import { settleReplies } from '../delivery/after-sending/cancel-replied.queries.ts';
import { findTest } from '../domain-health/domain-test.queries.ts';
import { type JudgeTest, takeTestMail } from '../domain-health/self-test.command.ts';
import { applyOrHold, countHeld, holdArrival, movesWhenLeft } from '../held-arrivals/hold.ts';
import { refuseFoundMail } from '../opt-out/refuse.command.ts';
import type { RefusalSource } from '../opt-out/refused-mail.queries.ts';
import type { Writer } from '../opt-out/writer.queries.ts';
import { isStoredAnswer, storeAnswer } from '../replies/insert-reply.queries.ts';
import type { Answer, InboxEnvelope, InboxMail } from './inbox-mail.ts';
import { findMatched, type MatchedKey, readMatched } from './matched-mail.queries.ts';
import { takeReports } from './take-bounce.command.ts';

export interface InboxServices {
  /** A pool of the role kaitaku_service: only its key names a mail's account. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  /** The setting INBOX_AUTHSERV_ID: the server whose Authentication-Results are trusted. By default none. */
  readonly authservId?: string | null;
}

/** The result of a mail. `unmatched`: it concerns no mail of ours. `ignored`: it changes nothing. */
export type Taken = Exclude<InboxMail['kind'], 'ignored'> | 'domain_test' | 'unmatched' | 'ignored' | 'unreadable';

/**
 * Applies a mail of the inbox. A repeated call changes nothing.
 * @param judgeTest judges the mail if it is a domain's test mail
 */
export async function takeMail(services: InboxServices, mail: InboxMail, judgeTest: JudgeTest): Promise<Taken> {
  if (mail.kind === 'ignored') return mail.why === 'unreadable' ? 'unreadable' : 'ignored';
  const found = await findMatched(services.db, mail.refs);
  if (!found) return (await isTestMail(services, mail, judgeTest)) ? 'domain_test' : 'unmatched';
  return (await applyFound(services, found, mail)) ? mail.kind : 'ignored';
}

/** What holds of mails in a member's mailbox. */
interface Origin {
  readonly isMailbox?: boolean;
  /** The reply may be about something else: its mails wait until a member decides. */
  readonly isUnclear?: boolean;
}

/** A mail of the inbox as received. */
interface RawMail {
  readonly source: Uint8Array;
  readonly envelope: InboxEnvelope;
}

/** The most held mails about one mail of ours, besides opt-outs: anybody who has it can write more. */
const HELD_OF_MAIL_MAX = 20;

/**
 * Applies a mail, or holds it as received while its account is frozen.
 * @param raw parsed again when the account is thawed
 */
export async function takeOrHold(
  services: InboxServices,
  mail: InboxMail,
  judgeTest: JudgeTest,
  { source, envelope }: RawMail,
): Promise<Taken> {
  const take = () => takeMail(services, mail, judgeTest);
  try {
    return await take();
  } catch (error) {
    if (!isAccountFrozen(error)) throw error;
  }
  const owner = await ownerOf(services.db, mail);
  if (owner === null || mail.kind === 'ignored') return take();
  const { accountId, deliveryId } = owner;
  return applyOrHold(services.accountDb(accountId, null), take, async (tx): Promise<Taken> => {
    const moves = await movesWhenLeft(tx, accountId);
    // This mail's return address leads here.
    if (moves !== null && wasHere(passedOnOf(source), moves)) return 'ignored';
    const isAsked = mail.kind === 'refusal' || mail.kind === 'complaint';
    if (!isAsked && (await countHeld(tx, accountId, deliveryId, 'mail')) >= HELD_OF_MAIL_MAX) return 'ignored';
    // One held mail that only asks for no more mails is enough.
    const body = isAsked && (await isHeld(tx, accountId, deliveryId, mail.kind)) ? null : Buffer.from(source);
    const head = { kind: mail.kind, ...envelope };
    if (body !== null) await holdArrival(tx, accountId, { kind: 'mail', deliveryId, head, body });
    return deliveryId === null ? 'domain_test' : mail.kind;
  });
}

/** Finds the account of the mail of ours, or of the domain's test mail, that a mail concerns. */
async function ownerOf(
  db: Db,
  mail: InboxMail,
): Promise<{ readonly accountId: number; readonly deliveryId: number | null } | null> {
  if (mail.kind === 'ignored') return null;
  const found = await findMatched(db, mail.refs);
  if (found) return found;
  const keys = keysOf(mail);
  const test = keys.length === 0 ? null : await findTest(db, keys);
  return test ? { accountId: test.accountId, deliveryId: null } : null;
}

/** Returns the field of the home that passed the mail on last: each adds its own on top. */
const passedOnOf = (source: Uint8Array): string | undefined => {
  const [head = ''] = Buffer.from(source)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1);
  return new RegExp(`^${PASSED_ON}: *(.*)`, 'im').exec(head)?.[1];
};

async function isHeld(tx: Tx, accountId: number, deliveryId: number | null, kind: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM held_arrival
    WHERE account_id = ${accountId} AND delivery_id IS NOT DISTINCT FROM ${deliveryId} AND kind = 'mail'
      AND head ->> 'kind' = ${kind}
    LIMIT 1`.execute(tx);
  return rows.length > 0;
}

const keysOf = ({ refs }: Exclude<InboxMail, { kind: 'ignored' }>): string[] =>
  refs.flatMap((ref) => ('key' in ref ? [ref.key] : []));

/** A domain's test mail arrives itself, or as a bounce. */
async function isTestMail(
  services: InboxServices,
  mail: Exclude<InboxMail, { kind: 'ignored' }>,
  judgeTest: JudgeTest,
): Promise<boolean> {
  const [report] = mail.kind === 'bounce' ? mail.reports.filter(({ action }) => action === 'failed') : [];
  if (mail.kind === 'bounce' && !report) return false;
  const returned = report ? printable([report.status, report.text].filter(Boolean).join(' ')) : null;
  return takeTestMail(services, { keys: keysOf(mail), returned, judge: judgeTest });
}

/** Applies a mail to the mail of ours that it concerns. @returns false: it changes nothing */
export async function applyFound(
  services: InboxServices,
  found: MatchedKey,
  mail: Exclude<InboxMail, { kind: 'ignored' }>,
  { isMailbox = false, isUnclear = false }: Origin = {},
): Promise<boolean> {
  const account = services.accountDb(found.accountId, null);
  switch (mail.kind) {
    case 'bounce':
      return account.transaction((tx) => takeReports(tx, found, mail, services.now(), isMailbox));
    case 'complaint':
      return (!isMailbox || (await isAbout(account, found, mail.recipients))) && refuse(services, found, 'complaint');
    case 'refusal':
      return refuse(services, found, 'mailto');
    case 'reply':
    case 'auto_reply':
      return takeAnswer(services, found, mail, isUnclear);
  }
}

/** Whether a complaint names the recipient of the mail. */
async function isAbout(account: AccountDb, found: MatchedKey, recipients: readonly string[] = []): Promise<boolean> {
  const mail = await account.transaction((tx) => readMatched(tx, found, { locks: true }));
  return mail !== null && recipients.includes(mail.address);
}

async function refuse(
  services: InboxServices,
  found: MatchedKey,
  source: RefusalSource,
  writer?: Writer,
): Promise<boolean> {
  const request = { source, wholeDomain: false, reason: null, ...(writer && { writer }) };
  const shown = await refuseFoundMail(services, found, request);
  return shown.kind === 'done' || shown.kind === 'refused';
}

type AnswerMail = Pick<Extract<InboxMail, { answer: unknown }>, 'kind' | 'answer'>;

/**
 * Applies a reply once: stores it, and stops further mails to its company. An unclear one holds the mails to its
 * company and address.
 * A request for no more mails suppresses the address first, on every reading: a process that dies in between repeats
 * both. Later, the stored reply keeps a lifted suppression from returning when the mailbox is read again.
 */
async function takeAnswer(
  services: InboxServices,
  found: MatchedKey,
  { kind, answer }: AnswerMail,
  isUnclear: boolean,
): Promise<boolean> {
  const { accountId, deliveryId } = found;
  const account = services.accountDb(accountId, null);
  const { wish } = answer;
  const isRefusal = wish === 'refusal';
  const mail = await account.transaction((tx) => readMatched(tx, found, { locks: true }));
  // The person was erased: only the address's hash is known, and the text is not stored.
  if (!mail) return isRefusal && (await refuse(services, found, 'reply'));
  // Mails of the sender's own side are no replies: they may be in the same mailbox.
  if (mail.isTest || mail.ownAddresses.includes(answer.from)) return false;
  const { from, subject, excerpt, hash } = answer;
  if (await account.snapshot((tx) => isStoredAnswer(tx, { accountId, deliveryId, hash }))) return true;
  const trust = trustOf(answer, services.authservId ?? null);
  if (isRefusal) await refuse(services, found, 'reply', { address: from, trust });
  const { prospectId, address } = mail;
  const doubtedAddress = wish === 'doubtful' ? address : null;
  const stops = { isRefusal, doubtedAddress, isUnclear };
  const reply = { accountId, prospectId, kind, deliveryId, from, trust, subject, excerpt, hash, ...stops };
  const id = await account.transaction(async (tx) => {
    const isErased = (await readMatched(tx, found, { locks: true })) === null;
    return isErased ? null : storeAnswer(tx, reply);
  });
  if (id !== null) await account.transaction((tx) => settleReplies(tx, accountId, [id]));
  return true;
}

/** Anybody can write the field: it counts only from the inbox server and for the domain of the From address. */
function trustOf({ from, isSingle, dmarc }: Answer, authservId: string | null): FromTrust {
  if (!isSingle) return 'none';
  const isOurs = authservId !== null && dmarc?.server === addressKey(authservId);
  return isOurs && dmarc.domain === domainOf(from) ? 'authenticated' : 'single';
}
