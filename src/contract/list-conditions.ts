import { z } from 'zod';
import { filtersFit, prospectFilter, prospectSort } from './prospect-filter.ts';
import { storedCondition } from './saved-condition.ts';

/** From which list a client took the targets of a run. It is recorded for people, and picks nothing. */
export const listConditions = z
  .strictObject({ ...prospectFilter, ...prospectSort })
  .superRefine(filtersFit)
  .optional()
  .meta({
    description:
      'アタックリストを作った絞り込みの条件と並び順です。送信の詳細に表示し、同じ条件でもう一度リストを作るために記録します。対象は変わりません。',
    examples: [{ major_industry_type: '製造業', address: '東京' }],
  });
export type ListConditions = NonNullable<z.output<typeof listConditions>>;

/** The same in an answer. */
export const recordedConditions = storedCondition
  .omit({ sender_group_id: true, status: true })
  .extend(prospectSort)
  .nullable()
  .meta({
    description:
      'アタックリストを作った条件と並び順です。記録がないか、ちがう条件のリストを1つの予約に加えたなら null です。条件なしの全体なら空です。',
    examples: [{ major_industry_type: '製造業', address: '東京' }],
  });
