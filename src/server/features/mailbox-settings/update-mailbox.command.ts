import { sql } from 'kysely';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import type { updateMailbox as updateCall } from '#contract/senders/mailboxes.ts';
import { addressKey } from '#domain/mail/address-key.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { changedMeanwhile } from '../../platform/database/content-version.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import { fieldProblem, notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { requeueBoxMails } from '../delivery/boxes/change-box.command.ts';
import { type Mailbox, type MailboxKey, readMailbox, sealMailbox } from '../mailboxes/mailbox.queries.ts';
import type { MailboxServices } from '../mailboxes/mailbox-log-in.ts';
import { lockBox, noteBoxMails, UNPAUSED } from '../mailboxes/mailbox-state.command.ts';
import { notAllowed } from '../rights/not-allowed.ts';
import { takenProblem } from './add-mailbox.command.ts';
import { type Connection, knownServersProblem, LIMITS, readingProblem, storedHost } from './connection.ts';
import { countOpen, disconnectMailbox, notSentAnyMore, openMailsProblem } from './disconnect.command.ts';
import type { Ended } from './end-consents.ts';
import { changeProblem, readCaller } from './rights.queries.ts';

type Body = z.output<(typeof updateCall)['body']>;
type Info = Body['update_info'];

/** The editable fields of a mailbox, apart from its password. */
type Content = Connection & Pick<Mailbox, 'name' | 'address' | 'per_day' | 'per_minute' | 'owner_id' | 'other_from'>;

/**
 * Changes a mailbox, stores its password, or disconnects it. No mail leaves by what it was: claimed ones go back.
 * The caller has looked at new hosts.
 * @param onEnded called with a disconnected mailbox, whose consent ends after the commit
 * @returns 400, 401, 403, 404, 409 or 503
 */
export const updateMailbox = (
  account: MemberDb,
  { secrets }: MailboxServices,
  id: number,
  { version, confirmed, update_info: info }: Body,
  onEnded: (ended: Ended) => void,
): Promise<CallAnswer<typeof updateCall> | Problem> =>
  account.transaction(async (tx) => {
    const key = { accountId: account.id, id };
    // Addresses stay unique.
    await lockAccount(tx, account.id);
    const box = (await lockBox(tx, key)) && (await readMailbox(tx, key));
    if (!box) return notFound();
    const refused = await changeProblem(tx, account, box);
    if (refused) return refused;
    if (info.active === 0) return disconnect(tx, account, box, { version, isConfirmed: confirmed === 1, onEnded });
    const wanted = await wantedContent(tx, account, box, info);
    if (wanted instanceof Problem) return wanted;
    const fields = (Object.keys(wanted) as (keyof Content)[]).filter((name) => wanted[name] !== box[name]);
    // A client that lost the first answer repeats its request: the content is already stored.
    if (fields.length === 0 && info.password === undefined) return answer(box);
    if (version !== box.version) return changedMeanwhile('mailbox_changed', {});
    const problem = await contentProblem(tx, box, wanted, info);
    if (problem) return problem;
    const sealed =
      info.password === undefined ? null : await sealMailbox(tx, secrets, key, { password: info.password });
    if (sealed instanceof Problem) return sealed;
    const saved = await write(tx, box, { wanted, fields, sealed });
    const { memberId } = account;
    const detail = {
      mailbox_id: id,
      address: wanted.address,
      fields: [...fields, ...(sealed === null ? [] : ['password'])],
    };
    await recordAudit(tx, { accountId: account.id, memberId, kind: 'mailbox_changed', detail });
    return answer(saved);
  });

const answer = ({ id, version }: Pick<Mailbox, 'id' | 'version'>) => ({ status: 'updated' as const, id, version });

interface Disconnection {
  readonly version: number;
  readonly isConfirmed: boolean;
  readonly onEnded: (ended: Ended) => void;
}

async function disconnect(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  box: Mailbox,
  { version, isConfirmed, onEnded }: Disconnection,
) {
  if (box.state === 'off') return answer(box);
  if (version !== box.version) return changedMeanwhile('mailbox_changed', {});
  const open = isConfirmed ? null : await countOpen(tx, accountId, { mailboxIds: [box.id] });
  const question = open && openMailsProblem(open, notSentAnyMore);
  if (question) return question;
  const done = await disconnectMailbox(tx, { accountId, id: box.id }, memberId);
  onEnded(done.ended);
  return answer({ id: box.id, version: done.version });
}

/** Returns the content after a change. @returns 401 or 403 for a change of the owner that only an admin makes */
async function wantedContent(tx: Tx, account: MemberDb, box: Mailbox, info: Info): Promise<Content | Problem> {
  const { reads_replies, smtp_host, imap_host } = info;
  const owner_id = await wantedOwner(tx, account, box, info);
  if (owner_id instanceof Problem) return owner_id;
  const address = info.address ?? box.address;
  return {
    name: info.name ?? box.name,
    address,
    smtp_host: smtp_host === undefined ? box.smtp_host : storedHost(smtp_host),
    smtp_port: info.smtp_port ?? box.smtp_port,
    security: info.security ?? box.security,
    username: info.username ?? (box.kind === 'smtp' ? box.username : address),
    imap_host: imap_host === undefined ? box.imap_host : imap_host && storedHost(imap_host),
    reads_replies: reads_replies === undefined ? box.reads_replies : reads_replies === 1,
    per_day: info.per_day ?? box.per_day,
    per_minute: info.per_minute ?? box.per_minute,
    owner_id,
    other_from: withoutFrom(box, info.remove_from),
  };
}

/** Returns the owner after a change: the caller of a mailbox that is shared no more. */
async function wantedOwner(
  tx: Tx,
  account: MemberDb,
  { owner_id }: Mailbox,
  { is_shared }: Info,
): Promise<number | null | Problem> {
  const isShared = owner_id === null;
  if (is_shared === undefined || (is_shared === 1) === isShared) return owner_id;
  const caller = await readCaller(tx, account);
  if (caller instanceof Problem) return caller;
  if (caller.role !== 'admin') return notAllowed(tx, account.id);
  return isShared ? account.memberId : null;
}

/** Takes an address away from those that a check proved. Mails that would leave from it are cancelled at the claim. */
function withoutFrom({ other_from }: Mailbox, address: string | undefined): string[] {
  const key = address && addressKey(address);
  // The same list where nothing changes: contents are compared by their values.
  return key && other_from.includes(key) ? other_from.filter((other) => other !== key) : other_from;
}

async function contentProblem(tx: Tx, box: Mailbox, wanted: Content, info: Info): Promise<Problem | null> {
  const path = 'update_info';
  const { mostPerDay } = LIMITS[box.kind];
  const taken = { address: wanted.address, path: `${path}.address`, exceptId: box.id };
  return (
    knownServersProblem(box.kind, path, info) ??
    readingProblem(path, wanted) ??
    (wanted.per_day !== box.per_day && wanted.per_day > mostPerDay
      ? fieldProblem(`${path}.per_day`, 'above_limit', `1日の上限は、1〜${mostPerDay.toLocaleString('ja-JP')}です。`)
      : null) ??
    refusalsProblem(box, wanted) ??
    (await takenProblem(tx, box.account_id, taken))
  );
}

/** Refuses to stop reading what readers of sent mails answer to. */
function refusalsProblem(box: Mailbox, { address, reads_replies }: Content): Problem | null {
  if (!box.takes_refusals) return null;
  const start = '送ったメールが、このメールボックスを配信停止の宛先にしています。';
  if (addressKey(address) !== addressKey(box.address)) {
    const message = `${start}アドレスは変えずに、新しいメールボックスを追加してください。`;
    return fieldProblem('update_info.address', 'reads_refusals', message);
  }
  if (reads_replies) return null;
  return fieldProblem('update_info.reads_replies', 'reads_refusals', `${start}返信の受信は、止められません。`);
}

interface Change {
  readonly wanted: Content;
  readonly fields: readonly (keyof Content)[];
  readonly sealed: { readonly secret: Buffer; readonly secret_key: number } | null;
}

/** To a new server or for another user a stored secret is not sent. */
const ELSEWHERE: readonly (keyof Content)[] = ['smtp_host', 'imap_host', 'username'];
/** What a check holds for. */
const CHECKED: readonly (keyof Content)[] = [...ELSEWHERE, 'address', 'smtp_port', 'security'];

async function write(tx: Tx, box: Mailbox, { wanted, fields, sealed }: Change): Promise<Mailbox> {
  const key: MailboxKey = { accountId: box.account_id, id: box.id };
  const changed = (names: readonly (keyof Content)[]) =>
    // Without a server nothing is sent to it.
    fields.some((name) => names.includes(name) && wanted[name] !== null);
  const isElsewhere = changed(ELSEWHERE) || (box.kind !== 'smtp' && fields.includes('address'));
  const isUnchecked = changed(CHECKED) || sealed !== null;
  const next = box.state === 'off' && sealed === null ? 'off' : 'unchecked';
  await tx
    .updateTable('mailbox')
    .set((eb) => ({
      ...wanted,
      version: eb('version', '+', 1),
      ...(isElsewhere && { secret: null, secret_key: null, token_expires_at: null }),
      ...sealed,
      ...(isUnchecked && { state: next }),
      ...(changed(CHECKED) && { other_from: [], ids: 'unknown', checked_at: null }),
    }))
    .where('account_id', '=', box.account_id)
    .where('id', '=', box.id)
    .execute();
  const isOtherInbox = changed(['imap_host', 'username', 'address']);
  const begins = wanted.reads_replies && (!box.reads_replies || isOtherInbox);
  const state = {
    ...(isUnchecked && { ...UNPAUSED, login_refusals: 0, last_fault: null, read_fault: null }),
    ...(isOtherInbox && { uid_validity: null, last_uid: null, read_at: null }),
    ...(begins && { reads_from: sql<Date>`now()` }),
  };
  if (Object.keys(state).length > 0) {
    await tx
      .updateTable('mailbox_state')
      .set(state)
      .where('account_id', '=', box.account_id)
      .where('mailbox_id', '=', box.id)
      .execute();
  }
  await requeueBoxMails(tx, key);
  if (box.state === 'ok' && !isUnchecked) await noteBoxMails(tx, key);
  return { ...box, version: box.version + 1 };
}
