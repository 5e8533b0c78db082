import { expect, test } from 'vitest';
import { visit } from './browser.ts';
import { enter } from './demo.ts';
import { shareScene } from './scene.ts';
import { getsFocus, tabTo } from './walk-steps.ts';

/** Tests the client without a pointer. */
const kaitaku = shareScene();

/** Returns the element that covers the middle of the focused cell, if any. */
const COVERED_FOCUS = `(() => {
  const cell = document.activeElement.closest('td, th');
  const { x, y, width, height } = cell.getBoundingClientRect();
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return cell.contains(top) ? '' : top?.outerHTML.slice(0, 80) ?? 'not in the window';
})()`;

test('the list is one Tab stop, whose cells come into view under arrow keys', async () => {
  const { page: list, leave } = await enter(kaitaku.browser, kaitaku.url);
  await list.getByRole('rowheader').first().waitFor();
  const { keyboard } = list;
  const focused = () =>
    list.evaluate<string>('document.activeElement.closest("td, th, nav, [role=tabpanel]").innerText');
  await list.getByRole('tabpanel').getByRole('button', { name: '書き出す' }).focus();
  await keyboard.press('Tab');
  const first = list.getByRole('row').nth(1).getByRole('checkbox');
  await expect.poll(() => first.and(list.locator(':focus')).count()).toBe(1);
  for (let presses = 0; presses < 40; presses += 1) await keyboard.press('ArrowDown');
  await keyboard.press('End');
  await keyboard.press('ArrowLeft');
  // Neither the header nor the pinned columns cover it.
  for (const key of ['ArrowLeft', 'ArrowUp']) {
    for (let presses = 0; presses < 12; presses += 1) {
      await keyboard.press(key);
      expect(await list.evaluate<string>(COVERED_FOCUS)).toBe('');
    }
  }
  await keyboard.press('Home');
  await keyboard.press('Space');
  await list.getByText('1社を選択中').waitFor();
  await keyboard.press('Space');
  await keyboard.press('ArrowRight');
  await keyboard.press('Space');
  await list.getByRole('switch', { checked: false }).and(list.locator(':focus')).waitFor();
  await keyboard.press('Tab');
  expect(await focused()).toMatch(/表示件数|ページ/);
  await leave();
});

test('from the login to the confirmation before a mail, by keyboard only', async () => {
  const { page: typed, leave } = await visit(kaitaku.browser, kaitaku.url);
  const { keyboard } = typed;
  await typed.waitForURL('**/login*');
  await tabTo(typed.getByLabel('メールアドレス'));
  await keyboard.type('demo@example.com');
  await tabTo(typed.getByLabel('パスワード', { exact: true }));
  await keyboard.type('tegami-ga-todoku');
  await keyboard.press('Enter');
  await typed.getByText('該当 1,000社').waitFor();
  await tabTo(typed.getByRole('button', { name: '絞り込み', exact: true }));
  await keyboard.press('Enter');
  await tabTo(typed.getByLabel('業種', { exact: true }));
  await keyboard.insertText('製造');
  await typed.getByText(/^該当 \d{2,3}社$/).waitFor();

  await tabTo(typed.getByRole('tab', { name: '見込み客リスト' }));
  for (const name of ['予約リスト', 'アタックリスト']) {
    await keyboard.press('ArrowRight');
    await typed.getByRole('tab', { name, selected: true }).waitFor();
  }
  const panel = typed.getByRole('tabpanel', { name: 'アタックリスト' });
  await panel.getByRole('rowheader').first().waitFor();
  const dialog = typed.getByRole('dialog');
  const check = panel.getByRole('button', { name: 'メールを確認' });
  await tabTo(check);
  await keyboard.press('Enter');
  await dialog.getByText('1 / 10通').waitFor();
  await keyboard.press('Escape');
  await getsFocus(check);

  const reserve = panel.getByRole('button', { name: 'テスト送信を予約' });
  await tabTo(reserve, 'Shift+Tab');
  await keyboard.press('Enter');
  await dialog.getByText('本当に予約しますか？').waitFor();
  await getsFocus(dialog.getByRole('button', { name: 'キャンセル' }));
  // Until the server has checked the mails, the button ignores Enter.
  const confirm = dialog.getByRole('button', { name: '10通のテスト送信を予約', disabled: false });
  await confirm.waitFor();
  await tabTo(confirm);
  await keyboard.press('Enter');
  // Another test may have reserved at that time.
  await typed.getByText(/^メール(が予約|の予約が更新)されました$/).waitFor();
  await getsFocus(reserve);

  await tabTo(panel.getByRole('switch', { name: '予約モード' }));
  await keyboard.press('Space');
  await tabTo(panel.getByRole('button', { name: 'テスト送信（10通）' }), 'Shift+Tab');
  await keyboard.press('Enter');
  await dialog.getByText('本当に送信しますか？').waitFor();
  await getsFocus(dialog.getByRole('button', { name: 'キャンセル' }));
  await keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await kaitaku.mails()).toStrictEqual([]);
  await leave();
});
