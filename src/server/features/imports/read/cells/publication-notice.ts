import type { PublicationNotice } from '#domain/law/publication.ts';

/** Cell texts by which a company declines sales mails, after NFKC and in lower case. */
const REFUSED = new Set(
  (
    '○ 〇 ◯ ● ◎ ✓ ✔ レ 1 はい yes y true 有 あり 有り お断り 営業お断り 拒否 営業拒否 禁止 営業禁止 不可 営業不可 ' +
    'refused'
  ).split(' '),
);
const NONE = new Set('× ✕ ✖ ✗ x 0 いいえ no n false 可 表示なし none'.split(' '));

const DECLINES = /お断り|おことわり|御断り|ご遠慮|拒否|禁止/;
/** A sentence with one of these words may state the opposite. */
const NEGATES = /なし|無|な[いく]|ありません|可能/;

/**
 * Reads whether a company declines sales mails: `○` and the like, or a short text such as 営業メールはお断りします.
 * @returns null for a text that could mean either: a person must decide, because such a company must not be mailed
 */
export function parseNotice(written: string): PublicationNotice | null {
  const text = written.normalize('NFKC').trim().toLowerCase();
  if (REFUSED.has(text)) return 'refused';
  if (NONE.has(text)) return 'none';
  return DECLINES.test(text) && !NEGATES.test(text) ? 'refused' : null;
}
