import type { Page } from 'playwright-core';
import type { Login } from './demo.ts';
import { intercept } from './intercept.ts';
import type { WalkName } from './screens.ts';
import { account, lastScreens } from './walk-account.ts';
import { attackList } from './walk-attack-list.ts';
import { companies } from './walk-company.ts';
import { doors, login } from './walk-doors.ts';
import { history } from './walk-history.ts';
import { imports } from './walk-imports.ts';
import { prospects, troubles } from './walk-prospects.ts';
import { replies } from './walk-replies.ts';
import { reports } from './walk-reports.ts';
import { allReservations } from './walk-reservations.ts';
import { reservations, sending } from './walk-sending.ts';
import { settings } from './walk-settings.ts';
import { shell, stoppedStrip } from './walk-shell.ts';
import { rareStates } from './walk-states.ts';
import { closeToasts, EVENTS, passLogin } from './walk-steps.ts';
import { suppressions } from './walk-suppressions.ts';
import { templates } from './walk-templates.ts';

type Walk = (page: Page, url: string, person?: Login) => AsyncGenerator<string>;

/**
 * The three walks that together visit every screen and state of the client and name each one while it is shown.
 * Each begins logged out, on its own page; reservations and mails go to the mail catcher.
 */
export const WALKS: Readonly<Record<WalkName, Walk>> = {
  async *prospects(page, url, person) {
    await pollEvents(page);
    yield* doors(page, url);
    yield* login(page, url, person);
    yield* prospects(page);
    yield* companies(page, url);
    yield* replies(page, url);
    yield* imports(page, url);
  },
  async *sending(page, url, person) {
    await begin(page, url, person);
    yield* shell(page);
    yield* troubles(page, person);
    yield* attackList(page);
    yield* sending(page);
    yield* reservations(page);
    yield* allReservations(page);
    yield* history(page);
    yield* stoppedStrip(page);
  },
  async *settings(page, url, person) {
    await begin(page, url, person);
    yield* reports(page, url);
    yield* templates(page, url);
    yield* suppressions(page, url);
    yield* settings(page, url);
    yield* account(page, url);
    yield* rareStates(page, url);
    yield* lastScreens(page, url, person);
  },
};

/** Logs in on the login screen, to which the guard redirects. */
async function begin(page: Page, url: string, person?: Login): Promise<void> {
  await pollEvents(page);
  await page.goto(url);
  await passLogin(page, person);
  await closeToasts(page);
}

/** Makes the page poll instead of using the event stream, so that a walk can show a run in any state. */
const pollEvents = (page: Page) => intercept(page, EVENTS, (route) => route.abort());
