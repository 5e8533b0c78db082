import { LEFT_OUT_REASONS, type LeftOutReason } from '#domain/sending/eligibility.ts';
import { DATA_MESSAGES } from '#web/lib/data/words.ts';
import type { Targets } from '../use-targets.ts';
import { ATTACK_LIST_MESSAGES } from '../words.ts';

/**
 * Groups of companies that are not targets. `missing`: chosen ones without a list. `domain_limit`: listed ones that
 * the order leaves out.
 */
export type LeftOutGroup = MissingGroup | 'domain_limit';
type MissingGroup = LeftOutReason | 'missing';

/** A group with its size. */
export interface CountedGroup<Group extends LeftOutGroup = MissingGroup> {
  readonly group: Group;
  readonly name: string;
  readonly count: number;
}

const { reasons } = DATA_MESSAGES.leftOut;

/** Returns the groups that no list of targets has, in the order of the reasons. */
export function leftOutGroups({
  preview,
  source,
  isOutdated,
}: Pick<Targets, 'preview' | 'source' | 'isOutdated'>): readonly CountedGroup[] {
  if (preview === undefined) return [];
  const missing = source?.companies === undefined || isOutdated ? 0 : source.companies.length - preview.matched;
  return [
    ...LEFT_OUT_REASONS.map((group) => ({ group, name: reasons[group], count: preview.left_out[group] ?? 0 })),
    { group: 'missing' as const, name: ATTACK_LIST_MESSAGES.missing, count: missing },
  ].filter(({ count }) => count > 0);
}

/** The groups that an empty list names. The bar above it has the others. */
const NAMED = 2;

/** Returns the largest groups, largest first, and the others. */
export function largestGroups(groups: readonly CountedGroup[]) {
  const bySize = groups.toSorted((one, other) => other.count - one.count);
  return { largest: bySize.slice(0, NAMED), others: bySize.slice(NAMED) };
}
