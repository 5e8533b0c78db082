import { type Expression, type SqlBool, sql } from 'kysely';
import { containing, normalizeText, searchWords } from '#domain/text/text-filter.ts';

/** Checks that a text contains each word of a search, without case and width. An empty search matches everything. */
export function hasWords(text: Expression<unknown>, search: string): Expression<SqlBool> {
  const words = searchWords(search).map(
    (word) => sql<SqlBool>`lower(normalize(${text}, NFKC)) LIKE ${containing(normalizeText(word))}`,
  );
  return words.length === 0 ? sql<SqlBool>`true` : sql<SqlBool>`(${sql.join(words, sql` AND `)})`;
}
