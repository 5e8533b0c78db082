import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { CallAnswer } from '#contract/call.ts';
import type { addSampleCompanies, removeSampleCompanies } from '#contract/companies-bulk.ts';
import type { getFirstSteps, updateFirstSteps } from '#contract/first-steps.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { FIRST_STEPS } from '#web/lib/query-keys.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';

export type FirstSteps = CallAnswer<typeof getFirstSteps>;

/** The facts of the first day. They change by what happens on other screens. */
export const firstSteps = queryOptions({
  queryKey: [FIRST_STEPS],
  queryFn: async ({ signal }): Promise<FirstSteps> =>
    unwrap(await callApi<typeof getFirstSteps>('GET', '/first_steps', {}, { signal })),
  // The screen does not repeat what its opening has just asked.
  staleTime: 1000,
  // The list of the same screen reports that the server cannot be reached.
  meta: { quiet: true },
});

/** Puts the card away for the member, or shows it again. */
export async function dismissFirstSteps(client: QueryClient, dismissed: 0 | 1): Promise<void> {
  const body = { update_info: { dismissed } };
  unwrap(await callApi<typeof updateFirstSteps>('PUT', '/first_steps', { body }));
  await client.invalidateQueries({ queryKey: [FIRST_STEPS] });
}

/** Adds the sample companies to the list. @returns how many */
export async function addSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await callApi<typeof addSampleCompanies>('POST', '/prospect/samples', {}));
  reloadLists(client);
  return companies;
}

/** Removes the sample companies. @returns how many */
export async function removeSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await callApi<typeof removeSampleCompanies>('POST', '/prospect/samples/remove', {}));
  reloadLists(client);
  return companies;
}
