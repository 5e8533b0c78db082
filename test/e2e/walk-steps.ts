import type { Page } from 'playwright-core';
import { eventually } from '#test/sending.ts';

/** What the walks through the client are made of. */

/** The progress of a run, as the page asks for it and as it is told. */
export const RUN = /\/api\/v1\/send_log\/(?:\d+|events)$/;

/** Asked after two frames: what has changed has begun to move by then. What moves for ever is not waited for. */
const IS_STILL = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))).then(() =>
  document.getAnimations().every(({ effect }) => effect.getComputedTiming().iterations === Infinity))`;

/** Waits until colours and places are final. */
export async function untilStill(page: Page): Promise<void> {
  await eventually(() => page.evaluate<boolean>(IS_STILL), Boolean);
}

/** Names a screen once nothing on it is loading any more. */
export async function* whenLoaded(page: Page, name: string): AsyncGenerator<string> {
  await eventually(
    () => page.locator('[aria-busy=true]').count(),
    (busy) => busy === 0,
  );
  await untilStill(page);
  yield name;
}

/** A state that is shown as soon as a text is there; the messages of the state before are gone. */
export async function* when(page: Page, text: string | RegExp, name: string): AsyncGenerator<string> {
  await page.getByText(text).first().waitFor();
  yield* whenLoaded(page, name);
  await closeToasts(page);
}

const TOAST = '[aria-atomic=false] [role=group]';

/** Those that do not go by themselves meanwhile. */
export async function closeToasts(page: Page): Promise<void> {
  await page.evaluate(`document.querySelectorAll('${TOAST} > button').forEach((button) => button.click())`);
  await eventually(
    () => page.locator(TOAST).count(),
    (left) => left === 0,
  );
}

export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
export const toggle = (page: Page, name: string) => page.getByRole('switch', { name, exact: true }).click();
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
export const field = (page: Page, label: string) => page.getByLabel(label, { exact: true });
export const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};
