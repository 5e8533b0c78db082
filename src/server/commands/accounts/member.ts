import { type Command, InvalidArgumentError } from 'commander';
import { ROLES, type Role } from '#domain/account/role.ts';
import { ROLE_NAMES } from '#domain/account/role-names.ts';
import { formatSecond } from '#domain/time/tokyo-time.ts';
import { type ListedMember, selectMembers } from '../../features/members/member-list.queries.ts';
import {
  addByOperator,
  eraseByOperator,
  setRoleByOperator,
  stopByOperator,
} from '../../features/members/operator.command.ts';
import { Problem, type Refusal } from '../../platform/problem.ts';
import type { Settings } from '../../platform/settings.ts';
import { ACCOUNT, askLine, command, filled, PASSWORD_INPUT, refuse } from '../command.ts';
import { withAccount } from '../with-database.ts';

const EMAIL = '--email <メールアドレス>';
const OF_MEMBER = 'メンバーのメールアドレス';
const ROLE = '--role <役割>';
const ROLE_HELP = ROLES.map((role) => `${role}（${ROLE_NAMES[role]}）`).join('、');

const ADD_DETAILS = `アカウントにメンバーを加えます。お知らせのメールは、本人が設定でオンにするまで届きません。
${PASSWORD_INPUT}`;

const STOP_DETAILS = `メンバーの利用を停止します。すぐにログアウトし、ログインできなくなります。
送信中のメールは、そのまま送信されます。まだ送信していない予約は、--hand-over-to の人のものになります。`;

const ERASE_DETAILS = `利用を停止したメンバーの氏名とメールアドレスを消去します。元には戻せません。
送信や操作の記録は残り、その人の氏名は「（消去済み）」と表示されます。`;

export const memberCommand = (readSettings: () => Settings): Command =>
  command('member', 'メンバーの一覧を表示する・加える・役割を変える・利用を停止する・消去する')
    .addCommand(
      command('list', 'アカウントのメンバーの一覧を表示する')
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .action(({ account }: { account: string }) =>
          withAccount(readSettings(), account, async (accountId, { db }) =>
            printMembers(await selectMembers(db, accountId)),
          ),
        ),
    )
    .addCommand(
      command('add', 'アカウントにメンバーを加える', ADD_DETAILS)
        .requiredOption(ACCOUNT, 'アカウントのメールアドレス', filled)
        .requiredOption(EMAIL, '新しいメンバーのメールアドレス', filled)
        .requiredOption('--name <氏名>', '新しいメンバーの氏名', filled)
        .requiredOption(ROLE, ROLE_HELP, roleOf)
        .action((given: NewMember) => add(readSettings(), given)),
    )
    .addCommand(
      command('set-role', 'メンバーの役割を変える')
        .requiredOption(EMAIL, OF_MEMBER, filled)
        .requiredOption(ROLE, ROLE_HELP, roleOf)
        .action(({ email, role }: { email: string; role: Role }) =>
          withAccount(readSettings(), email, async (accountId, { db }) =>
            report(
              await setRoleByOperator(db, accountId, email, role, Date.now()),
              `${email} の役割は「${ROLE_NAMES[role]}」です。`,
            ),
          ),
        ),
    )
    .addCommand(
      command('stop', 'メンバーの利用を停止する', STOP_DETAILS)
        .requiredOption(EMAIL, OF_MEMBER, filled)
        .option('--hand-over-to <メールアドレス>', '予約を引き継ぐメンバーのメールアドレス', filled)
        .action((given: { email: string; handOverTo?: string }) => stop(readSettings(), given)),
    )
    .addCommand(
      command('erase', '利用を停止したメンバーの氏名とメールアドレスを消去する', ERASE_DETAILS)
        .requiredOption(EMAIL, OF_MEMBER, filled)
        .action(({ email }: { email: string }) =>
          withAccount(readSettings(), email, async (accountId, { db }) =>
            report(await eraseByOperator(db, accountId, email), `${email} の氏名とメールアドレスを消去しました。`),
          ),
        ),
    );

interface NewMember {
  readonly account: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

async function add(settings: Settings, { account, ...person }: NewMember): Promise<void> {
  const password = await askLine('パスワード: ', { isSecret: true });
  await withAccount(settings, account, async (accountId, { db }) =>
    report(
      await addByOperator(db, accountId, { ...person, password }, Date.now()),
      `${person.email} をメンバー（${ROLE_NAMES[person.role]}）に加えました。`,
    ),
  );
}

const stop = (settings: Settings, { email, handOverTo }: { email: string; handOverTo?: string }): Promise<void> =>
  withAccount(settings, email, async (accountId, { db }) => {
    const done = await stopByOperator(db, accountId, { email, heir: handOverTo ?? null }, Date.now());
    if (done instanceof Problem && done.code === 'hand_over_needed') {
      return refuse(`${done.message}--hand-over-to で指定します。`);
    }
    report(done, `${email} の利用を停止しました。`);
  });

/** Prints one member per line, tab-separated, for people and scripts. */
function printMembers(members: readonly ListedMember[]): void {
  const lines = members.map((member) =>
    [
      member.id,
      ...wordsOf(member),
      member.groups === null ? 'すべて' : `${member.groups.length}件`,
      member.last_login_at === null ? '' : formatSecond(member.last_login_at.getTime()),
      member.reservations,
    ].join('\t'),
  );
  const titles = 'ID\tメールアドレス\t氏名\t役割\tステータス\t送信者グループ\t最終ログイン\t予約';
  process.stdout.write(`${[titles, ...lines].join('\n')}\n`);
}

/** Returns a member's address, name, role and state, for a line. */
export const wordsOf = ({ email, name, role, active }: Pick<ListedMember, 'email' | 'name' | 'role' | 'active'>) => [
  email,
  name,
  ROLE_NAMES[role],
  active ? '有効' : '利用停止',
];

function roleOf(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role) return role;
  throw new InvalidArgumentError(`は ${ROLES.join('、')} のいずれかにしてください（今の値: ${text}）。`);
}

function report(result: Refusal | object | null, done: string): void {
  if (result instanceof Problem) refuse(result.message);
  else process.stdout.write(`${done}\n`);
}
