import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';
import { FIRST_STEPS } from '#web/lib/query-keys.ts';
import { reloadLists } from '#web/lib/reload-lists.ts';

export type FirstSteps = AnswerOf<'getFirstSteps'>;

/** The facts of the first day. They change by what happens on other screens. */
export const firstSteps = queryOptions({
  queryKey: [FIRST_STEPS],
  queryFn: async ({ signal }): Promise<FirstSteps> => unwrap(await call('getFirstSteps', {}, { signal })),
  // The screen does not repeat what its opening has just asked.
  staleTime: 1000,
  // The list of the same screen reports that the server cannot be reached.
  meta: { quiet: true },
});

/** Puts the card away for the member, or shows it again. */
export async function dismissFirstSteps(client: QueryClient, dismissed: 0 | 1): Promise<void> {
  const body = { update_info: { dismissed } };
  unwrap(await call('updateFirstSteps', { body }));
  await client.invalidateQueries({ queryKey: [FIRST_STEPS] });
}

/** Adds the sample companies to the list. @returns how many */
export async function addSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await call('addSampleCompanies', {}));
  reloadLists(client);
  return companies;
}

/** Removes the sample companies. @returns how many */
export async function removeSamples(client: QueryClient): Promise<number> {
  const { companies } = unwrap(await call('removeSampleCompanies', {}));
  reloadLists(client);
  return companies;
}
