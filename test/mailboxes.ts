import type { Insertable } from 'kysely';
import { type MailboxSecret, sealMailbox } from '#server/features/mailboxes/mailbox.queries.ts';
import { sealOAuthApp } from '#server/features/mailboxes/oauth-app.queries.ts';
import type { OAuthProvider } from '#server/features/mailboxes/oauth-provider.ts';
import type { Db } from '#server/platform/database/db.ts';
import type { Mailbox } from '#server/platform/database/db-types.ts';
import { Problem } from '#server/platform/problem.ts';
import { OAUTH_CLIENT, type OAuthStub } from './oauth-provider.ts';
import { testSecrets } from './secrets.ts';

/**
 * Adds a mailbox that was checked, with a password.
 * @param db of the owner or of a role that inserts mailboxes
 */
export async function addTestMailbox(
  db: Db,
  accountId: number,
  {
    password = 'secret of the mailbox',
    tokens,
    ...info
  }: Partial<Insertable<Mailbox>> & { password?: string; tokens?: MailboxSecret } = {},
): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('mailbox')
      .values({
        account_id: accountId,
        kind: 'smtp',
        name: '鈴木 彩',
        address: 'aya@haru.example',
        smtp_host: 'mail.haru.example',
        smtp_port: 587,
        security: 'starttls',
        username: 'aya',
        per_minute: 60,
        per_day: 10_000,
        state: 'ok',
        ...info,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed = await sealMailbox(tx, testSecrets, { accountId, id }, tokens ?? { password });
    if (sealed instanceof Problem) throw new Error(sealed.message);
    await tx.updateTable('mailbox').set(sealed).where('account_id', '=', accountId).where('id', '=', id).execute();
    await tx.insertInto('mailbox_state').values({ account_id: accountId, mailbox_id: id }).execute();
    return id;
  });
}

/** Adds a mailbox of Microsoft whose owner has consented. */
export const addOAuthMailbox = (
  db: Db,
  accountId: number,
  provider: Pick<OAuthStub, 'issue' | 'seconds'>,
  info: Partial<Insertable<Mailbox>> = {},
): Promise<number> =>
  addTestMailbox(db, accountId, {
    kind: 'microsoft',
    smtp_host: 'smtp.office365.com',
    username: 'aya@haru.example',
    token_expires_at: new Date(Date.now() + provider.seconds * 1000),
    ...info,
    tokens: { ...provider.issue(), life: provider.seconds },
  });

/** Registers an account at a provider, as OAuthStub knows it. */
export async function registerOAuthApp(db: Db, accountId: number, provider: OAuthProvider): Promise<void> {
  const sealed = await db
    .transaction()
    .execute((tx) => sealOAuthApp(tx, testSecrets, { accountId, provider }, OAUTH_CLIENT.secret));
  if (sealed instanceof Problem) throw new Error(sealed.message);
  const tenant = provider === 'microsoft' ? 'haru.example' : null;
  await db
    .insertInto('oauth_app')
    .values({ account_id: accountId, provider, client_id: OAUTH_CLIENT.id, tenant, ...sealed })
    .execute();
}
