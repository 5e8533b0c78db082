import { setTimeout as sleep } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { expect, onTestFinished, test } from 'vitest';
import { writePeople } from '#server/features/people/write-people.command.ts';
import { acceptSend } from '#server/features/runs/accept.command.ts';
import { Problem } from '#server/platform/problem.ts';
import { emptyDatabase } from '#test/db.ts';
import { TEST_MAILING } from '#test/mailing.ts';
import type { Program } from '#test/program.ts';
import { addProspects, addTenant } from '#test/prospects.ts';
import { eventually, testSink, untilSettled } from '#test/sending.ts';
import { form } from './form.ts';
import { judge } from './truth.ts';
import { kill, startWorker, stop, untilMerged } from './workers.ts';

const random = form.random();
const COMPANIES = 30 * Math.ceil(form.mails / 100);
/** About how long all mails take. */
const BUSY_MS = 20_000;

/**
 * Two workers are killed in turn while each company's main contact person (主担当) changes again and again, also to none.
 */
test(
  `${form.kills} × kill -9 in ${COMPANIES} mails to main contact persons who change: each company once, address and greeting of one person (seed ${form.seed})`,
  async () => {
    const database = await emptyDatabase();
    const { db } = database;
    const sink = await testSink();
    sink.latencyMs = (2 * BUSY_MS) / COMPANIES;
    const tenant = await addTenant(db);
    const { accountId, memberId, senderId } = tenant;
    const account = database.account(accountId, memberId);
    await db
      .updateTable('mail_template')
      .set({ subject: '{{ company_name }}/{{ person_in_charge }}', text_body: '本文', html_body: '<p>本文</p>' })
      .execute();
    await db.updateTable('sender').set({ subject: null }).execute();
    const ids = await addProspects(
      db,
      accountId,
      Array.from({ length: COMPANIES }, (_, n) => ({
        company_name: `C${n}`,
        company_email: `c${n}@a.example`,
        ceo: `C${n}`,
      })),
    );
    let version = 0;
    /** Gives a company another main contact person, or none. */
    const change = async (n: number) => {
      version += 1;
      const mark = `P${n}v${version}`;
      const person = { prospectId: ids[n] ?? 0, name: mark, email: `${mark}@a.example`, isPrimary: true };
      await account.transaction(async (tx) => {
        const scope = { accountId, memberId, kind: 'edited' as const };
        const [written] = await writePeople(tx, scope, [person]);
        const isLast = random() < 0.2 && written?.id;
        if (isLast) await writePeople(tx, scope, [{ prospectId: person.prospectId, id: isLast, archived: true }]);
      });
    };
    for (const n of ids.keys()) await change(n);
    const body = {
      test_send_mode: 0 as const,
      attack_list: ids.map((prospect_id) => ({ prospect_id })),
      send_to: 'primary_or_company' as const,
    };
    const answer = await acceptSend(account, { senderId, body, idempotencyKey: null, ...TEST_MAILING }, Date.now());
    if (answer instanceof Problem || answer.accepted !== COMPANIES) throw new Error(JSON.stringify(answer));

    let isOver = false;
    const changing = (async () => {
      while (!isOver) {
        await change(Math.floor(random() * COMPANIES));
        await sleep(5);
      }
    })();
    onTestFinished(() => {
      isOver = true;
    });
    const start = () => startWorker(database.url, sink.port, 2);
    const workers: Program[] = [start(), start()];
    for (let kills = 0; kills < form.kills; kills += 1) {
      const next = ((kills + 0.5) * 0.8 * COMPANIES) / form.kills;
      await eventually(
        () => Promise.resolve(sink.mails.length),
        (count) => count >= next,
        90_000,
      );
      await sleep(random() * 30);
      const [victim] = workers.splice(kills % 2, 1, start());
      if (victim) await kill(victim);
    }
    await untilSettled(db, 180_000);
    isOver = true;
    await changing;
    await untilMerged(database);
    for (const worker of workers) expect(await stop(worker)).toBe(0);

    const { wrong, sent, unknown } = await judge(
      db,
      sink.mails.map(({ messageId }) => messageId),
    );
    expect(wrong).toStrictEqual([]);
    expect(sent + unknown).toBe(COMPANIES);
    const rows = await db.selectFrom('delivery').select(['message_id', 'mail_to', 'person_in_charge']).execute();
    const stored = new Map(rows.map((row) => [row.message_id, row]));
    const companies = new Set<string>();
    let moved = 0;
    for (const { to, source, messageId } of sink.mails) {
      const { subject = '' } = await PostalMime.parse(source);
      const [company = '', greeting = ''] = subject.split('/');
      const [local = ''] = to[0]?.split('@') ?? [];
      // A person's mark is in the address and in the greeting; the company's ceo is greeted at its own address.
      expect(greeting).toBe(`${local.startsWith('c') ? local.toUpperCase() : local} 様`);
      expect(local.slice(1).split('v')[0]).toBe(company.slice(1));
      expect(stored.get(messageId)).toMatchObject({ mail_to: to[0], person_in_charge: greeting.replace(' 様', '') });
      companies.add(company);
      moved += Number(!local.startsWith('c') && Number(local.split('v')[1]) > COMPANIES);
    }
    expect(companies.size).toBe(sink.mails.length);
    expect(moved).toBeGreaterThan(0);
  },
  240_000 + form.kills * 20_000,
);
