import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { agePastMoves, emailOf } from '#test/accounts.ts';
import { addSentMail, giveHost, heldAt, refusedAt } from '#test/cells.ts';
import { emptyDatabase, type TestDatabase, testDatabase } from '#test/db.ts';
import { freePort, runToEnd, startProgram } from '#test/program.ts';
import { addManyProspects, addTenant } from '#test/prospects.ts';
import { eventually, testSink } from '#test/sending.ts';
import { form } from './form.ts';
import { dataDirOf, kill, startWorker, untilStarted } from './workers.ts';

const HOST = '127.0.0.1';
const COMPANIES = form.isLong ? 20_000 : 4000;
const KILLS = form.isLong ? 20 : 1;
/** Shorter than a delete, which continues where the killed one stopped. */
const KILLED_WITHIN_MS = form.isLong ? 150 : 50;
const random = form.random();

async function startWebOf({ url }: TestDatabase, smtpPort: number): Promise<{ port: number; origin: string }> {
  const port = await freePort();
  const web = startProgram(['web'], {
    DATABASE_URL: url,
    SMTP_URL: `smtp://127.0.0.1:${smtpPort}`,
    PUBLIC_URL: `http://localhost:${port}`,
    PORT: String(port),
  });
  onTestFinished(() => kill(web));
  await web.until('web started');
  return { port, origin: `http://${HOST}:${port}` };
}

test(
  `an account is deleted at its old home, ${KILLS} deletes killed: opt-outs meanwhile are forwarded, and nothing else stays (seed ${form.seed})`,
  async () => {
    const [home, target] = [await emptyDatabase(), await testDatabase()];
    await target.db.updateTable('installation').set({ cell: 3 }).execute();
    const tenant = await addTenant(home.db);
    const other = await addTenant(home.db);
    for (const { accountId } of [tenant, other]) await addManyProspects(home.db, accountId, COMPANIES);
    const mails = await Promise.all(
      Array.from({ length: KILLS + 1 }, (_, n) => addSentMail(home, tenant, `reader${n}@a.example`)),
    );
    await giveHost(home, tenant.accountId, HOST);
    const sink = await testSink();
    const [here, there] = [await startWebOf(home, sink.port), await startWebOf(target, sink.port)];
    await untilStarted(startWorker(home.url, sink.port));
    const email = await emailOf(home.db, tenant.accountId);
    const env = { DATABASE_URL: home.url, DATA_DIR: dataDirOf(home.url), PUBLIC_URL: `http://localhost:${there.port}` };
    await runToEnd(['account', 'move', '--email', email, '--to', target.url, '--without-late-mail'], env);
    await agePastMoves(home.db, 8);
    await eventually(
      async () => (await fetch(`${there.origin}/health/account/${tenant.accountId}`)).status,
      (status) => status === 200,
    );

    const refusers: string[] = [];
    const homeCell = { database: home, origin: here.origin, returnPattern: '' };
    let kills = 0;
    for (const mail of mails) {
      const program = startProgram(['account', 'delete', '--email', email], env);
      onTestFinished(() => kill(program));
      program.child.stdin?.end(`${tenant.accountId}\n`);
      if (kills < KILLS) {
        await program.until('削除しています');
        await sleep(random() * KILLED_WITHIN_MS);
        await kill(program);
        kills += 1;
      }
      const code = await program.ended;
      expect((await fetch(`${here.origin}/u/${mail.key}`, { method: 'POST' })).status).toBe(200);
      // The next delete waits until this is passed on.
      await eventually(
        () => heldAt(homeCell),
        (held) => held.length === 0,
      );
      refusers.push(mail.mailTo);
      if (code === 0) break;
    }
    const refused = await refusedAt({ database: target });
    expect(refused.map(({ value }) => value)).toStrictEqual(refusers.toSorted());
    expect(await home.db.selectFrom('member').select('account_id').execute()).toStrictEqual([
      { account_id: other.accountId },
    ]);
    const left = await home.db.selectFrom('prospect').select('account_id').distinct().execute();
    expect(left).toStrictEqual([{ account_id: other.accountId }]);
    const kept = await home.db.selectFrom('moved_mail').selectAll().execute();
    expect(kept).toHaveLength(mails.length);
  },
  120_000 + KILLS * 30_000,
);
