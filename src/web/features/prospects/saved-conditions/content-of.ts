import { conditionsOf } from '../filter/conditions.ts';
import { FILTER_MESSAGES } from '../filter/words.ts';
import type { WholeCondition } from './saved-condition.ts';

const { saved: messages, chip } = FILTER_MESSAGES;

/** Returns the parts of a condition as texts, without its sender group. */
export function contentOf({ filter, status }: Pick<WholeCondition, 'filter' | 'status'>): readonly string[] {
  const ofStatus = status === undefined ? [] : [chip(messages.otherFields.status, messages.statuses[status])];
  return [...ofStatus, ...conditionsOf(filter).map(({ label, value }) => chip(label, value))];
}
