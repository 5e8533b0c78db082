import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { MAX_SENDERS } from '#domain/limits.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { type MutationMeta, SHOWN_IN_PLACE, unwrap } from '#web/lib/api/query-client.ts';
import { DOMAIN_HEALTH } from '#web/lib/api/query-keys.ts';

/** A domain of the senders, with its last check. */
export type DomainRow = AnswerOf<'checkDomainHealth'>;
export type DomainFinding = (DomainRow['checks'] | DomainRow['self_test']['checks'])[number];
export type SelfTestState = DomainRow['self_test']['state'];

/** Fetches the domains of the senders in use. The server returns stored results, without DNS queries. */
export const domainList = queryOptions({
  queryKey: [DOMAIN_HEALTH],
  meta: SHOWN_IN_PLACE,
  queryFn: async ({ signal }): Promise<readonly DomainRow[]> =>
    // Without `columns`, rows have all of them.
    (await allRows(MAX_SENDERS, (offset) =>
      call('listDomainHealth', { query: { offset } }, { signal }),
    )) as DomainRow[],
});

/**
 * Checks a domain in the DNS, and shows the result on every screen.
 *
 * @param isQuiet shows no toast on failure, because the screen has another purpose
 */
export function useDomainCheck(isQuiet: boolean) {
  const meta: MutationMeta = { showsItself: () => isQuiet };
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (domain: string): Promise<DomainRow> =>
      unwrap(await call('checkDomainHealth', { body: { domain } })),
    onSuccess: (checked) => replaceRow(client, checked),
    meta,
  });
}

/** Sends a test mail from a domain to the server's own inbox. The result appears in the list later. */
export function useDomainTest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (domain: string): Promise<DomainRow> =>
      unwrap(await call('testDomainHealth', { body: { domain } })),
    onSuccess: (sent) => replaceRow(client, sent),
  });
}

const replaceRow = (client: QueryClient, checked: DomainRow): void =>
  void client.setQueryData(domainList.queryKey, (rows) =>
    rows?.map((row) => (row.domain === checked.domain ? checked : row)),
  );
