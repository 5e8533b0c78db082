/** Audit events of senders: their groups, domains, limits, and what their mails show by law. */
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

  /** Values that are left out did not change. */
  readonly sender_pace_set_by_operator: {
    readonly sender_id: number;
    readonly mails_per_minute?: number | null | undefined;
    readonly max_connections?: number | undefined;
  };
}
