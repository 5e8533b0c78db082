import { z } from 'zod';
import { flagFilter, idFilter, idOrBounds, listCall } from './list-call.ts';
import { flag, id } from './wire.ts';

export const listSenderGroups = listCall({
  path: '/sender_group/list',
  name: 'SenderGroup',
  summary: '送信者グループの一覧',
  description: 'idの順です。',
  where: { id: idOrBounds, account_id: idFilter.meta({ examples: [1] }), active: flagFilter },
  row: z.object({
    id: id.describe('送信者グループのidです。'),
    group_name: z.string().meta({ description: '名前です。', examples: ['営業1課'] }),
    account_id: id.describe('アカウントのidです。'),
    active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
  }),
});

export const listSenders = listCall({
  path: '/sender/list',
  name: 'Sender',
  summary: '送信者（テンプレート）の一覧',
  description: 'idの順です。',
  where: {
    id: idOrBounds,
    sender_group_id: idFilter.meta({ examples: [1] }),
    active: flagFilter.meta({ examples: [1] }),
  },
  row: z.object({
    id: id.describe('送信者のidです。'),
    sender_group_id: id.describe('送信者グループのidです。'),
    subject: z.string().meta({ description: '件名です。', examples: ['業務効率化のご提案'] }),
    person_in_charge: z.string().meta({ description: '担当者です。', examples: ['山田 太郎'] }),
    email: z.string().meta({ description: '差出人のメールアドレスです。', examples: ['yamada@example.jp'] }),
    bcc: z
      .string()
      .nullable()
      .meta({ description: 'BCCのメールアドレスです。複数はカンマで区切ります。', examples: [null] }),
    template_id: id.describe('テンプレートのidです。'),
    sendgrid_template_id: z
      .string()
      .nullable()
      .meta({
        description: 'SendGridで送るときに本文を作る、SendGridのテンプレートのIDです。決まっていなければ null です。',
        examples: [null],
      }),
    active: flag.meta({ description: '使っているなら1です。', examples: [1] }),
    group: z.string().meta({ description: '送信者グループの名前です。', examples: ['営業1課'] }),
  }),
});
