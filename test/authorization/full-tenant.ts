import { createHash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { hashPassword } from '#server/features/auth/password.ts';
import { confirmAddress } from '#server/features/sender-addresses/confirmed-address.queries.ts';
import type { Db } from '#server/platform/database/db.ts';
import { Problem } from '#server/platform/problem.ts';
import { updateMember } from '../accounts.ts';
import { addTestMailbox } from '../mailboxes.ts';
import { addNotice } from '../notices.ts';
import { addOwnData, type OwnData } from '../own-fields.ts';
import { addAddressContact, addContact, addDelivery, addRejection, addReservation } from '../prospect-history.ts';
import { addProspects, addTenant, profileOf, type Tenant } from '../prospects.ts';
import { testSecrets } from '../secrets.ts';

/** An account with a row in every account table; each of its texts contains `marker`. */
export interface FullTenant extends Tenant, OwnData {
  readonly marker: string;
  /** The template of the sender's mails. */
  readonly templateId: number;
  /** A template that no sender uses. */
  readonly spareTemplateId: number;
  /** A folder without templates. */
  readonly folderId: number;
  /** Unmailed companies; the reservation's target is the last one. */
  readonly prospectIds: readonly number[];
  /** The 主担当 of the second company. */
  readonly personId: number;
  readonly reservationId: number;
  readonly sendLogId: number;
  /** A run with a queued mail and a mail with an unknown outcome. */
  readonly openRunId: number;
  readonly unknownDeliveryId: number;
  readonly password: string;
  /** A session of the member, whose token nobody has. */
  readonly sessionId: string;
  /**
   * The requested, unconfirmed address.
   * It has an unused ticket for its mail, and the unused secret of a sent mail.
   */
  readonly pending: string;
  readonly ticket: string;
  readonly secret: string;
  /** A mailbox of the member, by which no sender sends. */
  readonly mailboxId: number;
  /** A mailbox of Google, with a consent on its way and its state. */
  readonly googleMailboxId: number;
  readonly consentState: string;
  /** The person of the tenant's sender. */
  readonly senderProfileId: number;
  /** A sender with an unconfirmed address, and the unused secret of its mail. */
  readonly unconfirmedSenderId: number;
  readonly senderSecret: string;
  /** The unused key of a password reset link. */
  readonly resetKey: string;
  /** A finished export, whose file contains the marker. */
  readonly jobId: number;
  /** A checked import, whose file and review contain the marker. */
  readonly importId: number;
  /** An import that can be undone. */
  readonly doneImportId: number;
  /** A saved condition that the account shares. */
  readonly conditionId: number;
  readonly suppressionId: number;
  readonly closingDayId: number;
  /** An unread notice of the member. */
  readonly noticeId: number;
  /** An open reply to the sent mail. */
  readonly replyId: number;
  /** The company that replied, and the mail. */
  readonly repliedProspectId: number;
  readonly repliedDeliveryId: number;
  /** The key of a sent mail. */
  readonly mailKey: string;
  /** The Idempotency-Key of the open run's request. */
  readonly key: string;
  /** An open invitation, and the key of its mail. */
  readonly invitationId: number;
  readonly invitationKey: string;
}

const PASSWORD = '正しい馬 電池 ホチキス';
/** Hashed once, because hashing is slow. */
const passwordHash = hashPassword(PASSWORD);

const DAY_MS = 24 * 60 * 60 * 1000;

const sha256 = (text: string) => createHash('sha256').update(text).digest();

export async function addFullTenant(db: Db, marker: string): Promise<FullTenant> {
  const tenant = await addTenant(db);
  const { accountId: account_id, memberId: member_id, senderGroupId: sender_group_id, senderId: sender_id } = tenant;
  const pending = `${marker}-new-${account_id}@example.com`;
  const ticket = sha256(`ticket ${marker} ${account_id}`).toString('base64url');
  const secret = sha256(`secret ${marker} ${account_id}`).toString('base64url');
  const validUntil = new Date(Date.now() + DAY_MS);
  await db.updateTable('account').set({ company: marker }).where('id', '=', account_id).execute();
  await updateMember(db, account_id, {
    email: `${marker}-${account_id}@example.com`,
    email_before_confirmation: pending,
    name: marker,
    passwordHash: await passwordHash,
  });
  await db.updateTable('sender_group').set({ group_name: marker }).where('account_id', '=', account_id).execute();
  await db
    .updateTable('legal_profile')
    .set({ official_name: `株式会社${marker}`, department: marker, confirmed_by: member_id })
    .where('account_id', '=', account_id)
    .execute();
  await db.updateTable('sender').set({ subject: marker, member_id }).where('account_id', '=', account_id).execute();
  await db
    .updateTable('sender_profile')
    .set({
      person_in_charge: marker,
      email: `${marker}@example.com`,
      bcc: `${marker}-bcc@example.com`,
      reply_to: `${marker}-reply@example.com`,
      signature: marker,
      member_id,
    })
    .where('account_id', '=', account_id)
    .execute();
  await confirmAddress(db, account_id, `${marker}@example.com`);
  const { id: templateId } = await db
    .updateTable('mail_template')
    .set({ name: marker, subject: marker, text_body: marker, html_body: marker })
    .where('account_id', '=', account_id)
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: spareTemplateId } = await db
    .insertInto('mail_template')
    .values({ account_id, member_id, name: marker, subject: marker, text_body: marker, html_body: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: folderId } = await db
    .insertInto('mail_template_folder')
    .values({ account_id, name: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { unconfirmedSenderId, senderSecret } = await addUnconfirmedSender(db, tenant, { marker, templateId });
  await db
    .insertInto('domain_check')
    .values({ account_id, domain: domainOf(marker), result: JSON.stringify([]), checked_at: new Date(0) })
    .execute();
  await db
    .insertInto('domain_test')
    .values({ account_id, domain: domainOf(marker), key: randomUUID(), sent_at: new Date(0), waits: true })
    .execute();

  const company = (n: number) => ({
    company_name: `${marker}${n}`,
    company_email: `${marker}${n}@example.com`,
    ceo: marker,
    address: `${marker}東京`,
    major_industry_type: marker,
    included_industry_type: `${marker}、製造業`,
    company_url: `https://${marker}.example.com`,
    contact_url: `https://${marker}.example.com/contact`,
    phone: `03-0000-0000 ${marker}`,
    amount_of_sales: n,
  });
  const prospectIds = await addProspects(
    db,
    account_id,
    Array.from({ length: 5 }, (_, n) => company(n)),
  );
  const personId = await addPersonOf(db, account_id, { prospectId: prospectIds[1] ?? 0, marker });
  const others = [5, 6, 7, 8, 9].map(company);
  const [mailed = 0, remarked = 0, recorded = 0, waiting = 0, doubtful = 0] = await addProspects(
    db,
    account_id,
    others,
  );

  await db
    .insertInto('audit_event')
    .values({ account_id, member_id, kind: marker, detail: JSON.stringify({ marker }) })
    .execute();
  await db
    .insertInto('create_key')
    .values({ account_id, key: marker, request_hash: sha256(marker), answer: JSON.stringify({ marker }) })
    .execute();
  await db
    .insertInto('email_change')
    .values({
      account_id,
      member_id,
      email: pending,
      ticket_hash: sha256(ticket),
      ticket_expires_at: validUntil,
      secret_hash: sha256(secret),
      secret_expires_at: validUntil,
    })
    .execute();
  await db
    .insertInto('active_prospect')
    .values({ account_id, sender_group_id, prospect_id: remarked, remarks: marker })
    .execute();
  const profile_id = await profileOf(db, sender_id);
  await db.insertInto('sender_throttle').values({ account_id, profile_id }).execute();
  await db
    .insertInto('sender_connection')
    .values({ account_id, profile_id, worker_id: crypto.randomUUID(), connections: 1, lease_until: new Date(0) })
    .execute();
  const { id: suppressionId } = await db
    .insertInto('suppression')
    .values({ account_id, member_id, kind: 'domain', value: `${marker}.jp`, reason: marker, note: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  const lifted = { kind: 'domain', value: `${marker}.lifted.jp`, class: 'blocked', source: 'manual', reason: '' };
  await db
    .insertInto('lifted_suppression')
    .values({ account_id, id: 0, ...lifted, note: marker, created_at: new Date(0) })
    .execute();
  await db
    .insertInto('suppression_hash')
    .values({ account_id, hash: sha256(`erased ${marker}`), class: 'refused', source: 'erased' })
    .execute();
  await db
    .insertInto('erased_address')
    .values({ account_id, hash: sha256(`erased ${marker}`) })
    .execute();
  const counts = { rows_read: 0, rows_added: 0, rows_updated: 0, rows_refused: 0 };
  const { id: doneImportId } = await db
    .insertInto('import_run')
    .values({ account_id, file_name: marker, encoding: 'utf-8', imported_at: new Date(), ...counts })
    .returning('id')
    .executeTakeFirstOrThrow();
  const changes = JSON.stringify({ ceo: [null, marker] });
  await db
    .insertInto('prospect_change')
    .values({ account_id, member_id, prospect_id: prospectIds[0] ?? 0, kind: 'edited', changes })
    .execute();
  await addContact(db, tenant, mailed, new Date(0));
  await addAddressContact(db, tenant, `${marker}5@example.com`, new Date(0));
  await addRejection(db, tenant, `${marker}5@example.com`, { at: new Date(0) });
  await db
    .insertInto('shared_address')
    .values({ account_id, prospect_id: mailed, address_key: `${marker}5@example.com` })
    .execute();
  const reservationId = await addReservation(db, tenant, prospectIds.slice(-1), {
    sendAt: new Date(Date.now() + DAY_MS),
  });
  const sendLogId = await addDelivery(db, tenant, mailed, { state: 'sent' });
  const nextAt = new Date(Date.now() + DAY_MS);
  await db.insertInto('account_rule').values({ account_id, undo_seconds: 30 }).execute();
  await db.insertInto('mail_retention').values({ account_id, months: 24, next_at: nextAt }).execute();
  const closingDayId = await addSendingRules(db, tenant, { profile_id, marker });
  const openRunId = await addDelivery(db, tenant, waiting, { state: 'queued' });
  const key = `${marker}-${openRunId}`;
  await db.updateTable('send_log').set({ idempotency_key: key }).where('id', '=', openRunId).execute();
  const { id: repliedDeliveryId, mail_key } = await db
    .selectFrom('delivery')
    .select(['id', 'mail_key'])
    .where('account_id', '=', account_id)
    .where('send_log_id', '=', sendLogId)
    .executeTakeFirstOrThrow();
  const { id: unknownDeliveryId } = await db
    .selectFrom('delivery')
    .select('id')
    .where('account_id', '=', account_id)
    .where('send_log_id', '=', await addDelivery(db, tenant, doubtful, { state: 'unknown' }))
    .executeTakeFirstOrThrow();
  await db
    .updateTable('delivery')
    .set({
      company_name: marker,
      person_in_charge: marker,
      mail_to: sql`${marker} || '-mail' || prospect_id || '@example.com'`,
      smtp_reply: marker,
      // A sent mail has the time of its end: otherwise each later update would move the contact of its address.
      finished_at: sql`CASE WHEN state = 'sent' THEN created_at END`,
    })
    .where('account_id', '=', account_id)
    .execute();
  await sql`UPDATE send_log SET mail = jsonb_set(mail, '{subject}', to_jsonb(${marker}::text)) WHERE account_id = ${account_id}`.execute(
    db,
  );
  await db
    .insertInto('bounce')
    .values({
      account_id,
      delivery_id: unknownDeliveryId,
      class: 'soft',
      send_log_id: sendLogId,
      reply: marker,
      is_forwarded: false,
      message_hashes: [sha256(marker)],
    })
    .execute();
  const { id: replyId } = await db
    .insertInto('reply')
    .values({
      account_id,
      delivery_id: repliedDeliveryId,
      prospect_id: mailed,
      kind: 'reply',
      from_address: marker,
      subject: marker,
      excerpt: marker,
      member_id,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await addReportSums(db, tenant, sendLogId);
  await db
    .insertInto('recorded_contact')
    .values({ account_id, send_log_id: sendLogId, prospect_id: recorded })
    .execute();
  await db.insertInto('sample_company').values({ account_id, prospect_id: remarked }).execute();
  const jobId = await addExport(db, tenant, marker);
  const importId = await addImport(db, tenant, marker);
  const { id: conditionId } = await db
    .insertInto('saved_condition')
    .values({ account_id, member_id, name: marker, name_key: marker, where_info: JSON.stringify({ address: marker }) })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('notice_event').values({ account_id, kind: 'reply', subject_id: remarked }).execute();
  const own = await addOwnData(db, account_id, prospectIds[0] ?? 0, marker);
  const ids = {
    ...own,
    noticeId: await addNotice(db, tenant, remarked),
    jobId,
    importId,
    doneImportId,
    conditionId,
    templateId,
    spareTemplateId,
    folderId,
    senderProfileId: profile_id,
    unconfirmedSenderId,
    senderSecret,
    prospectIds,
    personId,
    reservationId,
    sendLogId,
    openRunId,
    unknownDeliveryId,
    suppressionId,
    closingDayId,
    replyId,
    repliedProspectId: mailed,
    repliedDeliveryId,
    mailKey: mail_key?.replaceAll('-', '') ?? '',
  };
  await db
    .insertInto('account_host')
    .values({ account_id, host: `${marker}-${account_id}.example.jp`.toLowerCase(), is_current: false })
    .execute();
  await db
    .insertInto('held_arrival')
    .values({ account_id, kind: 'mail', head: JSON.stringify({ marker }), digest: sha256(marker) })
    .execute();
  const invitationKey = sha256(`invitation ${marker} ${account_id}`).toString('base64url');
  const { id: invitationId } = await db
    .insertInto('invitation')
    .values({
      account_id,
      email: `${marker}-invited-${account_id}@example.com`,
      role: 'sales',
      invited_by: member_id,
      secret_hash: sha256(invitationKey),
      expires_at: validUntil,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  // Groups bind only a member of the role `sales`.
  await db.insertInto('member_group').values({ account_id, member_id, sender_group_id }).execute();
  await db
    .insertInto('moved_mail')
    .values({ account_id, delivery_id: 0, mail_key: randomUUID(), message_uuid: randomUUID(), is_test: false })
    .execute();
  const resetKey = sha256(`reset ${marker} ${account_id}`).toString('base64url');
  await db
    .insertInto('password_reset')
    .values({ account_id, member_id, secret_hash: sha256(resetKey), expires_at: validUntil })
    .execute();
  await addSecondStep(db, tenant, marker);
  await addCompanyLogIn(db, account_id, marker);
  const { id: sessionId } = await db
    .insertInto('session')
    .values({ account_id, member_id, token_hash: sha256(`session ${marker} ${account_id}`), agent: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  const boxes = await addMailboxes(db, tenant, marker);
  const invited = { invitationId, invitationKey, sessionId, ...boxes };
  return { ...tenant, marker, ...ids, ...invited, password: PASSWORD, pending, ticket, secret, resetKey, key };
}

/** Adds the 主担当 of a company. @returns its id */
async function addPersonOf(
  db: Db,
  account_id: number,
  { prospectId, marker }: { prospectId: number; marker: string },
): Promise<number> {
  const email = `${marker}-person@example.com`;
  const { id } = await db
    .insertInto('person')
    .values({
      account_id,
      prospect_id: prospectId,
      name: marker,
      name_key: marker,
      department: marker,
      title: marker,
      phone: `090-0000-0000 ${marker}`,
      met_on: '2026-11-20',
      email,
      email_search: email,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .updateTable('prospect')
    .set({ person_id: id, person_email: email, person_email_search: email })
    .where('id', '=', prospectId)
    .execute();
  return id;
}

/** Adds an unconfirmed second step, for which the log-in asks no code, a recovery code and a trusted browser. */
async function addSecondStep(
  db: Db,
  { accountId: account_id, memberId: member_id }: Tenant,
  marker: string,
): Promise<void> {
  const row = { accountId: account_id, row: member_id, kind: 'totp' } as const;
  const sealed = await testSecrets.seal(db, row, Buffer.from(marker));
  if (sealed instanceof Problem) throw new Error(sealed.message);
  const hash = sha256(marker);
  await db
    .insertInto('member_totp')
    .values({ account_id, member_id, ...sealed })
    .execute();
  await db.insertInto('recovery_code').values({ account_id, member_id, hash }).execute();
  const expires_at = new Date(Date.now() + DAY_MS);
  await db.insertInto('trusted_device').values({ account_id, member_id, hash, expires_at }).execute();
}

/** Adds a registration with a company's provider, and a log-in on its way. */
async function addCompanyLogIn(db: Db, account_id: number, marker: string): Promise<void> {
  const row = { accountId: account_id, row: account_id, kind: 'oidc' } as const;
  const sealed = await testSecrets.seal(db, row, Buffer.from(`secret of ${marker}`));
  if (sealed instanceof Problem) throw new Error(sealed.message);
  const hash = sha256(`${marker} ${account_id}`);
  const named = { issuer: `https://${marker}.example`, client_id: marker, domains: [`${marker}.example`] };
  await db
    .insertInto('oidc')
    .values({ account_id, provider: 'other', ...named, ...sealed, link_key: hash.subarray(0, 16), active: true })
    .execute();
  const start = { state_hash: hash, nonce: marker, verifier: marker, browser_hash: hash };
  await db
    .insertInto('oidc_start')
    .values({ account_id, ...start, expires_at: new Date(Date.now() + DAY_MS) })
    .execute();
}

/** Adds a mailbox, a registration at its provider, and a consent on its way. */
async function addMailboxes(db: Db, { accountId: account_id, memberId }: Tenant, marker: string) {
  const names = { name: marker, address: `box@${marker}.example`, smtp_host: `smtp.${marker}.example` };
  const mailboxId = await addTestMailbox(db, account_id, {
    ...names,
    owner_id: memberId,
    password: `password of ${marker}`,
  });
  const googleMailboxId = await addTestMailbox(db, account_id, {
    ...names,
    kind: 'google',
    address: `google@${marker}.example`,
    owner_id: memberId,
    tokens: { refreshToken: `refresh token of ${marker}`, accessToken: `access token of ${marker}`, life: 3600 },
  });
  const row = { accountId: account_id, row: account_id, kind: 'oauth_google' } as const;
  const sealed = await testSecrets.seal(db, row, Buffer.from(`secret of the application of ${marker}`));
  if (sealed instanceof Problem) throw new Error(sealed.message);
  await db
    .insertInto('oauth_app')
    .values({ account_id, provider: 'google', client_id: marker, ...sealed })
    .execute();
  const consentState = `consent of ${marker} ${account_id}`;
  const start = { state_hash: sha256(consentState), redirect_uri: marker, verifier: marker };
  const expires_at = new Date(Date.now() + DAY_MS);
  await db
    .insertInto('oauth_start')
    .values({ account_id, member_id: memberId, mailbox_id: googleMailboxId, ...start, expires_at })
    .execute();
  return { mailboxId, googleMailboxId, consentState };
}

/** Adds hours, a closing day and limits. @returns the id of the closing day */
async function addSendingRules(
  db: Db,
  { accountId: account_id, senderGroupId: sender_group_id }: Tenant,
  { profile_id, marker }: { readonly profile_id: number; readonly marker: string },
): Promise<number> {
  const periods = JSON.stringify([{ weekday: 1, opens: 480, closes: 1260 }]);
  await db.insertInto('business_hours').values({ account_id, sender_group_id, periods }).execute();
  await db.insertInto('sender_limit').values({ account_id, profile_id, per_day: 1000 }).execute();
  const { id } = await db
    .insertInto('closing_day')
    .values({ account_id, sender_group_id, first_day: '2099-12-01', last_day: '2099-12-01', name: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds the report's sums, with a number of mails that the API shows nowhere else, so that it is recognisable. */
async function addReportSums(
  db: Db,
  { accountId: account_id, senderGroupId: sender_group_id }: Tenant,
  send_log_id: number,
): Promise<void> {
  const results = { sent: 7_770_777, failed: 0, unknown: 0, replied: 0, refused: 0 };
  const figures = { ...results, complained: 0, dead: 0 };
  const hour = REPORTED_DAY * 24;
  await db
    .insertInto('report_hour')
    .values({ account_id, hour, sender_group_id, ...figures })
    .execute();
  await db
    .insertInto('report_industry')
    .values({ account_id, day: REPORTED_DAY, sender_group_id, ...results })
    .execute();
  await db
    .insertInto('report_change')
    .values({ account_id, hour, send_log_id, ...figures })
    .execute();
}

/** 2026-11-20, in days since 1970-01-01. */
const REPORTED_DAY = 20_777;

/** The domain of the account's unconfirmed sender, which no other account has. */
export const domainOf = (marker: string): string => `${marker}.example.com`;

/** Adds a sender with an unconfirmed address. */
async function addUnconfirmedSender(
  db: Db,
  { accountId: account_id, senderGroupId: sender_group_id }: Tenant,
  { marker, templateId: template_id }: { marker: string; templateId: number },
) {
  const email = `unconfirmed@${domainOf(marker)}`;
  const { id: profile_id } = await db
    .insertInto('sender_profile')
    .values({ account_id, sender_group_id, person_in_charge: marker, email })
    .returning('id')
    .executeTakeFirstOrThrow();
  const { id: unconfirmedSenderId } = await db
    .insertInto('sender')
    .values({ account_id, sender_group_id, profile_id, template_id, subject: marker })
    .returning('id')
    .executeTakeFirstOrThrow();
  const senderSecret = sha256(`sender secret ${marker} ${account_id}`).toString('base64url');
  const expires_at = new Date(Date.now() + DAY_MS);
  await db
    .insertInto('sender_confirmation')
    .values({
      account_id,
      sender_id: unconfirmedSenderId,
      email,
      secret_hash: sha256(senderSecret),
      expires_at,
      sent_at: new Date(),
    })
    .execute();
  return { unconfirmedSenderId, senderSecret };
}

/** Returns all tables that belong to accounts. */
export async function tenantTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND relname NOT IN ('inbox', 'inbox_parse', 'installation', 'rate_limit', 'receipt_worker', 'schema_migration', 'task_run', 'transport')
    ORDER BY relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns a fingerprint of each table of an account, except sessions, which change with their use. */
export async function fingerprint(db: Db, accountId: number): Promise<Record<string, string>> {
  const tables = (await tenantTables(db)).filter((table) => table !== 'session');
  const prints = tables.map((table) => {
    const key = table === 'account' ? 'id' : 'account_id';
    return sql<{ table: string; print: string }>`
      SELECT ${sql.lit(table)} AS table,
        count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\n' ORDER BY t::text)), '') AS print
      FROM ${sql.table(table)} t WHERE ${sql.ref(key)} = ${accountId}`;
  });
  // One statement for all tables, because the matrix takes hundreds of fingerprints.
  const { rows } = await sql<{ table: string; print: string }>`${sql.join(prints, sql` UNION ALL `)}`.execute(db);
  return Object.fromEntries(rows.map(({ table, print }) => [table, print]));
}

/** Adds a finished export with its file. @returns its id */
async function addExport(db: Db, { accountId: account_id, memberId: member_id }: Tenant, marker: string) {
  const { id: job_id } = await db
    .insertInto('job')
    .values({
      account_id,
      member_id,
      kind: 'export',
      state: 'done',
      input: JSON.stringify({ what: 'runs', format: 'csv_utf8' }),
      finished_at: sql<Date>`now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const file_id = await addFile(db, { account_id, job_id, name: marker }, Buffer.from(marker));
  const result = JSON.stringify({ file_id, rows: 1, replaced: 0 });
  await db.updateTable('job').set({ result }).where('id', '=', job_id).execute();
  return job_id;
}

/** Adds a file that is stored for a day. @returns its id */
async function addFile(
  db: Db,
  { account_id, job_id = null, name }: { account_id: number; job_id?: number | null; name: string },
  content: Buffer,
): Promise<number> {
  const { id: file_id } = await db
    .insertInto('stored_file')
    .values({
      account_id,
      job_id,
      name,
      media_type: 'text/csv',
      bytes: content.length,
      expires_at: sql<Date>`now() + interval '1 day'`,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db.insertInto('stored_file_piece').values({ account_id, file_id, start: 0, content }).execute();
  return file_id;
}

/** Adds a checked import with its file, a faulty row and remembered columns. @returns its id */
async function addImport(db: Db, { accountId: account_id, memberId: member_id }: Tenant, marker: string) {
  const content = Buffer.from(`会社名\n${marker}\n`);
  const file_id = await addFile(db, { account_id, name: marker }, content);
  await db
    .insertInto('import_line')
    .values({ account_id, file_id, kind: 'refused', file_row: 2, value: marker, reason: marker, cells: [marker] })
    .execute();
  await db
    .insertInto('import_mapping')
    .values({ account_id, heading_hash: Buffer.from(marker), columns: JSON.stringify([]) })
    .execute();
  const counts = { rows_read: 0, rows_added: 0, rows_updated: 0, rows_refused: 0 };
  const { id } = await db
    .insertInto('import_run')
    .values({
      account_id,
      member_id,
      file_name: marker,
      state: 'checked',
      file_id,
      file_bytes: content.length,
      review: JSON.stringify({ ...EMPTY_REVIEW, ignored_columns: [marker] }),
      ...counts,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const EMPTY_REVIEW = {
  rows: 1,
  added: 1,
  updated: 0,
  unchanged: 0,
  refused: 0,
  repeated: 0,
  closed: 0,
  blanked: 0,
  cut_phone: 0,
  phones: 'mend',
  suppressed: 0,
  archived: 0,
  encoding: 'utf-8',
  heading: ['会社名'],
  groups: [],
};
