/*
 * Triggers, as "watched table: triggers → tables that they write" (bodies in schema.sql):
 *   delivery: count_results → report_change
 */
import { viewReport, viewRunResults } from '#contract/sending/reports.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { readReport } from './read-report.ts';
import { readRunResults } from './run-results.queries.ts';

export function addReportRoutes(addRoute: AddRoute, { now }: { readonly now: () => number }): void {
  addRoute(viewReport, ({ query, account }) => readReport(account, query, now()));
  addRoute(viewRunResults, ({ params, account }) => readRunResults(account, params.id));
}
