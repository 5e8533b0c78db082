import type { Page } from 'playwright-core';
import { jumps } from './page-checks.ts';
import { CHECKED, closeDialog, field, openSettings, pressOrder, untilStill, when, whenLoaded } from './walk-steps.ts';

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
  await page.getByText('10社に送信').first().waitFor({ state: 'attached' });
  await untilStill(page);
  // The typed number fills the list. That is expected, also where a slow machine answers after half a second.
  await jumps(page);
  yield* when(page, '10社に送信', 'follow-up');
  await pressOrder(page);
  await page.getByText(/^Re: .*のご提案（フォローアップ）$/).waitFor();
  yield* when(page, CHECKED, 'follow-up-dialog');
  await closeDialog(page);
  await field(page, 'フォローアップ').selectOption({ label: '使わない（初回のメール）' });
  yield* whenLoaded(page, 'follow-up-none');
  await field(page, '再送信間隔（日）').fill('7');
}
