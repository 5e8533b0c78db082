import type { AuditGroup } from '#contract/account/audit-names.ts';
import type { MemberEvents } from '../member-events.ts';
import type { AuditDetails, ByOperator } from '../record-audit.ts';
import { ACCOUNT_SENTENCES, LOG_IN_SENTENCES, MEMBER_SENTENCES } from './account-sentences.ts';
import { COMPANY_SENTENCES } from './company-sentences.ts';
import { MAILBOX_SENTENCES, SENDER_SENTENCES, TEMPLATE_SENTENCES } from './sender-sentences.ts';
import { SENDING_SENTENCES } from './sending-sentences.ts';
import type { NameOf, Sentence, Sentences } from './sentence.ts';

const BY_OPERATOR = Object.fromEntries(
  Object.entries(MEMBER_SENTENCES).map(([kind, sentence]) => [
    `${kind}_by_operator`,
    { ...sentence, group: 'operator' },
  ]),
) as Sentences<ByOperator<MemberEvents>>;

/** The sentence of each kind of event: a kind without one does not compile. */
export const SENTENCES: Sentences<AuditDetails> = {
  ...ACCOUNT_SENTENCES,
  ...LOG_IN_SENTENCES,
  ...MEMBER_SENTENCES,
  ...BY_OPERATOR,
  ...SENDER_SENTENCES,
  ...MAILBOX_SENTENCES,
  ...TEMPLATE_SENTENCES,
  ...COMPANY_SENTENCES,
  ...SENDING_SENTENCES,
};

const OPERATOR = 'サーバーの管理者';

/** @param kind as the database has it: a newer program may have written it */
const find = (kind: string): Sentence<object> | undefined =>
  Object.hasOwn(SENTENCES, kind) ? (SENTENCES as Readonly<Record<string, Sentence<object>>>)[kind] : undefined;

/** Returns what an event says, the same for screen and export. */
export function sentenceOf(kind: string, detail: object, nameOf: NameOf): string {
  const sentence = find(kind);
  if (sentence === undefined) return `この版では表示できない操作です（${kind}）`;
  return typeof sentence.text === 'string' ? sentence.text : sentence.text(detail, nameOf);
}

/** Returns who did what no member did. */
export const nobodyOf = (kind: string): string => find(kind)?.by ?? OPERATOR;

/** Returns the kinds of some groups. */
export const kindsOf = (groups: readonly AuditGroup[]): string[] =>
  Object.entries(SENTENCES).flatMap(([kind, { group }]) => (groups.includes(group) ? [kind] : []));
