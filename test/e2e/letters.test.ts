import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Client } from '#test/client.ts';
import { demoClient, enter } from './demo.ts';
import { shareScene } from './scene.ts';

/** Opens what the program itself has written, in the simple editor: the letters of the demo, and the samples. */
const kaitaku = shareScene();
let client: Client;

beforeAll(async () => {
  client = await demoClient(kaitaku.url);
});

interface Listed {
  readonly id: number;
  readonly name: string;
}

async function bodiesOf(id: number) {
  const { body } = await client.get(`/mail_template/${id}`);
  const { text_body, html_body, editor, text_follows } = body as Record<string, unknown>;
  return { text_body, html_body, editor, text_follows };
}

const save = (page: Page) => page.getByRole('button', { name: '保存', exact: true });
const unsaved = (page: Page) => page.getByText('保存していない変更があります');

/** Opens a letter, undoes an edit, and saves another name. Each edit writes both bodies anew. */
async function expectNoLoss(page: Page, { id, name }: Listed): Promise<void> {
  const before = await bodiesOf(id);
  expect([name, before.editor, before.text_follows]).toStrictEqual([name, 'rich', 1]);
  await page.goto(`${kaitaku.url}/template/${id}`);
  const body = page.getByRole('textbox', { name: '本文（かんたん）' });
  await body.press('Control+Home');
  expect([name, await save(page).isDisabled(), await unsaved(page).count()]).toStrictEqual([name, true, 0]);
  await page.keyboard.type('あ');
  await unsaved(page).waitFor();
  await page.keyboard.press('Backspace');
  await unsaved(page).waitFor({ state: 'detached' });
  expect([name, await save(page).isDisabled()]).toStrictEqual([name, true]);
  await page.getByLabel('テンプレート名').fill(`${name}（改）`);
  await save(page).click();
  await page.getByText('テンプレートを保存しました').first().waitFor();
  expect([name, await bodiesOf(id)]).toStrictEqual([name, before]);
}

const listed = async () => (await client.get('/mail_template/list')).body as Listed[];

test('opening a letter of the demo loses nothing', async () => {
  const letters = await listed();
  expect(letters).toHaveLength(4);
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg');
  for (const letter of letters) await expectNoLoss(page, letter);
  await leave();
});

test('opening a sample, or a blank template, loses nothing', async () => {
  const before = (await listed()).map(({ id }) => id);
  const samples = (await client.get('/mail_template/samples')).body as { key: string }[];
  for (const { key } of samples) await client.post('/mail_template', { add_info: { name: key, sample: key } });
  await client.post('/mail_template', { add_info: { name: '白紙', subject: '件名' } });
  const added = (await listed()).filter(({ id }) => !before.includes(id));
  expect(added).toHaveLength(samples.length + 1);
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/icon.svg');
  for (const template of added) await expectNoLoss(page, template);
  await leave();
});
