import type { CompanyDetail, CompanyField } from '#contract/companies/companies.ts';
import { call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { type CompanyForm, changedFields, EMPTY_FORM, groupOf } from './company-form.ts';

/** The sender group whose remarks the form shows. */
export interface Group {
  readonly id: number;
  readonly group_name: string;
}

interface Info extends Partial<Record<CompanyField, string | number | null>> {
  /** The values of own fields, by key. */
  readonly custom?: Record<string, string>;
  /** All tags of the company. */
  readonly tag_ids?: number[];
  readonly external_id?: string;
}

/** Saves values of a company. @returns its new version @throws ApiError */
export async function putCompany(id: number, version: string, update_info: Info, acknowledged: 0 | 1): Promise<string> {
  const input = { params: { id: String(id) }, body: { version, update_info, acknowledged } };
  return unwrap(await call('updateProspect', input)).version;
}

/**
 * Saves the active flag or the remarks of a group.
 *
 * @param version of the remarks that the user has seen; null: no remarks existed
 * @returns the version of the stored remarks
 */
export async function saveOfGroup(
  id: number,
  groupId: number,
  change: { active?: 0 | 1; remarks?: string },
  version: string | null,
): Promise<string> {
  const add_info = { prospect_id: id, sender_group_id: groupId, ...change };
  const body = { add_info, duplicate_key_update_info: change, ...(version !== null && { version }) };
  return unwrap(await call('saveActiveProspect', { body })).version;
}

/**
 * Adds a company with its remarks.
 *
 * @param keyOf returns the Idempotency-Key of a body, so that a retried body adds no second company
 */
export async function addCompany(
  form: CompanyForm,
  group: Group | undefined,
  acknowledged: 0 | 1,
  keyOf: (body: unknown) => string,
): Promise<number> {
  const { remarks, ...add_info } = changedFields(form, EMPTY_FORM);
  const body = { add_info, acknowledged };
  const headers = { 'Idempotency-Key': keyOf(body) };
  const { id } = unwrap(await call('createProspect', { body }, { headers }));
  if (remarks !== undefined && group !== undefined) await saveOfGroup(id, group.id, { remarks }, null);
  return id;
}

/** What an undo of an edit needs: the previous values, and the version that the edit made. */
export interface Undo {
  readonly version: string;
  readonly info: Info;
  /** The previous remarks of a group; null: unchanged. */
  readonly remarks: { readonly groupId: number; readonly text: string; readonly version: string } | null;
}

/**
 * Saves the changes of a company, then its remarks.
 *
 * @param onSaved is called with the new version once the company itself is saved
 */
export async function saveCompany(
  company: CompanyDetail,
  {
    form,
    stored,
    group,
    acknowledged,
  }: { form: CompanyForm; stored: CompanyForm; group: Group | undefined; acknowledged: 0 | 1 },
  onSaved: (version: string) => void,
): Promise<Undo> {
  const { remarks, ...info } = changedFields(form, stored);
  const fields = Object.keys(info) as (keyof typeof info)[];
  const remarksVersion = groupOf(company, group?.id)?.remarks_version ?? null;
  const version =
    fields.length === 0 ? company.version : await putCompany(company.id, company.version, info, acknowledged);
  onSaved(version);
  const undone =
    remarks === undefined || group === undefined
      ? null
      : {
          groupId: group.id,
          text: stored.remarks,
          version: await saveOfGroup(company.id, group.id, { remarks }, remarksVersion),
        };
  return {
    version,
    // An external id stays: it is set once.
    info: Object.fromEntries(fields.filter((field) => field !== 'external_id').map((field) => [field, company[field]])),
    remarks: undone,
  };
}

/** Undoes an edit, unless the company or its remarks have changed since. */
export async function undoSave(id: number, { version, info, remarks }: Undo): Promise<void> {
  if (Object.keys(info).length > 0) await putCompany(id, version, info, 1);
  if (remarks !== null) await saveOfGroup(id, remarks.groupId, { remarks: remarks.text }, remarks.version);
}
