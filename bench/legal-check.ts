import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { mailFaults } from '#domain/law/mail.ts';
import { BLANK_PROFILE } from '#domain/law/profile.ts';
import { refusalPlace } from '#domain/law/refusal-place.ts';
import { DEMO_GROUPS } from '#server/features/demo/demo-content.ts';
import { checkedBodies } from '#server/features/mail-content/checked-bodies.ts';
import { legalError } from '#server/features/mail-content/legal-footer.ts';
import { mailRenderer, type RunMail } from '#server/features/mail-content/run-mail.ts';
import { visibleOfHtml, visibleOfText } from '#server/features/mail-content/visible-text.ts';
import { composeMessage } from '#server/platform/mail/compose.ts';
import { PUBLIC_URL } from '#test/mailing.ts';
import { percentile, print } from './figures.ts';
import { LETTER as sender } from './letter.ts';

/**
 * Measures the check of finished mails (L5 to L7) beside the other work for a mail: CPU of this process, without
 * network or database. `npm run bench -- legal-check [--mails 5000] [--rounds 9]`.
 * The letter is that of the benches. Its mails differ in company, person and key.
 */
const { values } = parseArgs({
  options: { mails: { type: 'string', default: '5000' }, rounds: { type: 'string', default: '9' } },
});
const rounds = Number(values.rounds);

const [group] = DEMO_GROUPS;
if (!group) throw new Error('the demo has no group');
const run: RunMail = {
  ...sender.template,
  subject: sender.subject,
  sender: { person_in_charge: sender.person_in_charge, email: sender.email, bcc: [], reply_to: null, signature: '' },
  account: { name: sender.person_in_charge, company: '株式会社架空商事' },
  candidate_dates: ['・11月24日(火) 9:00〜18:00'],
  legal: { ...BLANK_PROFILE, ...group.legal, public_url: PUBLIC_URL },
};
const render = mailRenderer(run);
const targets = Array.from({ length: Number(values.mails) }, (_, n) => ({
  company_name: `株式会社${n}製作所`,
  person_in_charge: `山田 ${n}郎 様`,
  mail_key: randomUUID().replaceAll('-', ''),
}));
const mails = targets.map((target) => ({ ...target, ...render(target) }));
type RunMailOf = (typeof mails)[number];

const placeOf = (mailKey: string) => {
  const place = refusalPlace({ publicUrl: PUBLIC_URL, refusalEmail: null, mailKey });
  if (place === null || run.legal === undefined) throw new Error('a mail of the benchmark has no refusal place');
  return { place, legal: run.legal };
};
const htmlIsLawful = (html: string, mailKey: string): boolean => {
  const { place, legal } = placeOf(mailKey);
  const bodies = { text_body: visibleOfHtml(html), html_body: null };
  return mailFaults(bodies, legal, place).every(({ level }) => level !== 'error');
};
const textIsLawful = ({ text, mail_key }: RunMailOf): boolean => {
  const { place, legal } = placeOf(mail_key);
  return mailFaults({ text_body: visibleOfText(text), html_body: null }, legal, place).length === 0;
};
const compose = ({ company_name: _company, person_in_charge: _person, mail_key, ...mail }: RunMailOf): boolean => {
  const from = { name: sender.person_in_charge, address: sender.email };
  const parts = { from, to: 'info@example.co.jp', messageId: `<${mail_key}@example.co.jp>`, date: new Date(0) };
  return composeMessage({ ...mail, ...parts, refusal: placeOf(mail_key).place }).length > 0;
};
const known = checkedBodies(htmlIsLawful);
known.remember(mails[0]?.html ?? '', mails[0]?.mail_key ?? '');

const WORK: Record<string, (mail: RunMailOf) => boolean> = {
  'render the mail': (mail) => render(mail).html !== '',
  'compose the message': compose,
  'check the text': textIsLawful,
  'parse and check the HTML': ({ html, mail_key }) => htmlIsLawful(html, mail_key),
  'compare the HTML with a lawful one': ({ html, mail_key }) => known.isKnown(html, mail_key),
  'the whole check of a run': (mail) => legalError(run, mail, mail) === null,
};

/** @returns microseconds of CPU per mail */
function measure(work: (mail: RunMailOf) => boolean): number {
  const before = process.cpuUsage();
  for (const mail of mails) if (!work(mail)) throw new Error(`not lawful: ${mail.html}`);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / mails.length;
}

const figures = new Map(Object.keys(WORK).map((name) => [name, [] as number[]]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, work] of Object.entries(WORK)) {
    const figure = measure(work);
    // The first round compiles the code.
    if (round > 0) figures.get(name)?.push(figure);
  }
}
const shown = (list: readonly number[]) =>
  [0.5, 0, 0.99].map((share) => percentile(list, share).toFixed(1)).join(' | ');
print(
  `${mails.length} mails of ${Buffer.byteLength(mails[0]?.html ?? '')} bytes of HTML, ${rounds} rounds, Node ${process.version}`,
  '',
  '| | µs CPU a mail, median | least | most |',
  '| --- | --- | --- | --- |',
  ...[...figures].map(([name, list]) => `| ${name} | ${shown(list)} |`),
);
