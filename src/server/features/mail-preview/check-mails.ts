import type { z } from 'zod';
import type { CallAnswer } from '#contract/call.ts';
import {
  type checkMails as checkCall,
  MAX_CHECK_SECONDS,
  MAX_CHECK_WARNINGS,
  MAX_NAMED_MAILS,
  MAX_WARNING_LENGTH,
  type MailCheckWarning,
} from '#contract/sending/mail-preview.ts';
import { honorificsOf } from '#domain/mail/honorifics.ts';
import type { AccountDb } from '../../platform/database/account-db.ts';
import { Problem } from '../../platform/problem.ts';
import { nextSlice, SLICE_MS } from '../../platform/turns.ts';
import { legalError } from '../mail-content/legal-footer.ts';
import { mailWarnings, ownTexts, sizeWarnings } from '../mail-content/mail-warnings.ts';
import { nameInMail } from '../mail-content/run-mail.ts';
import { type Mailing, tryRender } from '../runs/prepare-run.ts';
import { orderAnswer, type ReadOrder, readOrder, type ShownTarget } from './mail-preview.queries.ts';

type Point = Pick<MailCheckWarning, 'kind' | 'text'>;
/** A point to check in one mail. `common`: its text without what differs between mails; '': nothing. */
type Finding = Readonly<Point> & { readonly common: string };
type Counted = Point & { count: number; readonly prospect_ids: number[] };

/**
 * Renders and checks all mails of a list with the code that sends (decisions/mail-preview). It sends and stores no
 * mail.
 * @param now epoch milliseconds
 * @param clock a monotonic clock in milliseconds
 * @returns why an order of the list would be refused; otherwise the points to check, with their companies
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
  // If the example mails have legal faults, the list's mails have the same. A person has confirmed SendGrid's footer.
  const isLawful = !mail.sendgrid_template_id && answer.legal_faults.every(({ level }) => level === 'warning');
  const checked = await inSlices(order.shown, clock, (target) => {
    for (const finding of findingsOf(order, target, isLawful, now)) count(found, finding, target.prospect_id);
  });
  return { ...answer, checked, warnings: [...found.values()] };
}

/** Works on items until the check's time is over. @returns the number of finished items */
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

/** Shorter own values, such as A, stand in links that all mails share. */
const MIN_REMOVED_LENGTH = 4;

/** Returns the points to check in one mail, each once. @param isLawful the run's example mails meet the law */
function findingsOf(
  { run: { mail }, maxBytes }: ReadOrder,
  target: ShownTarget,
  isLawful: boolean,
  now: number,
): Iterable<Finding> {
  const texts = ownTexts(target).filter((text) => text.length >= MIN_REMOVED_LENGTH);
  const names = [nameInMail(mail, target.company_name), target.person_in_charge, ...texts].filter(Boolean);
  const rendered = tryRender(mail, target);
  if (rendered instanceof Problem) return [findingOf({ kind: 'unusable', text: rendered.message }, names)];
  const unlawful = isLawful ? legalError(mail, rendered, target) : null;
  const points: Point[] = [
    ...(unlawful === null ? [] : [{ kind: 'unlawful' as const, text: unlawful }]),
    ...mailWarnings(mail, target, rendered, now),
    ...sizeWarnings(mail, rendered, target.mail_to ?? '', maxBytes),
  ];
  const findings = points.map((point) => findingOf(point, names));
  return new Map(findings.map((finding) => [keyOf(finding), finding])).values();
}

/** @param names of company and person as the mail has them, and its own values */
const findingOf = (point: Point, names: readonly string[]): Finding => ({
  kind: point.kind,
  text: shortened(point.text),
  // Names are removed first: names of other lengths would cut a link elsewhere.
  common: shortened(commonText(point, names)),
});

const shortened = (text: string): string =>
  text.length > MAX_WARNING_LENGTH ? `${text.slice(0, MAX_WARNING_LENGTH - 1)}…` : text;

/** Removes what differs between mails from a point's text: company names and sizes. */
function commonText({ kind, text }: Point, names: readonly string[]): string {
  if (kind === 'long_subject' || kind === 'too_large') return '';
  if (kind === 'doubled_honorific') return honorificsOf(text);
  if (kind !== 'bad_link') return text;
  return names.reduce((rest, name) => rest.replaceAll(name, '…'), text);
}

const keyOf = ({ kind, common }: Finding): string => `${kind} ${common}`;

/** Counts a point. For differing texts shows their common part, so that it names no single company. */
function count(found: Map<string, Counted>, finding: Finding, prospectId: number): void {
  const { kind, text, common } = finding;
  const known = found.get(keyOf(finding));
  if (known) {
    known.count += 1;
    if (common !== '' && known.text !== text) known.text = common;
    if (known.prospect_ids.length < MAX_NAMED_MAILS) known.prospect_ids.push(prospectId);
  } else if (found.size < MAX_CHECK_WARNINGS) {
    found.set(keyOf(finding), { kind, text, count: 1, prospect_ids: [prospectId] });
  }
}
