import type { RunMail } from '#server/features/mail-content/run-mail.ts';
import type { Db } from '#server/platform/database/db.ts';
import { PUBLIC_URL } from './mailing.ts';
import { LEGAL_PROFILE, profileOf, type Tenant } from './prospects.ts';

/** Adds a company's history in a group, in the form that the sending feature writes. */

export async function addContact(
  db: Db,
  { accountId, senderGroupId }: Tenant,
  prospectId: number,
  at: Date,
): Promise<void> {
  await db
    .insertInto('contact_state')
    .values({ account_id: accountId, sender_group_id: senderGroupId, prospect_id: prospectId, last_sent_at: at })
    .execute();
}

/** Records that the group mailed an address, regardless of the company that had it. */
export async function addAddressContact(
  db: Db,
  { accountId, senderGroupId }: Tenant,
  address: string,
  at: Date,
): Promise<void> {
  const key = { account_id: accountId, sender_group_id: senderGroupId, address_key: address.toLowerCase() };
  await db
    .insertInto('address_contact')
    .values({ ...key, last_sent_at: at })
    .execute();
}

/** Records that a mail of the group to an address was rejected. @param deliveryId the mail's */
export async function addRejection(
  db: Db,
  { accountId, senderGroupId }: Tenant,
  address: string,
  { at, deliveryId = 1 }: { at: Date; deliveryId?: number },
): Promise<void> {
  const key = { account_id: accountId, sender_group_id: senderGroupId, address_key: address.toLowerCase() };
  await db
    .insertInto('address_rejection')
    .values({ ...key, delivery_id: deliveryId, rejected_at: at })
    .execute();
}

/** Adds a reservation with these targets. @returns its id */
export async function addReservation(
  db: Db,
  { accountId, senderGroupId, senderId }: Tenant,
  prospectIds: readonly number[],
  { sendAt, test = false, pending = true }: { sendAt: Date; test?: boolean; pending?: boolean },
): Promise<number> {
  const { id } = await db
    .insertInto('reservation')
    .values({
      account_id: accountId,
      sender_group_id: senderGroupId,
      sender_id: senderId,
      send_at: sendAt,
      test_send_mode: test,
      active: pending,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const prospect_id of prospectIds) {
    await db
      .insertInto('reservation_target')
      .values({
        account_id: accountId,
        sender_group_id: senderGroupId,
        reservation_id: id,
        prospect_id,
        test_send_mode: test,
        mail_to: test ? 'test@example.com' : null,
        pending,
      })
      .execute();
  }
  return id;
}

const RUN_MAIL: RunMail = {
  subject: '件名',
  text_body: '{{ company_name }} 御中',
  html_body: '<p>{{ company_name }} 御中</p>',
  sender: { person_in_charge: '担当', email: 'sender@example.com', bcc: [], reply_to: null, signature: '' },
  account: { name: '利用者', company: '会社' },
  candidate_dates: [],
  legal: { ...LEGAL_PROFILE, public_url: PUBLIC_URL },
};

/** Adds a run with one delivery. @returns the run's id */
export async function addDelivery(
  db: Db,
  { accountId, senderGroupId, senderId }: Tenant,
  prospectId: number,
  { state, test = false, mailTo }: { state: string; test?: boolean; mailTo?: string | null },
): Promise<number> {
  const log = await db
    .insertInto('send_log')
    .values({
      account_id: accountId,
      sender_group_id: senderGroupId,
      sender_id: senderId,
      test_send_mode: test,
      days_from_lastday: 7,
      mail: JSON.stringify(RUN_MAIL),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('delivery')
    .values({
      account_id: accountId,
      send_log_id: log.id,
      sender_group_id: senderGroupId,
      sender_id: senderId,
      profile_id: await profileOf(db, senderId),
      prospect_id: prospectId,
      test_send_mode: test,
      row_index: 0,
      mail_to: mailTo ?? `someone${prospectId}@example.com`,
      company_name: '会社',
      person_in_charge: '',
      message_id: `<${log.id}@example.com>`,
      mail_date: new Date(0),
      state,
      claim_no: state === 'queued' ? 0 : 1,
      lease_until: state === 'claimed' || state === 'sending' ? new Date(0) : null,
    })
    .execute();
  return log.id;
}
