import { expect, test } from 'vitest';
import { addAccount } from '#test/accounts.ts';
import { emptyDatabase } from '#test/db.ts';
import { addOAuthMailbox, registerOAuthApp } from '#test/mailboxes.ts';
import { serveOAuth } from '#test/oauth-provider.ts';
import { testSecrets } from '#test/secrets.ts';
import { testSink } from '#test/sending.ts';
import { accountDbOf } from '../../platform/database/account-db.ts';
import { openSession } from '../../platform/mail/smtp/session.ts';
import { SMTP_TIMES } from '../../platform/mail/smtp/settings.ts';
import { readMailbox } from './mailbox.queries.ts';
import { mailboxLogIn } from './mailbox-log-in.ts';

test('a token logs in at its server until the consent ends; then the mailbox is lost', async () => {
  const database = await emptyDatabase();
  const provider = await serveOAuth();
  const sink = await testSink();
  const { accountId } = await addAccount(database.db);
  await registerOAuthApp(database.db, accountId, 'google');
  const id = await addOAuthMailbox(database.db, accountId, provider, { kind: 'google' });
  const asked: string[] = [];
  sink.token = (user, accessToken) => {
    asked.push(user);
    return provider.accepts(accessToken);
  };
  const logIn = async () => {
    const box = (await readMailbox(database.db, { accountId, id })) ?? expect.unreachable();
    const services = { secrets: testSecrets, outbound: provider.outbound, now: Date.now };
    const credentials = await mailboxLogIn(services, accountDbOf(database.service.db)(accountId, null), box);
    if (typeof credentials === 'string') return credentials;
    const place = { host: '127.0.0.1', port: sink.port, secure: false, requireTls: false };
    try {
      const session = await openSession({ ...place, credentials }, SMTP_TIMES, new Promise<never>(() => {}));
      session.close();
      return 'welcome';
    } catch (error) {
      return (error as { response?: string }).response;
    }
  };
  expect(await logIn()).toBe('welcome');
  expect(asked).toStrictEqual(['aya@haru.example']);
  // A token of 1 s is renewed for each connection.
  provider.seconds = 1;
  await database.db
    .updateTable('mailbox')
    .set({ token_expires_at: new Date(0) })
    .execute();
  expect(await logIn()).toBe('welcome');
  expect(provider.asked).toHaveLength(1);
  await database.db
    .updateTable('mailbox')
    .set({ token_expires_at: new Date(Date.now() + 60_000) })
    .execute();
  provider.revoke();
  expect(await logIn()).toBe('535 5.7.8 the token is refused');
  // As the engine does after a refusal.
  await database.db.updateTable('mailbox').set({ token_expires_at: new Date() }).execute();
  expect(await logIn()).toBe('lost');
});
