/** Audit events of templates and their folders. */
export interface TemplateEvents {
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
}
