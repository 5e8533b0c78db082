import { type RawBuilder, sql } from 'kysely';
import type { CallAnswer } from '#contract/call.ts';
import type { getAccountRule } from '#contract/senders/sending-rules.ts';
import { knownAddress } from '#domain/account/network.ts';
import { hasRole, type Role } from '#domain/account/role.ts';
import { accountDbOf, type MemberDb } from '../../platform/database/account-db.ts';
import type { Db, Tx } from '../../platform/database/db.ts';
import { fieldProblem, type Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';

/* The networks from which an account may be used (decisions/networks). */

/** From where a request came. */
export interface Origin {
  /** As Node or a trusted proxy writes it. */
  readonly ip: string;
  readonly isOfUnknownProxy: boolean;
}

const FIELD = 'update_info.login_networks';

/** Networks as text; a single address without its length. */
const asTexts = (networks: RawBuilder<unknown>) => sql<string[]>`ARRAY(
  SELECT CASE WHEN masklen(network) = CASE family(network) WHEN 4 THEN 32 ELSE 128 END
    THEN host(network) ELSE network::text END
  FROM unnest(${networks}) WITH ORDINALITY AS given (network, place) ORDER BY place)`;

/** Reads the networks, and where the request comes from, for an admin; for others nothing. */
export async function readLoginNetworks(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { ip }: Pick<Origin, 'ip'>,
): Promise<Pick<CallAnswer<typeof getAccountRule>, 'login_networks' | 'current_address'>> {
  const { rows } = await sql<{ role: Role; login_networks: string[]; current_address: string | null }>`
    SELECT member.role, ${asTexts(sql`account_rule.login_networks`)} AS login_networks,
      host(${knownAddress(ip)}::inet) AS current_address
    FROM member LEFT JOIN account_rule ON account_rule.account_id = member.account_id
    WHERE member.account_id = ${accountId} AND member.id = ${memberId}`.execute(tx);
  const [{ role, ...found } = { role: 'viewer' as const }] = rows;
  return hasRole(role, 'admin') ? found : {};
}

/** Refuses networks that would shut the caller out at once, or whose meaning an unknown proxy hides. */
export async function networksProblem(tx: Tx, networks: readonly string[], origin: Origin): Promise<Problem | null> {
  if (networks.length === 0) return null;
  if (origin.isOfUnknownProxy) {
    const message = 'プロキシの設定（TRUST_PROXY）がないため、接続元を見分けられません。';
    return fieldProblem(FIELD, 'proxy_not_trusted', message);
  }
  const { rows } = await sql<{ isInside: boolean | null; address: string | null }>`
    SELECT ip <<= ANY (${networks}::cidr[]) AS "isInside", host(ip) AS address
    FROM (SELECT ${knownAddress(origin.ip)}::inet AS ip) AS given`.execute(tx);
  const [found] = rows;
  if (found?.isInside) return null;
  const message = `いまの接続元（${found?.address ?? '不明'}）が入っていません。追加してから保存してください。`;
  return fieldProblem(FIELD, 'own_network_missing', message);
}

/** Which networks a change adds and removes, for the audit. */
export interface NetworkChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares networks with the stored ones, which it locks. */
export async function networkChange(tx: Tx, accountId: number, networks: readonly string[]): Promise<NetworkChange> {
  const { rows } = await sql<{ before: string[]; after: string[] }>`
    SELECT ${asTexts(sql`stored.login_networks`)} AS before, ${asTexts(sql`given.networks`)} AS after
    FROM (SELECT ${networks}::cidr[] AS networks) AS given LEFT JOIN LATERAL (
      SELECT login_networks FROM account_rule WHERE account_id = ${accountId} FOR UPDATE) AS stored ON true`.execute(
    tx,
  );
  const [{ before, after } = { before: [], after: [] }] = rows;
  return {
    added: after.filter((network) => !before.includes(network)),
    removed: before.filter((network) => !after.includes(network)),
  };
}

/** Opens an account to all networks, for an operator whose customer is shut out. */
export const allowAllNetworks = (db: Db, accountId: number): Promise<void> =>
  accountDbOf(db)(accountId, null).transaction(async (tx) => {
    const { removed } = await networkChange(tx, accountId, []);
    await tx.updateTable('account_rule').set({ login_networks: [] }).where('account_id', '=', accountId).execute();
    const kind = 'login_networks_removed_by_operator';
    await recordAudit(tx, { accountId, memberId: null, kind, detail: { removed } });
  });
