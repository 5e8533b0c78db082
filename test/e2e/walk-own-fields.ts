import type { Page } from 'playwright-core';
import { intercept, letThrough } from './intercept.ts';
import { closeDialog, field, press, refuse, when, whenLoaded } from './walk-steps.ts';

const FIELDS = '/custom_field/list';
const TAGS = '/tag/list';

const ownField = (id: number, label: string, key: string, more: object = {}) => ({
  id,
  key,
  label,
  type: 'text',
  position: id,
  archived: 0,
  options: [],
  companies: 1204,
  templates: 0,
  version: 'v1',
  ...more,
});
const RANKS = ['A', 'B', 'C'].map((label, place) => ({ id: 20 + place, label, archived: 0, companies: 40 }));
const SHOWN = [
  ownField(1, '展示会名', 'event', { templates: 2 }),
  ownField(2, 'ランク', 'rank', { type: 'choice', options: RANKS }),
  ownField(3, '来場日', 'visited_on', { type: 'date', companies: 88 }),
  ownField(4, '見込みの金額と時期（担当者の判断による。四半期ごとに見直し）', 'expected_amount_of_the_quarter', {
    type: 'number',
    companies: 0,
  }),
  ownField(5, '旧コード', 'old_code', { archived: 1 }),
];
const LABELS = ['重点', '重要', '2026年秋の名簿', '東京産業展', 'セミナー参加', '資料請求', '紹介', '休眠'];
const SHOWN_TAGS = [
  ...LABELS.map((label, colour) => ({ id: colour + 1, label, colour, archived: 0, companies: 40, version: 'v1' })),
  { id: 30, label: '2019年の名簿', colour: 0, archived: 1, companies: 3, version: 'v1' },
];

/** Walks through own fields and tags. */
export async function* ownFields(page: Page, url: string): AsyncGenerator<string> {
  await intercept(page, FIELDS, (route) => route.fulfill({ json: [] }));
  await intercept(page, TAGS, (route) => route.fulfill({ json: [] }));
  await page.goto(`${url}/settings/fields`);
  yield* when(page, 'タグはまだありません', 'own-fields-none');
  await intercept(page, FIELDS, (route) => route.fulfill({ json: SHOWN }));
  await intercept(page, TAGS, (route) => route.fulfill({ json: SHOWN_TAGS }));
  await page.reload();
  await page.getByText('東京産業展', { exact: true }).first().waitFor();
  yield* whenLoaded(page, 'own-fields');
  await press(page, 'ランクの操作');
  yield* whenLoaded(page, 'own-fields-menu');
  await press(page, '編集');
  yield* when(page, '選択肢を追加', 'own-field-edit');
  await closeDialog(page);
  await press(page, '項目を追加');
  await press(page, '追加');
  yield* when(page, '項目名が入力されていません', 'own-field-missing');
  await closeDialog(page);
  await press(page, 'タグ「重要」の操作');
  await press(page, '編集');
  yield* when(page, 'タグの編集', 'tag-edit');
  await closeDialog(page);
  await press(page, 'タグ「重要」の操作');
  await press(page, '統合');
  await field(page, '統合先').selectOption('重点');
  yield* when(page, '元に戻せません。', 'tag-merge');
  await closeDialog(page);
  await intercept(page, FIELDS, refuse);
  await page.reload();
  yield* when(page, '読み込めませんでした', 'own-fields-failed');
  letThrough(page, FIELDS);
  letThrough(page, TAGS);
}
