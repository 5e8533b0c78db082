/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   active_prospect: remarks_by_nobody → its own row
 *   prospect: keep_search_deleted, keep_search_inserted → prospect_search, prospect_total
 *   prospect: keep_search_truncated, keep_search_updated → prospect_search, prospect_total
 *   prospect: recall_suppressions_inserted, recall_suppressions_updated → suppression, suppression_hash
 *   prospect: share_new_address_inserted, share_new_address_updated → shared_address
 */
import {
  archiveProspect,
  createProspect,
  getProspect,
  restoreProspect,
  updateProspect,
  viewTimeline,
} from '#contract/companies/companies.ts';
import {
  addSampleCompanies,
  changeProspects,
  checkProspect,
  removeSampleCompanies,
} from '#contract/companies/companies-bulk.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import type { CompaniesMax } from '../prospects/companies-max.queries.ts';
import { changeMany } from './bulk.command.ts';
import { checkCompany } from './check-company.queries.ts';
import { readCompanyDetail } from './company.queries.ts';
import { addSamples, removeSamples } from './sample-companies.command.ts';
import { addCompany, archive, restore, updateCompany } from './save-company.command.ts';
import { readTimeline } from './timeline.queries.ts';

export function addCompanyRoutes(
  addRoute: AddRoute,
  { now, companiesMax }: CompaniesMax & { readonly now: () => number },
): void {
  addRoute(checkProspect, ({ query, account }) => checkCompany(account, query));

  addRoute(addSampleCompanies, ({ account }) => addSamples(account, { companiesMax }, now()));

  addRoute(removeSampleCompanies, ({ account }) => removeSamples(account));

  addRoute(getProspect, ({ params, account }) => readCompanyDetail(account, params.id));

  addRoute(createProspect, ({ body, headers, account }) =>
    addCompany(account, { body, key: headers['idempotency-key'], companiesMax }, now()),
  );

  addRoute(updateProspect, ({ params, body, account }) => updateCompany(account, params.id, body, now()));

  addRoute(archiveProspect, ({ params, account }) => archive(account, params.id));

  addRoute(restoreProspect, ({ params, account }) => restore(account, params.id, { companiesMax }));

  addRoute(changeProspects, ({ body, account }) => changeMany(account, body, { companiesMax }));

  addRoute(viewTimeline, ({ params, query, account }) => readTimeline(account, params.id, query));
}
