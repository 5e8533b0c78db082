import PostalMime from 'postal-mime';
import { expect, test } from 'vitest';
import { createTestDatabase } from '#test/db.ts';
import { eventually } from '#test/sending.ts';
import { browserOfWorker, visit } from './browser.ts';
import { type RunningKaitaku, startFresh } from './fresh-start.ts';
import { FIRST_COMPANY, firstDay, OWNER } from './walk-first-day.ts';

test('from an empty database to the first real mail, by screen alone', async () => {
  const database = await createTestDatabase();
  let program: RunningKaitaku | undefined;
  try {
    const kaitaku = await startFresh({ DATABASE_URL: database.url });
    program = kaitaku;
    const setupLink = /http:\/\/127\.0\.0\.1:\d+\/setup\/[\w-]{43}/.exec(kaitaku.program.output())?.[0] ?? '';
    const mailsTo = async (to: string) => {
      const caught = (await kaitaku.mails()).filter((mail) => mail.to.some(({ address }) => address === to));
      return Promise.all(caught.map(async ({ id }) => PostalMime.parse(await kaitaku.source(id))));
    };
    const mailedLink = (to: string, path: string) =>
      eventually(
        async () =>
          (await mailsTo(to)).map(({ text = '' }) => text.match(/http:\S+/g)?.find((link) => link.includes(path))),
        (links) => links.some((link) => link !== undefined),
      ).then((links) => links.find((link) => link !== undefined) ?? '');
    const { page, leave } = await visit(browserOfWorker(), `${kaitaku.url}/icon.svg`);
    for await (const _step of firstDay(page, { setupLink, mailedLink }));
    await leave();
    const [mail] = await mailsTo(FIRST_COMPANY.email);
    expect(mail?.from?.address).toBe(OWNER.email);
    expect(mail?.text).toContain(`${FIRST_COMPANY.ceo} 様`);
    // The owner got the confirmation and one test.
    expect((await mailsTo(OWNER.email)).filter(({ subject = '' }) => subject.startsWith('【テスト】'))).toHaveLength(1);
  } finally {
    await program?.stop();
    await database.drop();
  }
});
