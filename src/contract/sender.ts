import { z } from 'zod';
import { call } from './call.ts';
import { columns, flag, id, intInQuery, whereInfo } from './wire.ts';

const idFilter = intInQuery(1, Number.MAX_SAFE_INTEGER).optional();
const flagFilter = z.union([flag, z.enum(['0', '1']).transform((value) => (value === '1' ? 1 : 0))]).optional();

const senderGroup = z.object({ id, group_name: z.string(), account_id: id, active: flag });

export const listSenderGroups = call({
  method: 'GET',
  path: '/sender_group/list',
  summary: '送信者グループの一覧',
  query: z.strictObject({
    where_info: whereInfo({ id: idFilter, account_id: idFilter, active: flagFilter }),
    columns: columns(['id', 'group_name', 'account_id', 'active']),
  }),
  response: z.array(senderGroup.partial()),
});

const sender = z.object({
  id,
  sender_group_id: id,
  subject: z.string(),
  person_in_charge: z.string(),
  email: z.string(),
  bcc: z.string().nullable(),
  template_id: id,
  active: flag,
  group: z.string(),
});

export const listSenders = call({
  method: 'GET',
  path: '/sender/list',
  summary: '送信者（テンプレート）の一覧',
  query: z.strictObject({
    where_info: whereInfo({ id: idFilter, sender_group_id: idFilter, active: flagFilter }),
    columns: columns([
      'id',
      'sender_group_id',
      'subject',
      'person_in_charge',
      'email',
      'bcc',
      'template_id',
      'active',
      'group',
    ]),
  }),
  response: z.array(sender.partial()),
});
