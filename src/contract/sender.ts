import { z } from 'zod';
import { flagFilter, idFilter, idOrBounds, listCall } from './list-call.ts';
import { flag, id } from './wire.ts';

export const listSenderGroups = listCall({
  path: '/sender_group/list',
  summary: '送信者グループの一覧',
  description: 'id 順です。',
  where: { id: idOrBounds, account_id: idFilter, active: flagFilter },
  row: z.object({ id, group_name: z.string(), account_id: id, active: flag }),
});

export const listSenders = listCall({
  path: '/sender/list',
  summary: '送信者（テンプレート）の一覧',
  description: 'id 順です。`group` は送信者グループの名前、`bcc` はカンマ区切りのメールアドレスです。',
  where: { id: idOrBounds, sender_group_id: idFilter, active: flagFilter },
  row: z.object({
    id,
    sender_group_id: id,
    subject: z.string(),
    person_in_charge: z.string(),
    email: z.string(),
    bcc: z.string().nullable(),
    template_id: id,
    active: flag,
    group: z.string(),
  }),
});
