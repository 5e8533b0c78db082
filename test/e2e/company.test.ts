import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';

const kaitaku = shareScene();

const NAME = 'かすみ精機株式会社';

test('a company is added, edited, archived and restored, using only the screen', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = (name: string) => page.getByRole('dialog', { name, exact: true });
  const matches = (text: string) => page.getByText(`該当 ${text}社`, { exact: true }).waitFor();
  await matches('1,000');

  await button('会社を追加').click();
  const form = dialog('会社の追加');
  await form.getByLabel('会社名（必須）').fill(NAME);
  await form.getByLabel('代表メール').fill('info@kasumi.example.jp');
  await form.getByLabel('代表者').fill('代表取締役 霞 花子');
  await form.getByText('宛名：代表取締役 霞 花子 様').waitFor();
  await form.getByRole('button', { name: 'ほかの項目も入力' }).click();
  await form.getByLabel('売上高').fill('1.2億');
  await form.getByLabel('売上高').press('Control+Enter');

  const drawer = dialog('会社の詳細');
  await drawer.getByRole('heading', { name: NAME }).waitFor();
  await drawer.getByText('120,000,000円').waitFor();
  await matches('1,001');

  await page.keyboard.press('Control+e');
  const editing = dialog('会社の編集');
  await editing.getByLabel('代表メール').fill('eigyo@kasumi.example.jp');
  await editing.getByLabel('代表メール').press('Control+s');
  await drawer.getByText(`${NAME}を保存しました`).waitFor();
  await drawer.getByText('代表メールを変更しました：info@kasumi.example.jp → eigyo@kasumi.example.jp').waitFor();
  await drawer.getByText('登録しました', { exact: true }).waitFor();

  await drawer.getByRole('button', { name: 'その他の操作' }).click();
  await drawer.getByRole('button', { name: 'アーカイブ' }).click();
  await dialog('会社のアーカイブ').getByRole('button', { name: 'アーカイブ' }).click();
  await drawer.getByText('アーカイブ済み').waitFor();
  await matches('1,000');
  await drawer.getByRole('button', { name: 'その他の操作' }).click();
  await drawer.getByRole('button', { name: 'リストに戻す' }).click();
  await dialog('リストに戻す').getByRole('button', { name: 'リストに戻す' }).click();
  await matches('1,001');
  await drawer.getByText('リストに戻しました', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('company')).toMatch(/^\d+$/);

  await page.keyboard.press('Escape');
  await button('会社を追加').click();
  await form.getByLabel('会社名（必須）').fill(NAME);
  const opened = page.waitForEvent('popup');
  await form.getByRole('link', { name: `${NAME}を新しいタブで開く` }).click();
  const tab = await opened;
  // The new tab has this tab's session.
  await tab.getByRole('heading', { name: NAME }).waitFor();
  expect(new URL(tab.url()).pathname).toMatch(/^\/prospects\/\d+$/);
  await tab.close();
  await leave();
});
