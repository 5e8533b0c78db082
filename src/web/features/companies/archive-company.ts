import type { archiveProspect, restoreProspect } from '#contract/companies.ts';
import { callApi } from '#web/lib/api-client.ts';
import { unwrap } from '#web/lib/query-client.ts';

export type ArchiveAct = 'archive' | 'restore';

/** Archives a company, or brings it back to the lists. */
export async function archiveCompany(id: number, act: ArchiveAct): Promise<void> {
  const input = { params: { id: String(id) } };
  if (act === 'archive') unwrap(await callApi<typeof archiveProspect>('POST', '/prospect/:id/archive', input));
  else unwrap(await callApi<typeof restoreProspect>('POST', '/prospect/:id/restore', input));
}
