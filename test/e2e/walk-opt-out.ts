import type { Page } from 'playwright-core';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { optOutPage } from '#server/features/opt-out/page.ts';
import type { Shown } from '#server/features/opt-out/refuse.command.ts';
import { whenLoaded } from './walk-steps.ts';

const NAME = { senderName: '株式会社架空商事' };
const STATES: Readonly<Record<string, Shown>> = {
  'opt-out': { kind: 'offer', ...NAME, address: 'info@midori.example.jp', domain: 'midori.example.jp' },
  'opt-out-address': { kind: 'offer', ...NAME, address: 'info@example.ne.jp', domain: null },
  'opt-out-erased': { kind: 'offer', ...NAME, address: null, domain: null },
  'opt-out-done': { kind: 'done', ...NAME, canUndo: true },
  'opt-out-undone': { kind: 'undone', ...NAME },
  'opt-out-too-late': { kind: 'too_late' },
  'opt-out-too-often': { kind: 'too_often' },
  'opt-out-unknown': { kind: 'unknown' },
};

/** Walks through the public page of a mail's opt-out link, with the server's own headers and style sheet. */
export async function* optOut(page: Page, url: string): AsyncGenerator<string> {
  const address = `${url}/u/${EXAMPLE_MAIL_KEY}`;
  for (const [name, shown] of Object.entries(STATES)) {
    await page.route(address, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: optOutPage(shown, EXAMPLE_MAIL_KEY) });
    });
    await page.goto(address);
    yield* whenLoaded(page, name);
    await page.unroute(address);
  }
}
