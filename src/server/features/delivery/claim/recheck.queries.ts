import { type Expression, type SqlBool, sql } from 'kysely';
import { addressKey } from '#domain/mail/address-key.ts';
import type { DeliveryReason } from '#domain/sending/delivery-state.ts';
import { resendCutoff } from '#domain/sending/eligibility.ts';
import { type Tx, violatedKey } from '../../../platform/database/db.ts';
import { runPrepared } from '../../../platform/database/driver/prepared-query.ts';
import { onlyRow } from '../../../platform/database/only-row.ts';
import {
  type ChosenPerson,
  chosenPerson,
  chosenPersonId,
  mailAddress,
  mailKey,
  readerOf,
  sendToOf,
  type To,
  withReader,
} from '../../attack-list/chosen-address.queries.ts';
import { isContactedAddress } from '../../attack-list/eligibility.queries.ts';
import { blockReason } from '../../attack-list/eligibility-rules.queries.ts';
import { followUpReason } from '../../attack-list/follow-up.queries.ts';
import type { RunMail } from '../../mail-content/run-mail.ts';
import { isConfirmedAddress } from '../../sender-addresses/confirmed-address.queries.ts';
import { isSuppressed } from '../../suppressions/suppression.queries.ts';
import type { ClaimedRow } from '../leases/claim.ts';
import type { DueBox } from '../queue/due-profiles.queries.ts';
import { cancelledState, HELD, PAUSED } from '../queue/run-rows.queries.ts';

/*
 * Rechecks claimed mails for what may have changed since acceptance: the chosen address, and the permission to send.
 *
 * A member may change the address of a company or its main contact person while its mail waits. The mail takes the new
 * address, and whom it greets, in the claim's transaction. From then on its worker sends it to that address. A mail
 * that may have arrived (`maybe_sent`) never changes its person.
 *
 * Companies may exchange their addresses. A waiting mail whose company has another address now will not be sent to the
 * stored one, so it releases that address for the mail of its new company: `shares_address` takes the mail out of
 * delivery_open_address_key until its own claim.
 */

interface MovedMail {
  readonly id: number;
  readonly mailTo: string;
  /** Another mail of the run has this address, sent or not. */
  readonly isTaken: boolean;
  /** The person to mail; null: the company. */
  readonly person: ChosenPerson | null;
  readonly ceo: string | null;
  /** The mail was to another person, or to the company instead. */
  readonly hasNewReader: boolean;
}

/** What a claim sets of a mail that it moves. */
type Moved = Pick<ClaimedRow, 'mailTo' | 'personId' | 'personInCharge' | 'mergeValues'>;

/**
 * Gives claimed real mails the chosen addresses of their companies, as of now, and their readers.
 * A mail is cancelled if its new address already has a mail of the run, or an open one of the group.
 * cancelBlockedClaims checks the other rules afterwards.
 * @param claims of one account
 * @returns the remaining claims, with their addresses
 */
export async function followAddresses(tx: Tx, claims: readonly ClaimedRow[]): Promise<readonly ClaimedRow[]> {
  const [first] = claims;
  if (!first) return claims;
  const { accountId } = first;
  const moved = await findMoved(tx, accountId, claims);
  if (moved.length === 0) return claims;
  await giveUpAddresses(tx, first, claims, moved);
  const changed = new Map<number, Moved | null>();
  for (const mail of moved) changed.set(mail.id, await moveOrCancel(tx, accountId, mail));
  await shareAddresses(tx, accountId, [...changed.keys()]);
  return claims.flatMap((claim) => {
    const values = changed.get(claim.id);
    return values === null ? [] : [{ ...claim, ...values }];
  });
}

/** Selects waiting mails that will not use their stored address, because their company has another one. */
const isGivenUp = (mail: string, owner: string, to: To, claimed: readonly number[]) => sql<boolean>`
  (${sql.ref(mail)}.state = 'queued' OR ${sql.ref(mail)}.id = ANY (${claimed}::bigint[]))
  AND NOT ${sql.ref(mail)}.test_send_mode AND NOT ${sql.ref(mail)}.maybe_sent
  AND ${sql.ref(mail)}.address_key IS DISTINCT FROM ${mailKey(to, owner)}`;

async function findMoved(tx: Tx, accountId: number, claims: readonly ClaimedRow[]): Promise<MovedMail[]> {
  const ids = claims.map(({ id }) => id);
  const isOfCompanies = claims.every(({ sendTo }) => sendTo === 'company');
  const to: To = isOfCompanies ? 'company' : sendToOf('run');
  const runs = sql`JOIN send_log run ON run.account_id = d.account_id AND run.id = d.send_log_id`;
  const hasNewReader = sql`d.person_id IS DISTINCT FROM ${chosenPersonId(to)}`;
  const { rows } = await sql<MovedMail>`
    SELECT d.id, ${mailAddress(to)} AS "mailTo", ${chosenPerson(to)} AS person, prospect.ceo,
      ${hasNewReader} AS "hasNewReader", EXISTS (
      SELECT FROM delivery other
      JOIN prospect owner ON owner.account_id = other.account_id AND owner.id = other.prospect_id
      WHERE other.account_id = d.account_id AND other.send_log_id = d.send_log_id AND other.id <> d.id
        AND other.state NOT IN ('failed', 'cancelled')
        AND other.address_key = ${mailKey(to)}
        AND NOT (${isGivenUp('other', 'owner', to, ids)})) AS "isTaken"
    FROM delivery d JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
    ${isOfCompanies ? sql`` : runs}
    WHERE d.account_id = ${accountId} AND d.id = ANY (${ids}::bigint[])
      AND NOT d.test_send_mode AND ${mailAddress(to)} <> ''
      AND (${mailAddress(to)} <> d.mail_to OR d.shares_address OR ${hasNewReader})
      AND NOT (d.maybe_sent AND ${hasNewReader})
    ORDER BY ${mailKey(to)}, d.id`.execute(tx);
  return rows;
}

/** Releases stored addresses of waiting mails to which claimed mails move. */
async function giveUpAddresses(
  tx: Tx,
  { accountId, senderGroupId }: ClaimedRow,
  claims: readonly ClaimedRow[],
  moved: readonly MovedMail[],
): Promise<void> {
  const ids = claims.map(({ id }) => id);
  // Locked in one order, so that two claims that exchange addresses do not deadlock.
  await sql`
    WITH given_up AS (
      SELECT d.id FROM delivery d
      JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      JOIN send_log run ON run.account_id = d.account_id AND run.id = d.send_log_id
      WHERE d.account_id = ${accountId} AND d.sender_group_id = ${senderGroupId}
        AND d.address_key = ANY (${moved.map(({ mailTo }) => addressKey(mailTo))}::text[])
        AND d.state IN ('queued', 'claimed') AND NOT d.shares_address
        AND ${isGivenUp('d', 'prospect', sendToOf('run'), ids)}
      ORDER BY d.id FOR UPDATE OF d)
    UPDATE delivery SET shares_address = true
    FROM given_up WHERE delivery.account_id = ${accountId} AND delivery.id = given_up.id`.execute(tx);
}

/** @returns the new values of the mail; null: the mail is cancelled */
async function moveOrCancel(tx: Tx, accountId: number, mail: MovedMail): Promise<Moved | null> {
  const { id, mailTo, isTaken, person, ceo, hasNewReader } = mail;
  const reader = sql`${hasNewReader ? readerOf(person, ceo) : null}::jsonb`;
  const change = async (values: Expression<unknown>) => {
    const { rows } = await sql<Moved>`
      UPDATE delivery d SET ${values} WHERE d.account_id = ${accountId} AND d.id = ${id}
      RETURNING d.mail_to AS "mailTo", d.person_id AS "personId", d.person_in_charge AS "personInCharge",
        d.merge_values AS "mergeValues"`.execute(tx);
    return onlyRow(rows);
  };
  const cancel = async (reason: 'duplicate' | 'open_delivery') => {
    await change(sql`state = ${cancelledState}, reason = ${reason}, lease_until = NULL, worker_id = NULL,
      finished_at = now()`);
    return null;
  };
  if (isTaken) return cancel('duplicate');
  await sql`SAVEPOINT new_address`.execute(tx);
  try {
    const values = await change(sql`mail_to = ${mailTo}, shares_address = false, ${withReader(reader)}`);
    await sql`RELEASE SAVEPOINT new_address`.execute(tx);
    return values;
  } catch (error) {
    // delivery_open_address_key: another open mail of the group has this address, perhaps only since now.
    if (violatedKey(error) === null) throw error;
    await sql`ROLLBACK TO SAVEPOINT new_address`.execute(tx);
    return cancel('open_delivery');
  }
}

/** Records the new addresses as shared, so that previews of other companies with them find the open mails. */
async function shareAddresses(tx: Tx, accountId: number, ids: readonly number[]): Promise<void> {
  await sql`
    SELECT share_addresses(array_agg(account_id), array_agg(prospect_id), array_agg(address_key))
    FROM delivery WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
}

/**
 * Cancels claimed real mails whose company may no longer be mailed, with the reason. Where a reply is unclear they are
 * held: queued, but not claimable until a member decides (cancel-replied.queries.ts).
 * Reasons: it was archived, switched off, suppressed or mailed by another run after the mail was accepted; it replied;
 * or the run may not send from its address: it is not confirmed, or not allowed by the mailbox. With `across_groups`
 * also another group's sent or earlier open mail: the account's row is locked, so that only the mail claimed first is
 * sent. A mail that is sent again after an unknown result (`maybe_sent`) is not cancelled for the contact of its own
 * earlier attempt. If it is cancelled for another reason, it becomes unknown again.
 * @returns the claims that stay
 */
export async function cancelBlockedClaims(
  tx: Tx,
  claims: readonly ClaimedRow[],
  mails: ReadonlyMap<number, RunMail>,
  rules: ClaimRules,
): Promise<ClaimedRow[]> {
  const cancelled = new Set<number>();
  for (const [sendLogId, run] of Map.groupBy(claims, ({ sendLogId }) => sendLogId)) {
    const from = addressKey(mails.get(sendLogId)?.sender.email ?? '');
    const mayUse = rules.box?.fromKeys.includes(from) ?? true;
    const real = run.filter(({ test }) => !test);
    const ids = mayUse ? await cancelBlockedOfRun(tx, real, from, rules) : await cancelOtherFrom(tx, run);
    for (const id of ids) cancelled.add(id);
  }
  return claims.filter(({ id }) => !cancelled.has(id));
}

/** Cancels mails, tests too, whose From the mailbox may not use: its server would refuse it, or replace it. */
async function cancelOtherFrom(tx: Tx, run: readonly ClaimedRow[]): Promise<number[]> {
  const ids = run.map(({ id }) => id);
  const reason: DeliveryReason = 'sender_unconfirmed';
  await sql`
    UPDATE delivery d SET state = ${cancelledState}, reason = ${reason}, finished_at = now(), lease_until = NULL,
      worker_id = NULL
    WHERE d.account_id = ${run[0]?.accountId} AND d.id = ANY (${ids}::bigint[])`.execute(tx);
  return ids;
}

interface ClaimRules {
  /** null: the mails leave by the mail server of the environment, from confirmed addresses. */
  readonly box: DueBox | null;
  readonly now: number;
  /** Mails of the account's other groups count for the re-send interval. */
  readonly acrossGroups: boolean;
}

/**
 * @param run claims of one run, so of one account, group and re-send interval
 * @param from the key of the address that the run sends from
 * @returns ids of cancelled and held mails
 */
async function cancelBlockedOfRun(
  tx: Tx,
  run: readonly ClaimedRow[],
  from: string,
  { now, acrossGroups, box }: ClaimRules,
): Promise<number[]> {
  const [first] = run;
  if (!first) return [];
  const { accountId, senderGroupId, sendLogId, sendTo, daysFromLastday } = first;
  const cutoff = new Date(resendCutoff(now, daysFromLastday));
  const ofMail = { claimedId: sql<number>`d.id`, exceptOwnContactIf: sql<SqlBool>`d.maybe_sent` };
  const scope = { accountId, senderGroupId, sendTo, cutoff, exceptSendLogId: sendLogId, acrossGroups, ...ofMail };
  // The mail's address, which followAddresses has set to the chosen one.
  const address = sql<string | null>`d.address_key`;
  const isRefused = isSuppressed(accountId, address);
  const query = sql<{ id: number }>`
    WITH checked AS MATERIALIZED (
      SELECT d.id, CASE WHEN NOT (${box !== null}::boolean OR ${isConfirmedAddress(accountId, from)})
          THEN 'sender_unconfirmed'
        WHEN ${isRefused} THEN 'suppressed'
        ELSE coalesce(
          ${blockReason(scope)},
          ${followUpReason(sendTo)},
          CASE WHEN NOT d.maybe_sent AND ${isContactedAddress(scope, address)} THEN 'recently_sent' END) END AS reason
      FROM delivery d JOIN prospect ON prospect.account_id = d.account_id AND prospect.id = d.prospect_id
      WHERE d.account_id = ${accountId} AND d.id = ANY (${run.map(({ id }) => id)}::bigint[])
    )
    UPDATE delivery d
    SET state = CASE WHEN checked.reason = ${HELD} THEN 'queued' ELSE ${cancelledState} END, reason = checked.reason,
      not_before = CASE WHEN checked.reason = ${HELD} THEN ${PAUSED} ELSE d.not_before END,
      finished_at = CASE WHEN checked.reason <> ${HELD} THEN now() END, lease_until = NULL, worker_id = NULL
    FROM checked
    WHERE d.account_id = ${accountId} AND d.id = checked.id AND checked.reason IS NOT NULL
    RETURNING d.id`;
  // Prepared: planning takes 5 ms, as long as checking 200 mails. Every value finds the rows by their keys.
  const name = `delivery_recheck_${sendTo}${acrossGroups ? '_across' : ''}`;
  const rows = await runPrepared(tx, name, query);
  return rows.map(({ id }) => id);
}
