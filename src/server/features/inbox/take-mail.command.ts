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
  /** A pool of the role kaitaku_service: a mail names its account only by its key. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
  /** The setting INBOX_AUTHSERV_ID: whose Authentication-Results are believed. By default nobody's. */
  readonly authservId?: string | null;
}

/** What became of a mail. `unmatched`: it is about no mail of ours. `ignored`: it changes nothing. */
export type Taken = Exclude<InboxMail['kind'], 'ignored'> | 'domain_test' | 'unmatched' | 'ignored' | 'unreadable';

/**
 * Applies a mail of the inbox. Doing it again changes nothing.
 * @param judgeTest judges the mail itself, if it is a test mail of a domain
 */
export async function takeMail(services: InboxServices, mail: InboxMail, judgeTest: JudgeTest): Promise<Taken> {
  if (mail.kind === 'ignored') return mail.why === 'unreadable' ? 'unreadable' : 'ignored';
  const found = await findMatched(services.db, mail.refs);
  if (!found) return (await isTestMail(services, mail, judgeTest)) ? 'domain_test' : 'unmatched';
  return (await applyTo(services, found, mail)) ? mail.kind : 'ignored';
}

/** A mail of the inbox as it came. */
interface RawMail {
  readonly source: Uint8Array;
  readonly envelope: InboxEnvelope;
}

/** The most mails about one mail of ours that are held, besides its refusals: anybody who has it can write more. */
const HELD_OF_MAIL_MAX = 20;

/**
 * The same, or holds the mail as it came, where its account is frozen.
 * @param raw what is parsed again when the account is thawed
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
    // Its return address leads here.
    if (moves !== null && wasHere(passedOnOf(source), moves)) return 'ignored';
    const isAsked = mail.kind === 'refusal' || mail.kind === 'complaint';
    if (!isAsked && (await countHeld(tx, accountId, deliveryId, 'mail')) >= HELD_OF_MAIL_MAX) return 'ignored';
    // Of those that only ask for no more mails one is enough.
    const body = isAsked && (await isHeld(tx, accountId, deliveryId, mail.kind)) ? null : Buffer.from(source);
    const head = { kind: mail.kind, ...envelope };
    if (body !== null) await holdArrival(tx, accountId, { kind: 'mail', deliveryId, head, body });
    return deliveryId === null ? 'domain_test' : mail.kind;
  });
}

/** Finds whose mail it is about: a mail of ours, or a test mail of a domain. */
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

/** Returns what the home wrote that passed the mail on last: each writes it above the others. */
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

/** A test mail of a domain comes as itself, or comes back. */
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

async function applyTo(
  services: InboxServices,
  found: MatchedKey,
  mail: Exclude<InboxMail, { kind: 'ignored' }>,
): Promise<boolean> {
  const account = services.accountDb(found.accountId, null);
  switch (mail.kind) {
    case 'bounce':
      return account.transaction((tx) => takeReports(tx, found, mail, services.now()));
    case 'complaint':
      return refuse(services, found, 'complaint');
    case 'refusal':
      return refuse(services, found, 'mailto');
    case 'reply':
    case 'auto_reply':
      return takeAnswer(services, found, mail.kind, mail.answer);
  }
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

/**
 * Takes an answer once: it is stored, and stops further mails to its company. One that asks for no more mails refuses
 * them before, however many are stored, so that a process which dies in between repeats both. Afterwards the stored
 * answer keeps a lifted refusal from coming back when the mailbox is read again. One in doubt makes its company and its
 * address wait.
 */
async function takeAnswer(
  services: InboxServices,
  found: MatchedKey,
  kind: 'reply' | 'auto_reply',
  answer: Answer,
): Promise<boolean> {
  const { accountId, deliveryId } = found;
  const account = services.accountDb(accountId, null);
  const { wish } = answer;
  const isRefusal = wish === 'refusal';
  const mail = await account.transaction((tx) => readMatched(tx, found, { locks: true }));
  // The mail of an erased person: its address is known by its hash alone, and their words are not stored.
  if (!mail) return isRefusal && (await refuse(services, found, 'reply'));
  // Mails of the sender's own side are none: they may be in the same mailbox.
  if (mail.isTest || mail.ownAddresses.includes(answer.from)) return false;
  const { from, subject, excerpt, hash } = answer;
  if (await account.snapshot((tx) => isStoredAnswer(tx, { accountId, deliveryId, hash }))) return true;
  const trust = trustOf(answer, services.authservId ?? null);
  if (isRefusal) await refuse(services, found, 'reply', { address: from, trust });
  const { prospectId, address } = mail;
  const doubtedAddress = wish === 'doubtful' ? address : null;
  const stops = { isRefusal, doubtedAddress };
  const reply = { accountId, prospectId, kind, deliveryId, from, trust, subject, excerpt, hash, ...stops };
  const id = await account.transaction(async (tx) => {
    const isErased = (await readMatched(tx, found, { locks: true })) === null;
    return isErased ? null : storeAnswer(tx, reply);
  });
  if (id !== null) await account.transaction((tx) => settleReplies(tx, accountId, [id]));
  return true;
}

/** Anybody may write the field: it counts where the inbox server wrote it, about the domain of the shown address. */
function trustOf({ from, isSingle, dmarc }: Answer, authservId: string | null): FromTrust {
  if (!isSingle) return 'none';
  const isOurs = authservId !== null && dmarc?.server === addressKey(authservId);
  return isOurs && dmarc.domain === domainOf(from) ? 'authenticated' : 'single';
}
