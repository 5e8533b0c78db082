import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, PAGE_SIZES } from '#domain/limits.ts';
import { choiceInQuery, intInQuery } from './wire.ts';

/** The parameters of a call that returns a page. */
export const paging = {
  pagenate_count: choiceInQuery(PAGE_SIZES)
    .default(DEFAULT_PAGE_SIZE)
    .describe('1ページの件数です。20、50、100、200のどれかです（省略すると50）。'),
  pagenate_num: intInQuery(1, 1_000_000).default(1).describe('ページ番号です。1から数えます（省略すると1）。'),
};

/** The number of rows of all pages. */
export const total = z.int().meta({ description: '全体の件数です。', examples: [1] });
