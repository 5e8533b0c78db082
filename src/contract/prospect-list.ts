import { z } from 'zod';
import { listCall } from './list-call.ts';
import { flagFilter, idFilter, idOrBounds } from './list-filter.ts';
import { prospectView } from './prospect.ts';
import { flag, id, text, version } from './wire.ts';

/** The lists in the form that the specification's client requests. Our screen reads /prospect/view. */

/** A company by itself, as no group sees it. */
export const ownCompany = prospectView
  .omit({
    status: true,
    active: true,
    sent_at: true,
    send_at: true,
    reservation_id: true,
    remarks: true,
    remarks_version: true,
  })
  .extend({
    corporate_number: z
      .string()
      .nullable()
      .meta({ description: '法人番号（13桁の数字）です。', examples: ['7000012050002'] }),
  });

export const listProspects = listCall({
  path: '/prospect/list',
  name: 'Prospect',
  summary: '見込み客の一覧',
  description:
    'id順です。1回に1,000件までで、続きは `offset` か、`where_info[id][gt]` に最後のidを指定して取得します。絞り込みや並べ替えには `/prospect/view` を使います。',
  where: { id: idOrBounds.meta({ examples: [{ gt: 1000 }] }), company_name: text(1000).optional() },
  row: ownCompany,
});

export const listActiveProspects = listCall({
  path: '/active_prospect/list',
  name: 'ActiveProspect',
  summary: '送信者グループごとの、見込み客の有効・無効と備考の一覧',
  description:
    '`sender_group_id`、`prospect_id` の順です。一度も設定していない見込み客の行はありません（有効、備考なしの扱いです）。続きは `offset` か、' +
    '`where_info[prospect_id][gt]` に最後のidを指定して取得します。',
  where: { sender_group_id: idFilter.meta({ examples: [1] }), prospect_id: idOrBounds, active: flagFilter },
  row: z.object({
    prospect_id: id.describe('見込み客のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    active: flag.meta({ description: '有効なら1、無効なら0です。', examples: [1] }),
    remarks: z.string().meta({ description: '備考です。', examples: ['展示会で名刺交換'] }),
    remarks_version: version.describe('備考を見分ける印です。`POST /active_prospect/` の `version` に使います。'),
  }),
});
