import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { MAX_SENDERS } from '#domain/limits.ts';
import { allRows } from '#web/lib/api/all-rows.ts';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { type MutationMeta, unwrap } from '#web/lib/api/query-client.ts';
import { DOMAIN_HEALTH } from '#web/lib/api/query-keys.ts';

/** A domain of the senders, with its last check. */
export type DomainRow = AnswerOf<'checkDomainHealth'>;
export type DomainFinding = (DomainRow['checks'] | DomainRow['self_test']['checks'])[number];
export type SelfTestState = DomainRow['self_test']['state'];

/** The domains of the senders in use. The server answers what it has stored, and asks no DNS. */
export const domainList = queryOptions({
  queryKey: [DOMAIN_HEALTH],
  queryFn: async ({ signal }): Promise<readonly DomainRow[]> =>
    // Without `columns`, rows have all of them.
    (await allRows(MAX_SENDERS, (offset) =>
      call('listDomainHealth', { query: { offset } }, { signal }),
    )) as DomainRow[],
});

/**
 * Asks the DNS about a domain, and shows the answer on every screen.
 *
 * @param isQuiet a failure has no toast: the screen is about something else
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

/** Sends a test mail from a domain to our own inbox. Its result comes with the list, some time later. */
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
