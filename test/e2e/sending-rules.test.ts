import { expect, test } from 'vitest';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { press } from './walk-steps.ts';

const kaitaku = shareScene();

test('a group holds its mails outside of its hours, and the end of the year is a closing day of all groups', async () => {
  const { page, leave } = await enter(kaitaku.browser, kaitaku.url, '/settings/sending');
  const hold = page.getByRole('radio', { name: '次の送信時間になってから送る' });
  await page.getByRole('checkbox', { name: '祝日も送る' }).uncheck();
  await hold.check();
  await press(page, '保存');
  await page.getByText('送信ルールを保存しました').first().waitFor();
  await press(page, '年末年始を追加');
  const days = page.getByRole('list', { name: '会社の休業日' });
  await days.getByText('年末年始').waitFor();
  await page.reload();
  await days.getByText(/12\/29（.）〜1\/3（.）/).waitFor();
  expect(await hold.isChecked()).toBe(true);
  expect(await page.getByRole('checkbox', { name: '祝日も送る' }).isChecked()).toBe(false);
  await leave();
});
