import type { Page } from 'playwright-core';
import { CHECKED, closeDialog, field, openSettings, pressOrder, when, whenLoaded } from './walk-steps.ts';

/**
 * Walks from the page of a sent run to the attack list of its follow-up.
 * At first the run is too young for the re-send interval. Nothing is sent.
 */
export async function* followUp(page: Page): AsyncGenerator<string> {
  await page.getByRole('link', { name: 'フォローアップ' }).click();
  await page.getByText(/（\d+\/\d+（.）から送れます）$/).waitFor({ state: 'attached' });
  yield* when(page, 'アタックリストが0件です', 'follow-up-too-recent');
  await openSettings(page);
  await field(page, '再送信間隔（日）').fill('0');
  yield* when(page, '10社に送信', 'follow-up');
  await pressOrder(page);
  await page.getByText('Re: 前のメールの件名（フォローアップ）').waitFor();
  yield* when(page, CHECKED, 'follow-up-dialog');
  await closeDialog(page);
  await field(page, 'フォローアップ').selectOption({ label: '使わない（初回のメール）' });
  yield* whenLoaded(page, 'follow-up-none');
  await field(page, '再送信間隔（日）').fill('7');
}
