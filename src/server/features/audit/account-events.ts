/** Audit events of the account, of its members, and of what they export. */
export interface AccountEvents {
  readonly account_created: { readonly email: string };
  /** The first start has created the demo account with its senders and its list. */
  readonly demo_created: object;

  /** The new values: the member's name, the account's company. */
  readonly profile_changed: { readonly name?: string | undefined; readonly company?: string | undefined };
  readonly password_changed: object;
  /** A visitor asked for a link for a new password; it was mailed to member_id. */
  readonly password_reset_requested: { readonly member_id: number };
  /** The owner of the mailbox set a new password with the mailed link. */
  readonly password_reset: object;
  readonly password_set_by_operator: { readonly member_id: number };
  readonly email_changed: { readonly from: string; readonly to: string };
  readonly email_set_by_operator: { readonly member_id: number; readonly from: string; readonly to: string };
  /** The notice of the change could not be sent to the old address. */
  readonly email_change_notice_failed: { readonly to: string };

  /** The member put the card of the first steps away, or showed it again. */
  readonly first_steps_dismissed: { readonly dismissed: boolean };

  /** How the member is told from now on; `*_off`: the kinds of notices that are not shown, or not mailed. */
  readonly notice_settings_changed: {
    readonly screen_off: readonly string[];
    readonly mail_off: readonly string[];
    readonly failure_percent: number;
    readonly morning_summary: boolean;
  };

  /** months null: mails are not archived. */
  readonly mail_retention_changed: { readonly months: number | null; readonly blanks: boolean };

  readonly export_started: { readonly job_id: number; readonly what: string; readonly format: string };
  readonly export_deleted: { readonly job_id: number; readonly state: string };
  readonly job_cancelled: { readonly job_id: number; readonly job_kind: string };
}
