import type { BulkAct } from '#contract/companies/companies-bulk.ts';

interface NamedField {
  readonly custom_field_id: number;
  readonly field_label: string;
}

interface NamedTag {
  readonly tag_id: number;
  readonly tag_label: string;
}

/** Audit events of companies: edits, imports, saved conditions, and personal data. */
export interface CompanyEvents {
  readonly company_added: { readonly prospect_id: number };
  readonly company_changed: { readonly prospect_id: number };
  readonly company_archived: { readonly prospect_id: number };
  readonly company_restored: { readonly prospect_id: number };
  /** Many companies at once. A large change writes one event for each 5,000. */
  readonly companies_changed: { readonly act: BulkAct; readonly companies: number; readonly sender_group_id: number };
  /** `companies`: how many were added or restored, removed or archived. */
  readonly sample_companies_added: { readonly companies: number };
  readonly sample_companies_removed: { readonly companies: number };
  readonly prospects_imported: {
    readonly import_run_id: number;
    readonly added: number;
    readonly updated: number;
    readonly refused: number;
  };

  /** No name: a person's data may be erased, events stay. */
  readonly person_added: { readonly prospect_id: number; readonly person_id: number };
  readonly person_changed: { readonly prospect_id: number; readonly person_id: number };

  readonly custom_field_added: NamedField;
  /** `fields` names what changed. */
  readonly custom_field_changed: NamedField & { readonly fields: readonly string[] };
  readonly tag_added: NamedTag;
  readonly tag_changed: NamedTag & { readonly fields: readonly string[] };
  /** The companies of the one have the other since; the one is gone. */
  readonly tags_merged: NamedTag & { readonly into: string; readonly companies: number };

  readonly condition_saved: { readonly saved_condition_id: number; readonly is_shared: boolean };
  /** `fields` names what changed; `is_shared` is the new value. */
  readonly condition_changed: {
    readonly saved_condition_id: number;
    readonly fields: readonly string[];
    readonly is_shared: boolean;
  };
  readonly condition_removed: { readonly saved_condition_id: number; readonly is_shared: boolean };

  readonly import_started: { readonly import_run_id: number; readonly file_bytes: number };
  readonly import_job_started: {
    readonly import_run_id: number;
    readonly job_id: number;
    readonly job_kind: 'import_check' | 'import_run' | 'import_undo';
  };
  readonly import_discarded: { readonly import_run_id: number };
  readonly import_file_deleted: { readonly import_run_id: number };
  readonly import_undone: {
    readonly import_run_id: number;
    readonly removed: number;
    readonly archived: number;
    readonly restored: number;
  };

  /** Stored data of an address were shown or erased. Counts only: the address must not be stored here. */
  readonly personal_data_shown: { readonly companies: number; readonly mails: number };
  readonly personal_data_erased: {
    readonly companies: number;
    /** Absent before people were stored. */
    readonly people?: number;
    readonly mails: number;
    readonly cancelled: number;
    readonly files: number;
    /** An opt-out was added as a hash. */
    readonly refusal: boolean;
  };
}
