import type { Provider } from '#domain/account/company-identity.ts';
import type { Role } from '#domain/account/role.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { insertRows } from '../../platform/database/driver/insert-rows.ts';
import type { CompanyEvents } from './company-events.ts';
import type { LogInEvents } from './log-in-events.ts';
import type { MailboxEvents } from './mailbox-events.ts';
import type { MemberEvents } from './member-events.ts';
import type { SendingEvents } from './sending-events.ts';

/** Audit events of senders: groups, domains, limits and legal profiles. */
export interface SenderEvents {
  readonly sender_group_added: { readonly sender_group_id: number; readonly group_name: string };
  /** Omitted values did not change. */
  readonly sender_group_changed: {
    readonly sender_group_id: number;
    readonly group_name?: string | undefined;
    readonly active?: boolean | undefined;
  };
  readonly sender_added: { readonly sender_id: number; readonly email: string };
  /** `fields` names what changed; `email` is the new address, if it is among them. */
  readonly sender_changed: {
    readonly sender_id: number;
    readonly fields: readonly string[];
    readonly email?: string | undefined;
  };
  readonly sender_profile_changed: {
    readonly sender_profile_id: number;
    readonly fields: readonly string[];
    readonly email?: string | undefined;
  };
  /** Templates of a profile, or profiles of a template, were set: senders restored, added and deactivated. */
  readonly senders_chosen: {
    readonly profile_id?: number;
    readonly template_id?: number;
    readonly on: readonly number[];
    readonly added: readonly number[];
    readonly off: readonly number[];
  };
  readonly sender_confirmation_requested: { readonly sender_id: number; readonly to: string };
  /** The owner of the mailbox confirmed the address with the mailed link. */
  readonly sender_address_confirmed: { readonly sender_id: number; readonly email: string };

  /** A test mail from the domain to our own inbox was requested. Written before the mail is sent. */
  readonly domain_test_requested: { readonly domain: string };

  /** `fields` names the changed texts; `confirmed`: whether the content is confirmed now. */
  readonly legal_profile_changed: {
    readonly sender_group_id: number;
    readonly fields: readonly string[];
    readonly confirmed: boolean;
  };

  readonly sending_hours_changed: {
    readonly sender_group_id: number;
    readonly outside: 'warn' | 'hold';
    readonly on_holidays: boolean;
  };
  /** sender_group_id null: for all groups. */
  readonly closing_days_added: { readonly sender_group_id: number | null; readonly days: number };
  readonly closing_day_changed: { readonly closing_day_id: number };
  readonly closing_day_removed: { readonly closing_day_id: number };
  /** per_day null: the profile has no limit. */
  readonly sender_limit_changed: { readonly sender_profile_id: number; readonly per_day: number | null };
  /** Omitted values did not change. */
  readonly sender_pace_set_by_operator: {
    readonly sender_id: number;
    readonly mails_per_minute?: number | null | undefined;
    readonly max_connections?: number | undefined;
  };
}

/** Audit events of the account, of its members, and of what they export. */
export interface AccountEvents {
  readonly account_created: { readonly email: string };
  /** The first start has created the demo account with its senders and its list. */
  readonly demo_created: object;

  /** The new values: the member's name, the account's company. */
  readonly profile_changed: { readonly name?: string | undefined; readonly company?: string | undefined };
  readonly password_changed: object;
  /** A visitor (null) or an admin asked for a link for a new password; it was mailed to member_id. */
  readonly password_reset_requested: { readonly member_id: number };
  /** The owner of the mailbox set a new password with the mailed link. */
  readonly password_reset: object;
  readonly password_set_by_operator: { readonly member_id: number };
  readonly email_changed: { readonly from: string; readonly to: string };
  readonly email_set_by_operator: { readonly member_id: number; readonly from: string; readonly to: string };
  /** The notice of the change could not be sent to the old address. */
  readonly email_change_notice_failed: { readonly to: string };

  /** host null: the account has no host of its own any more. */
  readonly host_set_by_operator: { readonly host: string | null };
  readonly frozen_by_operator: { readonly move_number: number };
  /** `held`: how many waiting requests from outside were carried out. */
  readonly thawed_by_operator: { readonly held: number };
  /** Written at the home that the account left. `to`: the new origin. `moves`: the number of moves before this one. */
  readonly account_moved: { readonly to: string; readonly moves: number };
  /** Written at the new home. `from_cell`: the account's old cell. `moves`: how many, this one included. */
  readonly account_arrived: { readonly from_cell: number; readonly moves: number };
  /**
   * The second steps of these members, the company's log-in, and what these mailboxes log in with were deleted: the key
   * that sealed them is lost.
   */
  readonly secrets_reset_by_operator: {
    readonly member_ids: readonly number[];
    readonly oidc?: true | undefined;
    readonly mailbox_ids?: readonly number[] | undefined;
  };
  /** The database was restored from a backup of `backup_at`. */
  readonly restored: { readonly backup_at: string };
  /** The operator resumed sending in the whole database after it had been set back. */
  readonly sending_resumed: object;

  /** The member hid the first-steps bar, or showed it again. */
  readonly first_steps_dismissed: { readonly dismissed: boolean };

  /** How the member is notified from now on. `*_off`: kinds that are not shown, or not mailed. */
  readonly notice_settings_changed: {
    readonly screen_off: readonly string[];
    readonly mail_off: readonly string[];
    readonly failure_percent: number;
    readonly morning_summary: boolean;
  };

  /** Omitted rules did not change. */
  readonly account_rule_changed: {
    readonly undo_seconds?: number | undefined;
    readonly per_day?: number | null | undefined;
    readonly per_domain?: number | undefined;
    readonly across_groups?: 0 | 1 | undefined;
    readonly export_needs_admin?: 0 | 1 | undefined;
    readonly two_factor_required?: 0 | 1 | undefined;
    readonly login_networks?: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
    readonly password_off?: 0 | 1 | undefined;
  };
  /** The new registration with the company's provider. */
  readonly oidc_changed: {
    readonly provider: Provider;
    readonly issuer: string;
    readonly client_id: string;
    readonly domains: readonly string[];
    readonly active: 0 | 1;
    readonly secret_changed: boolean;
  };

  readonly login_networks_removed_by_operator: { readonly removed: readonly string[] };

  readonly member_invited: { readonly invitation_id: number; readonly email: string; readonly role: Role };
  readonly invitation_accepted: { readonly invitation_id: number; readonly email: string; readonly role: Role };
  readonly member_added_by_operator: { readonly member_id: number; readonly email: string; readonly role: Role };
  /** The name and the address of a stopped member were blanked. */
  readonly member_erased_by_operator: { readonly member_id: number };

  /** months null: mails keep names and addresses. */
  readonly mail_retention_changed: { readonly months: number | null };

  readonly export_started: { readonly job_id: number; readonly what: string; readonly format: string };
  readonly export_deleted: { readonly job_id: number; readonly state: string };
  readonly job_cancelled: { readonly job_id: number; readonly job_kind: string };
}

export type ByOperator<Events> = { readonly [Kind in keyof Events & string as `${Kind}_by_operator`]: Events[Kind] };

/** Audit events of templates and their folders. */
export interface TemplateEvents {
  /** A person confirmed that SendGrid's template shows the footer, or withdrew the confirmation. */
  readonly sendgrid_footer_confirmed: { readonly template_id: number; readonly confirmed: boolean };
  readonly template_added: { readonly template_id: number; readonly name: string };
  /** `restored_version`: the number of the version whose content was saved again. */
  readonly template_changed: { readonly template_id: number; readonly restored_version?: number };
  /** folder_id null: moved out of all folders. */
  readonly template_moved: { readonly template_id: number; readonly folder_id: number | null };
  /** `deactivated`: how many senders used it. */
  readonly template_archived: { readonly template_id: number; readonly deactivated?: number };
  readonly template_restored: { readonly template_id: number };
  /** A mail of the unsaved content to the member's own address was requested. Written before the mail is sent. */
  readonly template_test_requested: { readonly template_id: number; readonly to: string };
  /** The requested test mail was sent. */
  readonly template_test_sent: { readonly template_id: number; readonly to: string };
  readonly template_folder_added: { readonly folder_id: number; readonly name: string };
  readonly template_folder_renamed: { readonly folder_id: number; readonly name: string };
  readonly template_folder_removed: { readonly folder_id: number; readonly name: string };
  readonly sendgrid_template_set_by_operator: {
    readonly template_id: number;
    readonly sendgrid_template_id: string | null;
  };
}

/** The kinds of audit events with their details. All ids are of the account's rows. */
export interface AuditDetails
  extends AccountEvents,
    LogInEvents,
    MemberEvents,
    ByOperator<MemberEvents>,
    SenderEvents,
    MailboxEvents,
    TemplateEvents,
    CompanyEvents,
    SendingEvents {}

type AuditKind = keyof AuditDetails;

/** Audit events that concern all accounts at once. */
type AuditOfAll = { [Kind in 'restored' | 'sending_resumed']: readonly [kind: Kind, detail: AuditDetails[Kind]] };

/** An audited action. memberId null: an operator or a worker did it. */
type AuditEvent = {
  [Kind in AuditKind]: {
    readonly accountId: number;
    readonly memberId: number | null;
    readonly kind: Kind;
    readonly detail: AuditDetails[Kind];
  };
}[AuditKind];

/** Inserts an audit row in the transaction of the action, so that both are committed or neither. */
export async function recordAudit(tx: Db, event: AuditEvent): Promise<void> {
  await auditInsert(tx, event).execute();
}

const TYPES = { account_id: 'bigint', member_id: 'bigint', kind: 'text', detail: 'jsonb' } as const;

/** Inserts many audit rows, in the transaction of their action. */
export async function recordAudits(tx: Tx, events: readonly AuditEvent[]): Promise<void> {
  await insertRows(tx, 'audit_event', TYPES, events.map(rowOf), (insert) => insert);
}

/** Inserts the audit row of an act on a member, as `…_by_operator` for the operator (memberId null). */
export const recordMemberAct = <Kind extends keyof MemberEvents>(
  tx: Db,
  who: Pick<AuditEvent, 'accountId' | 'memberId'>,
  kind: Kind,
  detail: MemberEvents[Kind],
): Promise<void> =>
  recordAudit(tx, { ...who, kind: who.memberId === null ? `${kind}_by_operator` : kind, detail } as AuditEvent);

/** Returns the audit insert as a query, for a transaction of a bare client (COPY). */
export const auditInsert = (db: Db, event: AuditEvent) => db.insertInto('audit_event').values({ ...rowOf(event) });

const rowOf = ({ accountId, memberId, kind, detail }: AuditEvent) => ({
  account_id: accountId,
  member_id: memberId,
  kind,
  detail: JSON.stringify(detail),
});

/** Returns the statement that inserts an audit row for each account of this database, in the form of pg. */
export const auditOfAll = (...[kind, detail]: AuditOfAll[keyof AuditOfAll]) => ({
  text: `INSERT INTO audit_event (account_id, kind, detail)
    SELECT id, $1, $2::jsonb FROM account WHERE moved_to IS NULL AND NOT is_arriving`,
  values: [kind, JSON.stringify(detail)],
});
