import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import {
  type checkMails as checkCall,
  MAX_CHECK_SECONDS,
  MAX_CHECK_WARNINGS,
  MAX_NAMED_MAILS,
  type MailCheckWarning,
} from '#contract/mail-preview.ts';
import { EXAMPLE_MAIL_KEY } from '#domain/law/refusal-place.ts';
import { honorificsOf } from '#domain/mail/honorifics.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { legalError } from '../mail-content/legal-footer.ts';
import { mailWarnings, sizeWarnings } from '../mail-content/mail-warnings.ts';
import { type Mailing, tryRender } from '../runs/prepare-run.ts';
import { orderAnswer, type ReadOrder, readOrder, type ShownTarget } from './mail-preview.queries.ts';

/** So long a check keeps the event loop from other requests, milliseconds. */
const SLICE_MS = 10;

type Finding = Pick<MailCheckWarning, 'kind' | 'text'>;
type Counted = Finding & { count: number; readonly prospect_ids: number[] };

/**
 * Renders and checks all mails of a list with the code that sends (decisions/mail-preview). It sends nothing and keeps
 * no body.
 * @param now epoch milliseconds
 * @param clock milliseconds that only grow
 * @returns why a send of the list would be refused; else what to check, with the companies concerned
 */
export async function checkMails(
  account: AccountDb,
  senderId: number,
  body: z.output<(typeof checkCall)['body']>,
  now: number,
  mailing: Mailing,
  clock: () => number = () => performance.now(),
): Promise<CallAnswer<typeof checkCall> | Problem> {
  const order = await readOrder(account, { senderId, body, now, mailing }, (targets) => targets);
  if (order instanceof Problem) return order;
  const answer = orderAnswer(order);
  if (answer instanceof Problem) return answer;
  const found = new Map<string, Counted>();
  const { mail } = order.run;
  // Its mails lack the same as the examples, if those lack something. A person has confirmed SendGrid's footer.
  const isLawful = !mail.sendgrid_template_id && answer.legal_faults.every(({ level }) => level === 'warning');
  const checked = await inSlices(order.shown, clock, (target) => {
    for (const [key, finding] of findingsOf(order, target, isLawful)) count(found, key, finding, target.prospect_id);
  });
  return { ...answer, checked, warnings: [...found.values()] };
}

/** The last slice that a check has asked for. Checks take turns, so that many of them block no longer than one. */
let lastSlice: Promise<unknown> = Promise.resolve();

function nextSlice(): Promise<unknown> {
  lastSlice = lastSlice.then(() => nextTurn());
  return lastSlice;
}

/** Works on items until the time of a check is over. @returns the number of items done */
async function inSlices<Item>(
  items: readonly Item[],
  clock: () => number,
  work: (item: Item) => void,
): Promise<number> {
  const end = clock() + MAX_CHECK_SECONDS * 1000;
  let done = 0;
  while (done < items.length) {
    await nextSlice();
    const begun = clock();
    if (begun >= end) break;
    do work(items[done++] as Item);
    while (done < items.length && clock() - begun < SLICE_MS);
  }
  return done;
}

/**
 * Returns what to check in one mail, by what makes it the same point as that of another mail.
 * @param isLawful the example mails of the run show what the law asks
 */
function findingsOf(
  { run: { mail }, maxBytes }: ReadOrder,
  target: ShownTarget,
  isLawful: boolean,
): Map<string, Finding> {
  const rendered = tryRender(mail, target);
  if (rendered instanceof Problem) return keyed([{ kind: 'unusable', text: rendered.message }]);
  const unlawful = isLawful ? legalError(mail, rendered, EXAMPLE_MAIL_KEY) : null;
  return keyed([
    ...(unlawful === null ? [] : [{ kind: 'unlawful' as const, text: unlawful }]),
    ...mailWarnings(mail, target, rendered),
    ...sizeWarnings(mail, rendered, target.mail_to ?? '', maxBytes),
  ]);
}

const keyed = (findings: readonly Finding[]): Map<string, Finding> =>
  new Map(findings.map((finding) => [`${finding.kind} ${sameText(finding)}`, finding]));

/** The text by which mails have the same point. Names of companies and sizes stand in some. */
function sameText({ kind, text }: Finding): string {
  if (kind === 'doubled_honorific') return honorificsOf(text);
  return kind === 'long_subject' || kind === 'too_large' ? '' : text;
}

function count(found: Map<string, Counted>, key: string, finding: Finding, prospectId: number): void {
  const known = found.get(key);
  if (known) {
    known.count += 1;
    if (known.prospect_ids.length < MAX_NAMED_MAILS) known.prospect_ids.push(prospectId);
  } else if (found.size < MAX_CHECK_WARNINGS) {
    found.set(key, { kind: finding.kind, text: finding.text, count: 1, prospect_ids: [prospectId] });
  }
}
