import type { z } from 'zod';
import { addSuppressions as addCall } from '#contract/answers/suppressions.ts';
import type { CallAnswer } from '#contract/call.ts';
import type { SuppressionValue } from '#domain/law/suppression.ts';
import type { MemberDb } from '../../platform/database/account-db.ts';
import { createOnce } from '../../platform/database/create-once.ts';
import type { Tx } from '../../platform/database/db.ts';
import { fieldProblem, Problem } from '../../platform/problem.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { settleSuppressions } from '../delivery/after-sending/cancel-suppressed.queries.ts';
import { addSuppressions } from '../suppressions/write-suppressions.queries.ts';
import { countEffects, type Effects } from './effects.queries.ts';
import { isPublicSuffix } from './public-suffix.ts';

type Body = z.output<(typeof addCall)['body']>;
type Answer = CallAnswer<typeof addCall>;

export const TOO_WIDE_MESSAGE = '1つの会社のものではないドメインは登録できません';

/** Suppresses values for a member, and cancels the open mails to them. @returns 400 for a public suffix */
export async function addForMember(
  account: MemberDb,
  { body, key }: { body: Body; key: string | undefined },
): Promise<Answer | Problem> {
  const { values, class: type, note } = body.add_info;
  const tooWide = values.findIndex(({ kind, value }) => kind === 'domain' && isPublicSuffix(value));
  if (tooWide >= 0) return fieldProblem(`add_info.values.${tooWide}`, 'too_wide_domain', TOO_WIDE_MESSAGE);
  const wanted = { values: withoutRepeats(values), type, note: note?.trim() ?? '', source: 'manual' } as const;
  if (body.dry_run === 1) {
    const effects = await account.snapshot((tx) => countEffects(tx, account.id, type, wanted.values));
    return { status: 'no-added', ...effects };
  }
  let ids: number[] = [];
  const answer = await createOnce(account, { call: addCall, key, input: body }, async (tx) => {
    const stored = await storeSuppressions(tx, account, wanted);
    ids = stored.ids;
    return { status: ids.length > 0 ? ('added' as const) : ('no-added' as const), ...stored.effects };
  });
  if (!(answer instanceof Problem)) await settleInPieces(account, ids);
  return answer;
}

interface Wanted {
  /** Without duplicates. */
  readonly values: readonly SuppressionValue[];
  readonly type: 'refused' | 'blocked';
  readonly note: string;
  readonly source: 'manual' | 'csv';
}

/** Stores suppressions, with one audit event. @returns their ids and effects */
export async function storeSuppressions(
  tx: Tx,
  { id: accountId, memberId }: MemberDb,
  { values, type, note, source }: Wanted,
): Promise<{ readonly ids: number[]; readonly effects: Effects }> {
  // Counted before the insert: afterwards all of them would count as known.
  const counted = await countEffects(tx, accountId, type, values);
  const ids = await addSuppressions(tx, { accountId, values, class: type, source, memberId, note });
  const effects = { ...counted, added: ids.length, already: values.length - ids.length };
  if (ids.length > 0) {
    const kind = source === 'csv' ? 'suppressions_imported' : 'suppressions_added';
    await recordAudit(tx, { accountId, memberId, kind, detail: { class: type, suppressions: ids.length } });
  }
  return { ids, effects };
}

/** The most suppressions settled in one transaction. If the process dies, the workers' sweep settles the rest. */
const SETTLED_AT_ONCE = 500;

export async function settleInPieces(account: MemberDb, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += SETTLED_AT_ONCE) {
    const piece = ids.slice(at, at + SETTLED_AT_ONCE);
    await account.transaction((tx) => settleSuppressions(tx, account.id, piece));
  }
}

export const keyOf = ({ kind, value }: SuppressionValue): string => `${kind} ${value}`;

const withoutRepeats = (values: readonly SuppressionValue[]): SuppressionValue[] => [
  ...new Map(values.map(({ kind, value }) => [keyOf({ kind, value }), { kind, value }])).values(),
];
