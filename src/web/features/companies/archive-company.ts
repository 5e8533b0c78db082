import { call } from '#web/lib/call.ts';
import { unwrap } from '#web/lib/query-client.ts';

export type ArchiveAct = 'archive' | 'restore';

/** Archives a company, or brings it back to the lists. */
export async function archiveCompany(id: number, act: ArchiveAct): Promise<void> {
  const input = { params: { id: String(id) } };
  if (act === 'archive') unwrap(await call('archiveProspect', input));
  else unwrap(await call('restoreProspect', input));
}
