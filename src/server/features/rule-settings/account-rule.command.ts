import { type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import type { updateAccountRule as updateCall } from '#contract/senders/sending-rules.ts';
import { readNetworks } from '#domain/account/login-networks.ts';
import type { MemberDb, MemberKey } from '../../platform/database/account-db.ts';
import type { Tx } from '../../platform/database/db.ts';
import { lockAccount } from '../../platform/database/lock-account.ts';
import type { SystemMail } from '../../platform/mail/system-mail.ts';
import { Problem } from '../../platform/problem.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { hasSecondStep, isSecondStepOn } from '../auth/second-step/second-step.queries.ts';
import { requeueUnsent } from '../delivery/quota/sender-pace.command.ts';
import { readAdminsToTell } from '../rights/admins.queries.ts';
import { readAccountRule } from '../sending-rules/account-rule.queries.ts';
import { changedLogIns, logInsChangedMail } from './log-in-rule-mails.ts';
import { networkChange, networksProblem, type Origin } from './login-networks.command.ts';
import { bringForward, lockThrottles } from './release.queries.ts';

type Changes = z.output<(typeof updateCall)['body']>['update_info'];

/** Whether a change opens log-ins wider, or shuts some out: a stolen session must not be enough for it. */
export const asksOwner = ({ login_networks, password_off, two_factor_required }: Changes): boolean =>
  login_networks !== undefined || password_off !== undefined || two_factor_required === 0;

/**
 * Changes the given rules of an account. A running undo window keeps its length; limits apply to waiting mails.
 * @returns the mails to all admins that the caller sends: none where no rule of log-ins is another
 */
export const updateAccountRule = (
  { id: accountId, memberId, transaction }: MemberDb,
  { login_networks: typed, ...changes }: Changes,
  origin: Origin,
): Promise<readonly SystemMail[] | Problem> =>
  transaction(async (tx) => {
    // Second steps end behind the same lock: else each would miss what the other changes.
    if (changes.two_factor_required !== undefined || changes.password_off !== undefined)
      await lockAccount(tx, accountId);
    // Who asks it of all must have seen that it works.
    if (changes.two_factor_required === 1 && !(await isSecondStepOn(tx, { accountId, memberId }))) return ownMissing();
    const networks = typed === undefined ? undefined : [...readNetworks(typed).networks];
    const problem =
      (networks === undefined ? null : await networksProblem(tx, networks, origin)) ??
      (changes.password_off === 1 ? await passwordsNeeded(tx, accountId) : null);
    if (problem) return problem;
    // After all refusals: a returned problem does not roll back.
    if (changes.per_day !== undefined) await releaseMails(tx, accountId);
    const columns = columnsOf(changes, networks);
    const before = await readAccountRule(tx, accountId);
    const networksChanged = networks === undefined ? undefined : await networkChange(tx, accountId, networks);
    await tx
      .insertInto('account_rule')
      .values({ account_id: accountId, ...columns })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(columns))
      .execute();
    await recordAudit(tx, {
      accountId,
      memberId,
      kind: 'account_rule_changed',
      detail: { ...changes, login_networks: networksChanged },
    });
    const lines = changedLogIns(before, { ...changes, networks, networksChanged });
    return lines.length === 0 ? [] : mailsToAdmins(tx, { accountId, memberId }, lines);
  });

const asBoolean = (flag: 0 | 1 | undefined): boolean | undefined => (flag === undefined ? undefined : flag === 1);

const columnsOf = (
  { across_groups, export_needs_admin, two_factor_required, password_off, ...others }: Omit<Changes, 'login_networks'>,
  networks: string[] | undefined,
) =>
  withoutUndefined({
    ...others,
    login_networks: networks,
    across_groups: asBoolean(across_groups),
    export_needs_admin: asBoolean(export_needs_admin),
    two_factor_required: asBoolean(two_factor_required),
    password_off: asBoolean(password_off),
  });

async function mailsToAdmins(tx: Tx, member: MemberKey, lines: readonly string[]): Promise<SystemMail[]> {
  const { admins, by } = await readAdminsToTell(tx, member);
  return admins.map(({ email }) => logInsChangedMail(email, member.accountId, { by, lines }));
}

const ownMissing = () =>
  new Problem('own_two_factor_missing', '先に、アカウントの「セキュリティ」で、自分の二段階認証を設定してください。');

/** Refuses to switch passwords off without another log-in, or while an admin has no second step. */
async function passwordsNeeded(tx: Tx, accountId: number): Promise<Problem | null> {
  const registration = await tx
    .selectFrom('oidc')
    .select('active')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (!registration?.active) {
    return new Problem('company_log_in_off', '先に、会社のIDでのログインを設定して、オンにしてください。');
  }
  const admins = await tx
    .selectFrom('member')
    .select('name')
    .where('account_id', '=', accountId)
    .where('role', '=', 'admin')
    .where('active', '=', true)
    .where(sql<SqlBool>`NOT ${hasSecondStep}`)
    .orderBy('id')
    .execute();
  if (admins.length === 0) return null;
  const names = admins.slice(0, NAMED_ADMINS).map(({ name }) => `${name}さん`);
  const more = admins.length > NAMED_ADMINS ? `ほか${admins.length - NAMED_ADMINS}人` : '';
  return new Problem(
    'two_factor_missing',
    `管理者の全員に、二段階認証が必要です。${names.join('、')}${more}の設定が終わってから、変更してください。`,
  );
}

/** The most admins that a refusal names. */
const NAMED_ADMINS = 5;

/** Applies a new limit of the day to claimed mails before their mark, and releases mails that wait for another day. */
async function releaseMails(tx: Tx, accountId: number): Promise<void> {
  for (const profile of await lockThrottles(tx, accountId)) await requeueUnsent(tx, profile);
  await bringForward(tx, accountId, 'limit', sql<SqlBool>`true`);
}
