import { login as loginCall, logout } from '#contract/auth.ts';
import type { Db } from '../../platform/db.ts';
import type { AddRoute } from '../../platform/http/route.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { closeSession, openSession } from './session.ts';

const wrongCredentials = () => new Refusal(401, 'wrong_credentials', 'メールアドレスまたはパスワードが違います');

/** Compared with when an address is unknown, so that the answer takes as long as for a known one. */
const decoy = hashPassword('no account has this password');

export function addAuthRoutes(addRoute: AddRoute, { login: db, now }: { login: Db; now: () => number }): void {
  addRoute(loginCall, async ({ body: { email, password } }) => {
    const account = await db
      .selectFrom('account')
      .select(['id', 'password_hash'])
      .where((where) => where(where.fn<string>('lower', ['email']), '=', email.toLowerCase()))
      .executeTakeFirst();
    const matches = await verifyPassword(account?.password_hash ?? (await decoy), password);
    if (!account || !matches) return wrongCredentials();
    return { token: await openSession(db, account.id, now()), account_id: account.id };
  });

  addRoute(logout, async ({ token }) => {
    await closeSession(db, token);
    return { status: 'logged-out' as const };
  });
}
