import { z } from 'zod';
import { call } from './call.ts';

export const SAMPLE_COMPANIES = 10;

const companies = z.int().meta({ description: '会社の数です。', examples: [SAMPLE_COMPANIES] });

export const addSampleCompanies = call({
  method: 'POST',
  path: '/prospect/samples',
  summary: '見本の会社を入れる',
  description: `会社名が「（見本）」で終わる架空の会社を${SAMPLE_COMPANIES}社、リストに入れます。すでにあるものはそのままです。

- テストモードではない送信と予約では、\`sample\` という理由で対象外になります。編集しても、見本のままです。テスト送信はできます。
- \`POST /prospect/samples/remove\` で、まとめて消せます。`,
  response: z.object({ status: z.literal('added').describe('入れました。'), companies }),
});

export const removeSampleCompanies = call({
  method: 'POST',
  path: '/prospect/samples/remove',
  summary: '見本の会社をすべて消す',
  description: 'テスト送信や予約の記録がある会社は、アーカイブします。',
  response: z.object({ status: z.literal('removed').describe('消しました。'), companies }),
});
