import type { MemberDb } from '../../platform/database/account-db.ts';
import { notFound } from '../../platform/problem.ts';
import { contentOf } from './template.queries.ts';
import { faultsProblem, partsOf, templateFaults } from './template-faults.ts';
import { loadVersion } from './template-versions.queries.ts';
import { saveContent } from './update-template.command.ts';

/**
 * Saves the content of a version as the newest one. The senders' own subjects stay.
 * @returns as a save; 404 for an unknown template or version
 */
export const restoreVersion = (account: MemberDb, id: number, number: number, version: string) =>
  saveContent(account, id, { version, restored: number }, async (stored, tx) => {
    const chosen = await loadVersion(tx, account.id, id, number);
    if (!chosen) return notFound();
    const faults = templateFaults(partsOf(chosen));
    if (faults.length > 0) return faultsProblem(faults);
    return { ...contentOf(chosen), senders: stored.senders };
  });
