import { z } from 'zod';
import { MAX_REMARKS_LENGTH } from '#domain/limits.ts';
import { call } from './call.ts';
import { flag, id, seenVersion, text, version } from './wire.ts';

const newActive = flag.optional().meta({ description: '有効にするなら1、無効にするなら0です。', examples: [0] });
const newRemarks = text(MAX_REMARKS_LENGTH).optional().describe('備考です。');

export const saveActiveProspect = call({
  method: 'POST',
  path: '/active_prospect/',
  summary: '見込み客の有効・無効と備考を送信者グループごとに保存する',
  description:
    'その見込み客にまだ何も保存していなければ `add_info` を保存し（`added`）、保存してあれば `duplicate_key_update_info` の項目だけを変えます（`updated`）。' +
    '書かない項目は変わらず、新しく保存するときは「有効」「備考なし」になります。' +
    '`version`（備考の `remarks_version`）は、備考を変えるときだけ使います。',
  errors: {
    not_found: { status: 404, when: '見込み客か送信者グループがないか、ほかのアカウントのものであるとき' },
    remarks_changed: { status: 409, when: '`version` を読んだあとに、備考が変わっていたとき' },
  },
  body: z.strictObject({
    add_info: z
      .strictObject({
        prospect_id: id.describe('見込み客のidです。'),
        sender_group_id: id.describe('送信者グループのidです。'),
        active: newActive,
        remarks: newRemarks,
      })
      .describe('まだ何も保存していないときに保存する内容です。'),
    duplicate_key_update_info: z
      .strictObject({ active: newActive, remarks: newRemarks })
      .describe('すでに保存してあるときに変える内容です。'),
    version: seenVersion,
  }),
  response: z.object({
    status: z.enum(['added', 'updated']).describe('新しく保存したか、変更したかです。'),
    version: version.describe('保存した備考を見分ける印です。'),
  }),
});
