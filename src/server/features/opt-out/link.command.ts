import type { Tx } from '../../platform/database/db.ts';
import { applyOrHold } from '../held-arrivals/hold.ts';
import { readHashedRefusal } from '../suppressions/suppression-hash.queries.ts';
import { holdRefusal, holdUndo, showHeld } from './held-act.command.ts';
import { type OptOutServices, type RefusalRequest, refuseFoundMail, type Shown } from './refuse.command.ts';
import {
  type ErasedMail,
  findMail,
  isOwnDomain,
  readMail,
  readMovedMail,
  readRefusals,
} from './refused-mail.queries.ts';
import { undoFoundRefusal } from './undo.command.ts';

/* Handles the actions of a mail's reader on its link. For a frozen account rows are read, and actions are held. */

/** The account was deleted here: its new home shows the page. */
interface Elsewhere {
  readonly kind: 'elsewhere';
  /** The origin of that home. */
  readonly url: string;
}

/**
 * Reads the page of a key, without changing anything: scanners of mail servers open every link.
 * @param host of the request: a redirect to a host that still leads here would loop
 */
export async function showMail(
  { login, now, accountDb }: OptOutServices,
  key: string,
  host: string,
): Promise<Shown | Elsewhere> {
  const found = await findMail(login, key);
  if (!found) return { kind: 'unknown' };
  return accountDb(found.accountId, null).snapshot(async (tx) => {
    const mail = (await readMail(tx, found)) ?? (await readMovedMail(tx, found));
    if (!mail) return { kind: 'unknown' };
    const isMoved = 'movedTo' in mail;
    if (isMoved && new URL(mail.movedTo).hostname !== host) return { kind: 'elsewhere', url: mail.movedTo };
    if (mail.isTest) return { kind: 'test' };
    const held = await showHeld(tx, found, now());
    if (held) return held;
    if (isMoved) return { kind: 'offer', senderName: mail.senderName, address: null, domain: null };
    if ('hash' in mail) return showErased(tx, found.accountId, mail);
    const { senderName, address, domain } = mail;
    const [first, ...others] = await readRefusals(tx, found, mail, now());
    if (first) {
      const canUndo = [first, ...others].some(({ isUndoable }) => isUndoable);
      return { kind: 'refused', at: first.createdAt.getTime(), canUndo };
    }
    const isOwn = await isOwnDomain(tx, found.accountId, mail);
    return { kind: 'offer', senderName, address, domain: isOwn ? domain : null };
  });
}

/** For an erased person, the address's hash is suppressed. That cannot be undone on the page. */
async function showErased(tx: Tx, accountId: number, { hash, senderName }: ErasedMail): Promise<Shown> {
  const at = await readHashedRefusal(tx, accountId, hash);
  if (at !== null) return { kind: 'refused', at: at.getTime(), canUndo: false };
  return { kind: 'offer', senderName, address: null, domain: null };
}

/** Opts the recipient of a key's mail out. */
export async function refuseMail(services: OptOutServices, key: string, request: RefusalRequest): Promise<Shown> {
  const found = await findMail(services.login, key);
  if (!found) return { kind: 'unknown' };
  return applyOrHold(
    services.accountDb(found.accountId, null),
    () => refuseFoundMail(services, found, request),
    (tx) => holdRefusal(tx, found, request),
  );
}

/** Undoes an opt-out by its key. */
export async function undoRefusal(services: OptOutServices, key: string): Promise<Shown> {
  const found = await findMail(services.login, key);
  if (!found) return { kind: 'unknown' };
  return applyOrHold(
    services.accountDb(found.accountId, null),
    () => undoFoundRefusal(services, found),
    (tx) => holdUndo(tx, found, services.now()),
  );
}
