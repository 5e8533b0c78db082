import { useQueryClient } from '@tanstack/react-query';
import type { Faults } from '#web/lib/api/faults-of.ts';
import { hasCode } from '#web/lib/api/query-client.ts';
import { type EditedForm, useDraftForm } from '#web/lib/form/draft-form.ts';
import type { Seen } from '#web/lib/form/merged-form.ts';
import { useMay } from '#web/lib/session/use-may.ts';
import { type CompanyForm, draftName } from './company-form.ts';
import { reloadCompany } from './company-query.ts';
import type { Group } from './save-company.ts';
import { COMPANY_FORM_MESSAGES } from './words.ts';

export interface Press {
  /** 1: the user has seen that another company has the name. */
  readonly acknowledged: 0 | 1;
  /** Whether the dialog stays open for the next company. */
  readonly isAnother?: boolean;
}

/** Returns the group whose remarks the form shows: the given one, if the member may act in it. */
export const useRemarksGroup = (group: Group | undefined): Group | undefined =>
  useMay('saveActiveProspect', { groupId: group?.id }) ? group : undefined;

interface Parts<Answer> {
  /** undefined: a new company. */
  readonly id: number | undefined;
  readonly stored: Seen<CompanyForm>;
  readonly send: (form: CompanyForm, press: Press) => Promise<Answer>;
  readonly onSaved: (answer: Answer, form: CompanyForm, press: Press) => void;
}

/** Returns the edited form of a company, and the server's notes about similar ones. */
export function useCompanyForm<Answer>({ id, ...parts }: Parts<Answer>): EditedCompany {
  const client = useQueryClient();
  return useDraftForm({
    ...parts,
    name: draftName(id),
    check: ({ company_name }): Faults =>
      company_name.trim() === '' ? { company_name: COMPANY_FORM_MESSAGES.noName } : {},
    isConflict: (error) => hasCode(error, 'company_changed') || hasCode(error, 'remarks_changed'),
    reload: () => (id === undefined ? Promise.resolve() : reloadCompany(client, id)),
    showsItself: (error, isPlaced) => isPlaced || hasCode(error, 'similar_company'),
  });
}

export type EditedCompany = EditedForm<CompanyForm, Press>;
