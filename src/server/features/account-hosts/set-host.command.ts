import { type HostFault, readAccountHost } from '#domain/account/account-host.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { type Db, violatedKey } from '../../platform/database/db.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

interface Offer {
  /** The setting ACCOUNT_HOSTS. */
  readonly offeredHosts: readonly string[];
  /** The hosts of the installation itself, in readHost's form. */
  readonly allowedHosts: readonly string[];
}

/**
 * Gives an account a host of its own. The account keeps its former host, for the links in mails that have left. Its
 * sessions end: they belong to that host.
 * @param db a pool of the role kaitaku_service
 * @param written null: the account opens the web client at PUBLIC_URL again
 * @returns the host, or why it cannot be given
 */
export async function setHost(
  db: Db,
  accountId: number,
  written: string | null,
  { offeredHosts, allowedHosts }: Offer,
): Promise<string | null | Refusal> {
  const read = written === null ? null : readAccountHost(written, offeredHosts);
  if (typeof read === 'string') return hostProblem(read, written ?? '', offeredHosts);
  const host = read?.host ?? null;
  if (host !== null && allowedHosts.includes(host)) return ofInstallation(host);
  try {
    await accountDbOf(db)(accountId, null).transaction(async (tx) => {
      await tx
        .updateTable('account_host')
        .set({ is_current: false })
        .where('account_id', '=', accountId)
        .where('is_current', '=', true)
        .execute();
      if (host !== null) {
        await tx
          .insertInto('account_host')
          .values({ account_id: accountId, host, is_current: true })
          .onConflict((conflict) => conflict.columns(['account_id', 'host']).doUpdateSet({ is_current: true }))
          .execute();
      }
      await tx.deleteFrom('session').where('account_id', '=', accountId).execute();
      await recordAudit(tx, { accountId, memberId: null, kind: 'host_set_by_operator', detail: { host } });
    });
    return host;
  } catch (error) {
    if (violatedKey(error) !== 'account_host_key') throw error;
    return new Problem('host_taken', `${host} は、ほかのアカウントのホストです。別の名前を指定してください。`);
  }
}

const hostProblem = (fault: HostFault, written: string, offered: readonly string[]): Refusal => {
  if (fault === 'not_a_host')
    return new Problem(
      'invalid_host',
      `「${written}」はホスト名として使えません。acme.kaitaku.example.co.jp の形（国際化ドメイン名は xn-- の形）で、ポートなしで指定してください。`,
    );
  if (offered.length === 0)
    return new Problem('host_not_offered', 'ACCOUNT_HOSTS に、アカウントに割り当てられるホストを設定してください。');
  return new Problem(
    'host_not_offered',
    `「${written}」は ACCOUNT_HOSTS（${offered.join('、')}）にないため、割り当てられません。`,
  );
};

const ofInstallation = (host: string) =>
  new Problem('host_taken', `${host} はこのKaitaku自身のホストです。別の名前を指定してください。`);

/** A line of the proxy's map: a host and the cell that serves it. */
export interface MappedHost {
  readonly host: string;
  readonly cell: number;
}

/** Returns the hosts of all accounts, former ones too, by name. */
export const listMappedHosts = (db: Db): Promise<MappedHost[]> =>
  db
    .selectFrom('account_host')
    .innerJoin('account', 'account.id', 'account_host.account_id')
    .innerJoin('installation', (join) => join.onTrue())
    .select(['account_host.host', 'installation.cell'])
    // Lists of the account's new cell have them.
    .where('account.moved_to', 'is', null)
    // A copy serves no request before its move is decided.
    .where('account.is_arriving', '=', false)
    .orderBy('account_host.host')
    .execute();
