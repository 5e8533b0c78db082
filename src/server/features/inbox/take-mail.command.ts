import type { AccountDb } from '../../platform/account-db.ts';
import type { Db, Tx } from '../../platform/db.ts';
import { refuseFoundMail } from '../opt-out/refuse.command.ts';
import type { RefusalSource } from '../opt-out/refused-mail.queries.ts';
import type { Answer, InboxMail } from './inbox-mail.ts';
import { findMatched, type MatchedKey, readMatched } from './matched-mail.queries.ts';
import { takeReports } from './take-bounce.command.ts';

export interface InboxServices {
  /** A pool of the role kaitaku_service: a mail names its account only by its key. */
  readonly db: Db;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly accountDb: (accountId: number, memberId: null) => AccountDb;
}

/** What became of a mail. `unmatched`: it is about no mail of ours. `ignored`: it changes nothing. */
export type Taken = Exclude<InboxMail['kind'], 'ignored'> | 'unmatched' | 'ignored' | 'unreadable';

/** Applies a mail of the inbox. Doing it again changes nothing. */
export async function takeMail(services: InboxServices, mail: InboxMail): Promise<Taken> {
  if (mail.kind === 'ignored') return mail.why === 'unreadable' ? 'unreadable' : 'ignored';
  const found = await findMatched(services.db, mail.refs);
  if (!found) return 'unmatched';
  return (await applyTo(services, found, mail)) ? mail.kind : 'ignored';
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
      return account.transaction((tx) => storeAnswer(tx, found, mail.kind, mail.answer));
  }
}

async function refuse(services: InboxServices, found: MatchedKey, source: RefusalSource): Promise<boolean> {
  const shown = await refuseFoundMail(services, found, { source, wholeDomain: false, reason: null });
  return shown.kind === 'done' || shown.kind === 'refused';
}

/** Stores an answer once. Mails of the sender's own side are none: they may be in the same mailbox. */
async function storeAnswer(tx: Tx, key: MatchedKey, kind: 'reply' | 'auto_reply', answer: Answer): Promise<boolean> {
  const mail = await readMatched(tx, key);
  if (!mail || mail.isTest || mail.ownAddresses.includes(answer.from)) return false;
  await tx
    .insertInto('reply')
    .values({
      account_id: key.accountId,
      delivery_id: key.deliveryId,
      prospect_id: mail.prospectId,
      kind,
      from_address: answer.from,
      subject: answer.subject,
      excerpt: answer.excerpt,
      message_hash: answer.hash,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'message_hash']).doNothing())
    .execute();
  return true;
}
