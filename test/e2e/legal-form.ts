import type { Page } from 'playwright-core';
import { field, press } from './walk-steps.ts';

/** Fills in the legal details of the shown sender group, and confirms them, on the screen 法定表示. */
export async function fillLegalForm(page: Page): Promise<void> {
  await field(page, '正式名称（会社名・個人名）（必須）').fill('株式会社架空商事');
  await field(page, '郵便番号（必須）').fill('５３００００１');
  await field(page, '住所（必須）').fill('大阪府大阪市北区梅田1-2');
  await field(page, 'メールアドレス').fill('info@kaitaku-demo.example');
  await field(page, '配信停止の受付先メール（必須）').fill('stop@kaitaku-demo.example');
  await page.getByLabel('内容を確認しました').check();
  await press(page, '保存');
  await page.getByText(/の法定表示を保存しました。法定表示はそろいました$/).waitFor();
}
