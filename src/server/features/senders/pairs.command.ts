/*
 * The pairs of profiles and templates: what the specification calls senders. Both sides choose them: a profile its
 * templates, a template its profiles. No pair is deleted, because runs and reservations refer to it.
 */
import { sql } from 'kysely';
import { MAX_SENDERS } from '#domain/limits.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { countRows, ownRows } from '../../platform/database/list-rows.ts';
import { notFound, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { groupProblem } from '../rights/group-problem.ts';
import { adminProblem } from '../rights/not-allowed.ts';
import { hasReservations, templateArchived } from './sender-content.queries.ts';

type Member = Pick<MemberDb, 'id' | 'memberId'>;

/** The side that chooses: a profile whose group is locked, or a template that is locked after all groups. */
export type Chooser = { readonly profile_id: number } | { readonly template_id: number };

interface Pair {
  readonly profile_id: number;
  readonly template_id: number;
}

/**
 * Activates the pairs of one side with `chosen`, adds missing ones, and deactivates its others.
 * If a pair has several senders with their own subjects, the one changed last is reactivated.
 * @param path of `chosen` in the body
 * @returns a refusal, before it writes anything: 403 for pairs of another group; 404 for an unknown id; 409 for an
 * archived template, pending reservations of a deactivated pair, and too many pairs
 */
export async function choosePairs(
  tx: Tx,
  member: Member,
  chooser: Chooser,
  chosen: readonly number[],
  path: string,
): Promise<Problem | null> {
  const active = await activePairs(tx, member.id, chooser);
  const otherOf = (pair: Pair) => ('profile_id' in chooser ? pair.template_id : pair.profile_id);
  const [wanted, known] = [new Set(chosen), new Set(active.map(otherOf))];
  const givenUp = active.filter((pair) => !wanted.has(otherOf(pair)));
  const missing = [...wanted.difference(known)].map((other) => ({ profile_id: other, template_id: other, ...chooser }));
  if (givenUp.length === 0 && missing.length === 0) return null;
  const restored = missing.map(({ profile_id }) => profile_id);
  const changed = [...givenUp.map(({ profile_id }) => profile_id), ...restored];
  const refused =
    (await groupProblem(tx, member, 'sender_profile', changed)) ?? (await returnProblem(tx, member, restored));
  if (refused) return refused;
  const off = givenUp.map(({ id }) => id);
  const reservations = await countReservationsOf(tx, member.id, off);
  if (reservations > 0) return hasReservations(reservations, 'sender', path);
  const back = await inactivePairs(tx, member.id, missing);
  const added = missing.filter((pair) => !back.some((other) => isSame(pair, other)));
  const problem =
    (await missingProblem(tx, member.id, missing, path)) ?? (await tooManyProblem(tx, member.id, added.length));
  if (problem) return problem;

  const on = back.map(({ id }) => id);
  await switchPairs(tx, member, off, false);
  await switchPairs(tx, member, on, true);
  const detail = { ...chooser, on, added: await insertPairs(tx, member, added), off };
  await touchProfiles(tx, member, { all: changed, restored });
  await recordAudit(tx, { accountId: member.id, memberId: member.memberId, kind: 'senders_chosen', detail });
  return null;
}

/** Checks whether a template that does not exist yet may have pairs with profiles. @returns 403, 404 or 409 */
export const newPairsProblem = async (tx: Tx, member: Member, profileIds: readonly number[]) =>
  (await profilesProblem(tx, member.id, profileIds)) ??
  (await groupProblem(tx, member, 'sender_profile', profileIds)) ??
  (await returnProblem(tx, member, profileIds)) ??
  (await tooManyProblem(tx, member.id, profileIds.length));

/** Refuses pairs that would reactivate a profile, except for admins: only they may switch it. */
export async function returnProblem(tx: Tx, member: Member, profileIds: readonly number[]): Promise<Problem | null> {
  const off = sql<boolean>`${ownRows('sender_profile', member.id, { active: false })}
    AND id = ANY (${profileIds}::bigint[])`;
  return (await countRows(tx, 'sender_profile', off)) === 0 ? null : adminProblem(tx, member);
}

/** Deactivates all pairs of an archived template. @returns how many; 403 for pairs of another group */
export async function dropPairsOf(tx: Tx, member: Member, templateId: number): Promise<number | Problem> {
  const pairs = await activePairs(tx, member.id, { template_id: templateId });
  const profiles = pairs.map(({ profile_id }) => profile_id);
  const refused = await groupProblem(tx, member, 'sender_profile', profiles);
  if (refused) return refused;
  const off = pairs.map(({ id }) => id);
  await switchPairs(tx, member, off, false);
  await touchProfiles(tx, member, { all: profiles, restored: [] });
  return off.length;
}

interface StoredPair extends Pair {
  readonly id: number;
}

const isSame = (one: Pair, other: Pair): boolean =>
  one.profile_id === other.profile_id && one.template_id === other.template_id;

const activePairs = (tx: Tx, accountId: number, chooser: Chooser): Promise<StoredPair[]> =>
  tx
    .selectFrom('sender')
    .select(['id', 'profile_id', 'template_id'])
    .where(ownRows('sender', accountId, { ...chooser, active: true }))
    .execute();

/** Pairs as rows of SQL. */
const rowsOf = (pairs: readonly Pair[]) => sql`unnest(
  ${pairs.map(({ profile_id }) => profile_id)}::bigint[], ${pairs.map(({ template_id }) => template_id)}::bigint[])
  AS pair (profile_id, template_id)`;

/** Finds the inactive senders of these pairs, for each the one changed last. */
async function inactivePairs(tx: Tx, accountId: number, pairs: readonly Pair[]): Promise<readonly StoredPair[]> {
  const { rows } = await sql<StoredPair>`
    SELECT DISTINCT ON (sender.profile_id, sender.template_id) sender.id, sender.profile_id, sender.template_id
    FROM ${rowsOf(pairs)} JOIN sender USING (profile_id, template_id)
    WHERE sender.account_id = ${accountId}
    ORDER BY sender.profile_id, sender.template_id, sender.updated_at DESC, sender.id`.execute(tx);
  return rows;
}

async function countReservationsOf(tx: Tx, accountId: number, senderIds: readonly number[]): Promise<number> {
  const own = ownRows('reservation', accountId, { active: true, is_sent: false });
  return countRows(tx, 'reservation', sql`${own} AND sender_id = ANY (${senderIds}::bigint[])`);
}

/** Refuses pairs with unknown ids or archived templates. Locks the templates against archiving. */
async function missingProblem(
  tx: Tx,
  accountId: number,
  missing: readonly Pair[],
  path: string,
): Promise<Problem | null> {
  const templateIds = [...new Set(missing.map(({ template_id }) => template_id))];
  const { rows } = await sql<{ archived: boolean }>`
    SELECT archived_at IS NOT NULL AS archived FROM mail_template
    WHERE account_id = ${accountId} AND id = ANY (${templateIds}::bigint[])
    ORDER BY id FOR KEY SHARE`.execute(tx);
  if (rows.length < templateIds.length) return notFound();
  if (rows.some(({ archived }) => archived)) return templateArchived(path);
  return profilesProblem(tx, accountId, [...new Set(missing.map(({ profile_id }) => profile_id))]);
}

async function profilesProblem(tx: Tx, accountId: number, ids: readonly number[]): Promise<Problem | null> {
  const own = sql<boolean>`${ownRows('sender_profile', accountId)} AND id = ANY (${ids}::bigint[])`;
  return (await countRows(tx, 'sender_profile', own)) < new Set(ids).size ? notFound() : null;
}

/** Refuses more senders than an account may have. @param more the number to be added */
export async function tooManyProblem(tx: Tx, accountId: number, more: number): Promise<Problem | null> {
  if (more === 0 || (await countRows(tx, 'sender', ownRows('sender', accountId))) + more <= MAX_SENDERS) return null;
  const message = `差出人とテンプレートの組み合わせは、使わなくなったものも含めて${MAX_SENDERS.toLocaleString('ja-JP')}までです。すでにある組み合わせから選んでください。`;
  return new Problem('too_many_senders', message);
}

async function switchPairs(
  tx: Tx,
  { id: accountId, memberId }: Member,
  ids: readonly number[],
  active: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE sender SET active = ${active}, member_id = ${memberId}, updated_at = now()
    WHERE account_id = ${accountId} AND id = ANY (${ids}::bigint[])`.execute(tx);
}

/** @returns the ids of the new senders, which use the subjects of their templates */
async function insertPairs(tx: Tx, { id: accountId, memberId }: Member, pairs: readonly Pair[]): Promise<number[]> {
  if (pairs.length === 0) return [];
  const { rows } = await sql<{ id: number }>`
    INSERT INTO sender (account_id, sender_group_id, profile_id, template_id, member_id)
    SELECT ${accountId}, profile.sender_group_id, profile.id, pair.template_id, ${memberId}
    FROM ${rowsOf(pairs)}
    JOIN sender_profile AS profile ON profile.account_id = ${accountId} AND profile.id = pair.profile_id
    ORDER BY profile.id, pair.template_id
    RETURNING id`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Records who changed profiles, also when only one of their senders changed.
 * @param restored those that have an active sender now
 */
export async function touchProfiles(
  tx: Tx,
  { id: accountId, memberId }: Member,
  { all, restored }: { readonly all: readonly number[]; readonly restored: readonly number[] },
): Promise<void> {
  if (all.length === 0) return;
  await sql`
    UPDATE sender_profile SET active = active OR id = ANY (${restored}::bigint[]), member_id = ${memberId},
      updated_at = now()
    WHERE account_id = ${accountId} AND id = ANY (${all}::bigint[])`.execute(tx);
}
