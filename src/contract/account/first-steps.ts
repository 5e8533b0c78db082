import { z } from 'zod';
import { call } from '../call.ts';
import { flag, id } from '../wire.ts';

const step = (description: string) => flag.describe(description);

const dismissed = flag.describe('「はじめかた」を表示しないなら1です。人ごとの設定です。');

export const getFirstSteps = call({
  method: 'GET',
  path: '/first_steps',
  beforeTwoFactor: true,
  summary: '最初の送信までの手順が、どこまで済んだか',
  response: z.object({
    dismissed,
    sample_companies: z.int().describe('リストにある見本の会社の数です。'),
    is_empty: flag.describe('会社を1社も登録していなければ1です。見本の会社も、アーカイブした会社も数えます。'),
    steps: z
      .object({
        sender_confirmed: step(
          '有効な送信者のうち1人でも、そのメールアドレスから送れるなら1です（確認済みか、メールボックスをつないでいます）。' +
            'サーバーがメールキャッチャーを使うあいだは、メールボックスをつないでいるときだけです。',
        ),
        legal_profile_ready: step('使っている送信者グループのどれかで、法定表示がそろっていれば1です。'),
        companies_imported: step('見本でない見込み客が1社でもあれば1です。'),
        template_edited: step('テンプレートを作成したか、編集していれば1です。'),
        test_sent: step('テストのメールを送っていれば1です。'),
        mail_sent: step('会社にメールを送っていれば1です。'),
      })
      .describe('手順です。`dismissed` が1のあいだは調べず、どれも0です。'),
    companies: z.int().describe('見本でない見込み客の数です。`dismissed` が1なら0です。'),
    sender: z
      .object({
        id: id.describe('送信者のidです。'),
        email: z.string().describe('メールアドレスです。'),
        template_id: id.describe('使うテンプレートのidです。'),
        is_asked: flag.describe('確認メールを送り、そのリンクがまだ使えるなら1です。'),
      })
      .nullable()
      .describe('有効な送信者のうち、最初の1人です。いなければ null です。`dismissed` が1なら null です。'),
  }),
});

export const updateFirstSteps = call({
  method: 'PUT',
  path: '/first_steps',
  needs: 'viewer',
  summary: '「はじめかた」を閉じる、もう一度表示する',
  body: z.strictObject({ update_info: z.strictObject({ dismissed }).describe('変更する項目です。') }),
  response: z.object({ status: z.literal('updated').describe('変更しました。') }),
});
