/** Audit events of senders, their groups and domains, and of templates. */
export interface SenderEvents {
  readonly sender_group_added: { readonly sender_group_id: number; readonly group_name: string };
  /** Values that are left out did not change. */
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
  readonly sender_confirmation_requested: { readonly sender_id: number; readonly to: string };
  /** The owner of the mailbox confirmed the address with the mailed link. */
  readonly sender_address_confirmed: { readonly sender_id: number; readonly email: string };

  /** A test mail from the domain was to go to our own inbox. Written before the mail leaves. */
  readonly domain_test_requested: { readonly domain: string };

  /** `fields` names the texts that changed; `confirmed`: whether the content is confirmed now. */
  readonly legal_profile_changed: {
    readonly sender_group_id: number;
    readonly fields: readonly string[];
    readonly confirmed: boolean;
  };

  /** months null: mails are not archived. */
  readonly mail_retention_changed: { readonly months: number | null; readonly blanks: boolean };

  /** A person confirmed that SendGrid's template shows the footer, or took it back. */
  readonly sendgrid_footer_confirmed: { readonly template_id: number; readonly confirmed: boolean };
  readonly template_added: { readonly template_id: number; readonly name: string };
  /** `restored_version`: the number of the version whose content was saved again. */
  readonly template_changed: { readonly template_id: number; readonly restored_version?: number };
  /** folder_id null: out of all folders. */
  readonly template_moved: { readonly template_id: number; readonly folder_id: number | null };
  readonly template_archived: { readonly template_id: number };
  readonly template_restored: { readonly template_id: number };
  /** One mail of its unsaved content was to go to the member's own address. Written before the mail leaves. */
  readonly template_test_requested: { readonly template_id: number; readonly to: string };
  /** That mail was sent. */
  readonly template_test_sent: { readonly template_id: number; readonly to: string };
  readonly template_folder_added: { readonly folder_id: number; readonly name: string };
  readonly template_folder_renamed: { readonly folder_id: number; readonly name: string };
  readonly template_folder_removed: { readonly folder_id: number; readonly name: string };
  readonly sendgrid_template_set_by_operator: {
    readonly template_id: number;
    readonly sendgrid_template_id: string | null;
  };
  /** Values that are left out did not change. */
  readonly sender_pace_set_by_operator: {
    readonly sender_id: number;
    readonly mails_per_minute?: number | null | undefined;
    readonly max_connections?: number | undefined;
  };
}
