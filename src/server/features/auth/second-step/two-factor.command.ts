import type { MemberDb, MemberKey } from '../../../platform/database/account-db.ts';
import { memberKeyOf } from '../../../platform/database/account-db.ts';
import type { Tx } from '../../../platform/database/db.ts';
import { insertRows } from '../../../platform/database/driver/insert-rows.ts';
import { lockAccount } from '../../../platform/database/lock-account.ts';
import { fieldProblem, Problem, unauthorized } from '../../../platform/problem.ts';
import { noSecretKey } from '../../../platform/secrets/secrets.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { passwordProblem } from '../prove-owner.ts';
import { shutOut } from '../session.ts';
import { type CodeServices, notSetUp, takeCode, tryCode } from './check-code.command.ts';
import { secondStepOffMail, secondStepOnMail } from './second-step-mails.ts';
import { base32, hashOfCode, newRecoveryCodes, newTotpSecret, totpUri } from './totp.ts';

interface Asker {
  readonly account: MemberDb;
  readonly ip: string;
}

interface Member extends MemberKey {
  readonly email: string;
}

/** Locks the caller, as all do that change what a log-in asks. @returns 401 for one who was stopped meanwhile */
async function lockCaller(tx: Tx, account: MemberDb): Promise<Member | Problem> {
  const key = memberKeyOf(account);
  const member = await tx
    .selectFrom('member')
    .select(['email', 'active'])
    .where('account_id', '=', key.accountId)
    .where('id', '=', key.memberId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return member?.active ? { ...key, email: member.email } : unauthorized();
}

const stepIn = (tx: Tx, { accountId, memberId }: MemberKey) =>
  tx
    .selectFrom('member_totp')
    .select('confirmed_at')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .executeTakeFirst();

/** Makes a secret for an app. A repeated start replaces it, until it is confirmed. @returns 400, 409, 429 or 503 */
export async function startTwoFactor(
  services: CodeServices,
  asker: Asker,
  password: string,
): Promise<{ readonly secret: string; readonly uri: string } | Problem> {
  if (!services.secrets.hasKey) return noSecretKey();
  const problem = await passwordProblem(services, asker, password);
  if (problem) return problem;
  return asker.account.transaction(async (tx) => {
    const member = await lockCaller(tx, asker.account);
    if (member instanceof Problem) return member;
    const { accountId, memberId } = member;
    if ((await stepIn(tx, member))?.confirmed_at) return alreadyOn();
    const secret = newTotpSecret();
    const sealed = await services.secrets.seal(tx, { accountId, row: memberId, kind: 'totp' }, secret);
    if (sealed instanceof Problem) return sealed;
    const row = { ...sealed, last_step: 0, tries: 0, tried_at: null };
    await tx
      .insertInto('member_totp')
      .values({ account_id: accountId, member_id: memberId, ...row })
      .onConflict((conflict) => conflict.columns(['account_id', 'member_id']).doUpdateSet(row))
      .execute();
    return { secret: base32(secret), uri: totpUri(secret, member.email) };
  });
}

/**
 * Turns the second step on with the app's first code, and ends all sessions but the caller's: the password alone opened
 * them. Of two at once one gets codes.
 * @returns 400, 409, 429 or 503
 */
export async function confirmTwoFactor(
  services: CodeServices,
  { account, token }: { readonly account: MemberDb; readonly token: string },
  code: string,
): Promise<{ readonly recovery_codes: string[] } | Problem> {
  const known = await account.snapshot((tx) => stepIn(tx, memberKeyOf(account)));
  if (known?.confirmed_at) return alreadyOn();
  const second = await tryCode(services, { ...memberKeyOf(account), email: '' }, code, false);
  if (second instanceof Problem) return second;
  if (second?.by !== 'code') return invalidCode();
  const done = await account.transaction(async (tx) => {
    const member = await lockCaller(tx, account);
    if (member instanceof Problem) return member;
    if ((await stepIn(tx, member))?.confirmed_at) return alreadyOn();
    if (!(await takeCode(tx, services, member, second))) return invalidCode();
    await tx
      .updateTable('member_totp')
      .set({ confirmed_at: new Date(services.now()) })
      .where('account_id', '=', member.accountId)
      .where('member_id', '=', member.memberId)
      .execute();
    const recovery_codes = await replaceCodes(tx, member);
    await shutOut(tx, member, token);
    const { accountId, memberId } = member;
    await recordAudit(tx, { accountId, memberId, kind: 'two_factor_on', detail: {} });
    return { recovery_codes, email: member.email };
  });
  if (done instanceof Problem) return done;
  void services.mailer(secondStepOnMail(done.email, account.id));
  return { recovery_codes: done.recovery_codes };
}

async function replaceCodes(tx: Tx, { accountId, memberId }: MemberKey): Promise<string[]> {
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  const codes = newRecoveryCodes();
  const rows = codes.map((code) => ({ account_id: accountId, member_id: memberId, hash: hashOfCode(code) }));
  const types = { account_id: 'bigint', member_id: 'bigint', hash: 'bytea' };
  await insertRows(tx, 'recovery_code', types, rows, (insert) => insert);
  return codes;
}

interface Proof {
  readonly current_password: string;
  readonly code: string;
}

/** Turns the caller's second step off. @returns 400, 409, 429 or 503 */
export async function endTwoFactor(
  services: CodeServices,
  asker: Asker,
  proof: Proof,
): Promise<{ readonly status: 'updated' } | Problem> {
  // Asked before a code is used.
  const problem = await asker.account.snapshot((tx) => requiredProblem(tx, memberKeyOf(asker.account)));
  if (problem) return problem;
  const done = await withProof(services, asker, proof, async (tx, member) => {
    const required = await requiredProblem(tx, member);
    if (required) return required;
    await deleteStep(tx, member);
    const { accountId, memberId } = member;
    await recordAudit(tx, { accountId, memberId, kind: 'two_factor_off', detail: {} });
    return member.email;
  });
  if (done instanceof Problem) return done;
  void services.mailer(secondStepOffMail(done, asker.account.id));
  return { status: 'updated' };
}

/** Replaces the recovery codes, used ones too. @returns 400, 409, 429 or 503 */
export const renewRecoveryCodes = (
  services: CodeServices,
  asker: Asker,
  proof: Proof,
): Promise<{ readonly recovery_codes: string[] } | Problem> =>
  withProof(services, asker, proof, async (tx, { accountId, memberId }) => {
    const recovery_codes = await replaceCodes(tx, { accountId, memberId });
    await recordAudit(tx, { accountId, memberId, kind: 'recovery_codes_made', detail: {} });
    return { recovery_codes };
  });

/**
 * Runs `work` behind the locks of account and caller, once password and code are proved; the code is used then. The
 * account's lock makes a rule that asks second steps wait: else each would miss what the other changes.
 */
async function withProof<Result>(
  services: CodeServices,
  asker: Asker,
  { current_password, code }: Proof,
  work: (tx: Tx, member: Member) => Promise<Result | Problem>,
): Promise<Result | Problem> {
  const wrong = await passwordProblem(services, asker, current_password);
  if (wrong) return wrong;
  const key = memberKeyOf(asker.account);
  const { email } = await asker.account.snapshot((tx) =>
    tx
      .selectFrom('member')
      .select('email')
      .where('account_id', '=', key.accountId)
      .where('id', '=', key.memberId)
      .executeTakeFirstOrThrow(),
  );
  const second = await tryCode(services, { ...key, email }, code);
  if (second instanceof Problem) return second;
  if (second === null) return invalidCode();
  return asker.account.transaction(async (tx) => {
    await lockAccount(tx, asker.account.id);
    const member = await lockCaller(tx, asker.account);
    if (member instanceof Problem) return member;
    if (!(await stepIn(tx, member))) return notSetUp();
    return (await takeCode(tx, services, member, second)) ? work(tx, member) : invalidCode();
  });
}

/** Deletes a second step, its recovery codes and the trust in browsers. @returns whether it was on or begun */
async function deleteStep(tx: Tx, { accountId, memberId }: MemberKey): Promise<boolean> {
  await tx.deleteFrom('trusted_device').where('account_id', '=', accountId).where('member_id', '=', memberId).execute();
  const { numDeletedRows } = await tx
    .deleteFrom('member_totp')
    .where('account_id', '=', accountId)
    .where('member_id', '=', memberId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/**
 * Removes the second step of a member who has lost the telephone, and ends all sessions: for an admin or the operator.
 * The member is locked.
 * @returns how many sessions ended; null: there was no second step
 */
export async function removeSecondStep(tx: Tx, member: MemberKey): Promise<number | null> {
  return (await deleteStep(tx, member)) ? shutOut(tx, member) : null;
}

async function requiredProblem(tx: Tx, { accountId, memberId }: MemberKey): Promise<Problem | null> {
  const rule = await tx
    .selectFrom('member')
    .leftJoin('account_rule', 'account_rule.account_id', 'member.account_id')
    .select(['account_rule.two_factor_required', 'account_rule.password_off', 'member.role'])
    .where('member.account_id', '=', accountId)
    .where('member.id', '=', memberId)
    .executeTakeFirst();
  if (rule?.password_off && rule.role === 'admin') {
    return new Problem(
      'two_factor_required',
      'パスワードでのログインを止めているため、管理者の二段階認証は、オフにできません。',
    );
  }
  if (!rule?.two_factor_required) return null;
  return new Problem('two_factor_required', '管理者が全員に二段階認証を求めているため、オフにできません。');
}

const alreadyOn = () => new Problem('two_factor_on', '二段階認証は、すでにオンです。画面を読み込み直してください。');

const invalidCode = () =>
  fieldProblem('code', 'invalid_code', '数字が違います。認証アプリの6桁の数字を入力してください');
