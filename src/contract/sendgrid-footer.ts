import { z } from 'zod';
import { call } from './call.ts';
import * as fields from './mail-template-fields.ts';
import { flag } from './wire.ts';

export const confirmSendGridFooter = call({
  method: 'PUT',
  path: '/mail_template/:id/sendgrid_footer',
  summary: 'SendGridのテンプレートに法定表示が入っていることを確認する',
  description: `SendGridで送るとき、本文はSendGridのテンプレートから作られ、ここでは読めません。\
本文（HTML）に \`{{{legal_footer_html}}}\`、本文（テキスト）に \`{{{legal_footer}}}\` が入っていることを人が確かめます。

- 確認するまで、実際の送信と予約は409（\`legal_incomplete\`）になります。
- SendGridのテンプレートIDを変えると、確認は取り消されます。`,
  params: fields.ofTemplate,
  body: z.strictObject({
    update_info: z
      .strictObject({ confirmed: flag.meta({ description: '確認したなら1、取り消すなら0です。', examples: [1] }) })
      .describe('変更する項目です。'),
  }),
  response: fields.movedTemplate,
});
