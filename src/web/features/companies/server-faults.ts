import { ApiError, hasCode, type MutationMeta } from '#web/lib/query-client.ts';
import { EMPTY_FORM, type Faults, type FormField } from './company-form.ts';

/** Returns the server's messages by field: `update_info.address` is about the address. */
export function serverFaults(error: Error | null): Faults {
  // What another member has saved stands above the form, with its words.
  const details = error instanceof ApiError && !isChangedMeanwhile(error) ? (error.failure.details ?? []) : [];
  return Object.fromEntries(
    details.map(({ path, message }) => [path.slice(path.lastIndexOf('.') + 1) as FormField, message]),
  );
}

/** Returns whether somebody else has saved the company or its remarks since they were read. */
export const isChangedMeanwhile = (error: Error | null): boolean =>
  hasCode(error, 'company_changed') || hasCode(error, 'remarks_changed');

/** The form shows faults at its fields, a changed company above them, and similar companies below. */
export const FORM_ERRORS: MutationMeta = {
  showsItself: (error) =>
    Object.keys(serverFaults(error)).some((field) => Object.hasOwn(EMPTY_FORM, field)) ||
    isChangedMeanwhile(error) ||
    hasCode(error, 'similar_company'),
};
