import { conditionsOf } from '../filter/conditions.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import type { WholeCondition } from './saved-condition.ts';
import { CONDITION_MESSAGES } from './words.ts';

const { chip } = FILTER_MESSAGES;

/** Returns the parts of a condition as texts, without its sender group. */
export function contentOf({ filter, status }: Pick<WholeCondition, 'filter' | 'status'>): readonly string[] {
  const ofStatus =
    status === undefined ? [] : [chip(CONDITION_MESSAGES.otherFields.status, CONDITION_MESSAGES.statuses[status])];
  return [...ofStatus, ...conditionsOf(filter).map(({ label, value }) => chip(label, value))];
}
