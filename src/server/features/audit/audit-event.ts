/** The kinds of events that are written down, with what is kept of each. Ids are those of the account's own rows. */
interface AuditDetails {
  readonly account_created: { readonly email: string };
  /** The account of the first start has its senders and its list. */
  readonly demo_created: object;

  /** Of the person who asks, and of the account: what was changed, as it is now. */
  readonly profile_changed: { readonly name?: string | undefined; readonly company?: string | undefined };
  readonly password_changed: object;
  readonly password_set_by_operator: { readonly member_id: number };
  readonly email_changed: { readonly from: string; readonly to: string };
  readonly email_set_by_operator: { readonly member_id: number; readonly from: string; readonly to: string };
  /** The old address could not be told that it was changed. */
  readonly email_change_notice_failed: { readonly to: string };

  readonly template_changed: { readonly template_id: number };
  readonly sendgrid_template_set_by_operator: {
    readonly template_id: number;
    readonly sendgrid_template_id: string | null;
  };
  /** What was left out stayed as it was. */
  readonly sender_pace_set_by_operator: {
    readonly sender_id: number;
    readonly mails_per_minute?: number | null | undefined;
    readonly max_connections?: number | undefined;
  };

  readonly prospects_imported: {
    readonly import_run_id: number;
    readonly added: number;
    readonly updated: number;
    readonly refused: number;
  };

  /** `reservation_id`: whose time had come; `memberId` is who had made it. */
  readonly run_accepted: {
    readonly send_log_id: number;
    readonly mails: number;
    readonly is_test: boolean;
    readonly reservation_id?: number;
  };
  /** Mails that were sent by another tool. */
  readonly run_recorded: { readonly send_log_id: number; readonly companies: number };
  readonly run_paused: { readonly send_log_id: number };
  readonly run_resumed: { readonly send_log_id: number };
  readonly run_cancelled: { readonly send_log_id: number };
  readonly run_retried: { readonly send_log_id: number; readonly mails: number };
  readonly unknown_decided: {
    readonly send_log_id: number;
    readonly delivery_id: number;
    readonly decision: 'sent' | 'queued';
  };

  readonly reservation_made: ReservedTargets;
  /** More targets, or other candidate dates. */
  readonly reservation_changed: ReservedTargets;
  readonly reservation_deleted: { readonly reservation_id: number };
}

interface ReservedTargets {
  readonly reservation_id: number;
  /** How many were added. */
  readonly targets: number;
  readonly is_test: boolean;
}

export type AuditKind = keyof AuditDetails;

/** One act, by a member; memberId null: by the operator or a worker. */
export type AuditEvent = {
  [Kind in AuditKind]: {
    readonly accountId: number;
    readonly memberId: number | null;
    readonly kind: Kind;
    readonly detail: AuditDetails[Kind];
  };
}[AuditKind];
