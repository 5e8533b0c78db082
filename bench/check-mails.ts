import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { MAX_CANDIDATE_DATES, MAX_TARGETS, MAX_TEMPLATE_LENGTH } from '#domain/limits.ts';
import { type CandidateDate, nextCandidate } from '#domain/sending/candidate-dates.ts';
import { PICKER_TIMES } from '#domain/sending/picker-window.ts';
import { checkMails } from '#server/features/mail-preview/check-mails.ts';
import { starterGroup } from '#server/features/senders/sender-group.command.ts';
import { Problem } from '#server/platform/problem.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { median, ms, percentile, print } from './figures.ts';
import { openScene } from './sending-scene.ts';

/**
 * Measures the time of `POST /mail/check` for 1,000 mails, and its longest block of the event loop.
 * `npm run bench -- check-mails [--mails 1000] [--rounds 5] [--only starter]`. Checks the starter's letter, and
 * templates as expensive as their limits permit: most of their checks are cut off after three seconds.
 */
const { values } = parseArgs({
  options: {
    mails: { type: 'string', default: String(MAX_TARGETS) },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});

const [starter] = starterGroup({ name: '田中 直樹', email: 'tanaka@example.com', company: '架空商事' }).senders;
if (!starter) throw new Error('a new account has no sender');
const { text_body, html_body } = starter.template;

/** Repeats a text up to the length of the longest template. @param reserved characters for other text */
const filled = (text: string, reserved = 0) => text.repeat(Math.floor((MAX_TEMPLATE_LENGTH - reserved) / text.length));
const LOOP = `{% for line in candidate_date_lines %}${'{{ company_name }}'.repeat(100)}{% endfor %}`;
const FIELDS = '{{ company_name }}{{ person_in_charge | upcase }}'.repeat(240);

const LETTERS: Readonly<Record<string, { readonly text_body: string; readonly html_body: string }>> = {
  "the starter's letter": { text_body, html_body },
  '480 fields, 80,000 characters': {
    text_body: FIELDS + filled('あ', 20_000),
    html_body: FIELDS + filled('あ', 20_000),
  },
  'a loop over 100 dates': { text_body: LOOP + filled('あ', LOOP.length), html_body: LOOP + filled('あ', LOOP.length) },
  '9,000 elements, a tag that differs': {
    text_body,
    html_body: `<i title="{{ company_name }}">${'<b>x</b>'.repeat(9000)}`,
  },
  '16,000 open tags': { text_body, html_body: `{{ company_name }}${filled('<a href', 100)}` },
  '8,000 bad links': { text_body, html_body: `{{ company_name }}${filled('<a href="x">', 100)}` },
  'doubled honorifics': { text_body: `{{ company_name }}${filled('山田様　様、', 100)}`, html_body },
  'characters of no mail': {
    text_body: `{{ company_name }}${filled(String.fromCodePoint(...Array.from({ length: 9000 }, (_, n) => 0x4e00 + n)), 100)}`,
    html_body,
  },
};

const scene = await openScene();

/** Returns the maximum number of dates, of 15 minutes each. */
function manyDates(now: number): CandidateDate[] {
  const dates: CandidateDate[] = [];
  for (let day = nextCandidate([], now); dates.length < MAX_CANDIDATE_DATES; day = nextCandidate([day], now)) {
    const slots = PICKER_TIMES.slice(1).map((end_time, at) => ({
      ...day,
      start_time: PICKER_TIMES[at] ?? '',
      end_time,
    }));
    dates.push(...slots.slice(0, MAX_CANDIDATE_DATES - dates.length));
  }
  return dates;
}

/** Makes an account with a list and a letter. @returns its check, which measures itself */
async function checkOf(letter: (typeof LETTERS)[string]) {
  const { accountId, memberId, senderId } = await addTenant(scene.db);
  await scene.db.updateTable('mail_template').set(letter).where('account_id', '=', accountId).execute();
  await addManyProspects(scene.db, accountId, Number(values.mails));
  const rows = await scene.db.selectFrom('prospect').select('id').where('account_id', '=', accountId).execute();
  const attack_list = rows.map(({ id }) => ({ prospect_id: id }));
  return async () => {
    const now = Date.now();
    const body = { test_send_mode: 0 as const, attack_list, datetime_list: manyDates(now) };
    const delay = monitorEventLoopDelay({ resolution: 1 });
    const cpu = process.cpuUsage();
    const begun = performance.now();
    delay.enable();
    const answer = await checkMails(scene.account(accountId, memberId), senderId, body, now, TEST_MAILING);
    delay.disable();
    const wall = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    if (answer instanceof Problem) throw new Error(JSON.stringify(answer));
    return { wall, cpu: (user + system) / 1000, checked: answer.checked, turn: delay.max / 1e6, answer };
  };
}

print(`${values.mails} mails, ${values.rounds} rounds, Node ${process.version}`, '');
print('| letter | ms, p50 | most | CPU, ms | checked | answer, kB | longest turn, ms |', `|${' --- |'.repeat(7)}`);
for (const [name, letter] of Object.entries(LETTERS).filter(([name]) => name.includes(values.only))) {
  const check = await checkOf(letter);
  // The first check compiles the code.
  await check();
  const rounds: Awaited<ReturnType<typeof check>>[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1) rounds.push(await check());
  const of = (key: 'wall' | 'cpu' | 'checked' | 'turn') => rounds.map((round) => round[key]);
  const bytes = Math.max(...rounds.map(({ answer }) => Buffer.byteLength(JSON.stringify(answer))));
  print(
    `| ${name} | ${ms(median(of('wall')))} | ${ms(percentile(of('wall'), 1))} | ${ms(median(of('cpu')))} | ${median(of('checked'))} | ${ms(bytes / 1000)} | ${ms(Math.max(...of('turn')))} |`,
  );
}
await scene.close();
