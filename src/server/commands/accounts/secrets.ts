import type { Command } from 'commander';
import { opens, readSeals } from '../../features/seals/sealed-rows.queries.ts';
import { type Renewed, resetSeals, rotateSeals } from '../../features/seals/seals.command.ts';
import type { Db } from '../../platform/database/db.ts';
import { COMMAND } from '../../platform/package.ts';
import { presentKeys, readSealedBy } from '../../platform/secrets/secret-key.ts';
import { secretsWith } from '../../platform/secrets/secrets.ts';
import type { Settings } from '../../platform/settings.ts';
import { askLine, command, logAct, refuse } from '../command.ts';
import { withDatabase } from '../with-database.ts';

const ROTATE_DETAILS = `データベースの暗号化した値（二段階認証など）を、新しい鍵で暗号化し直します。先に、すべてのプロセスの SECRET_KEY を
新しい鍵に、SECRET_KEY_OLD を今の鍵にして、起動し直してください。途中で止まったときは、もう一度実行してください。
値がなければ、今の鍵を、このデータベースの鍵として記録します。`;

const RESET_DETAILS = `なくした鍵で暗号化した値（二段階認証など）を、データベースから削除します。元には戻せません。その人は、設定し直すまで
パスワードだけでログインできます。会社のIDでのログインは、設定し直すまで使えません。今の鍵で読める値は残ります。すべてのプロセスを止めてから実行してください。
確認のため、件数を表示して reset の入力を求めます。標準入力がパイプのときは、その1行目を読みます。`;

export const secretsCommand = (readSettings: () => Settings): Command =>
  command('secrets', '二段階認証などの値を暗号化する鍵（SECRET_KEY）を替える・なくしたときに値を削除する')
    .addCommand(
      command('rotate', '値を新しい鍵で暗号化し直す', ROTATE_DETAILS).action(() => {
        const settings = readSettings();
        return withDatabase(settings, ({ db }) => rotate(db, settings));
      }),
    )
    .addCommand(
      command('reset', 'なくした鍵の値を削除する', RESET_DETAILS).action(() => {
        const settings = readSettings();
        return withDatabase(settings, ({ db }) => reset(db, settings));
      }),
    );

async function rotate(db: Db, settings: Settings): Promise<void> {
  const { current, old } = presentKeys(settings, await readSealedBy(db));
  if (current === null) return refuse('SECRET_KEY がありません。新しい鍵を設定してください。');
  const renewed = await rotateSeals(db, { current, old });
  process.stdout.write(`${count(renewed.done)}を、今の鍵で暗号化し直しました。\n`);
  if (renewed.lost > 0) {
    refuse(
      `${count(renewed.lost)}は、今の鍵でも SECRET_KEY_OLD でも読めません。元の鍵を SECRET_KEY_OLD に設定して、もう一度実行してください。` +
        `鍵をなくしたときは、${COMMAND} secrets reset で削除できます。`,
    );
  }
  if (renewed.frozen > 0) refuseFrozen(renewed);
  if (renewed.lost === 0 && renewed.frozen === 0) process.stdout.write('SECRET_KEY_OLD は、もう要りません。\n');
}

async function reset(db: Db, settings: Settings): Promise<void> {
  const keys = presentKeys(settings, await readSealedBy(db));
  const secrets = secretsWith(keys);
  const lost = (await readSeals(db)).filter((seal) => !opens(secrets, seal));
  process.stderr.write(`今の鍵で読めない値: ${count(lost.length)}\n`);
  if (lost.length > 0) {
    const typed = await askLine('削除するときは reset と入力してください: ');
    if (typed.trim() !== 'reset') return refuse('reset と入力されなかったため、削除しませんでした。');
  }
  const renewed = await resetSeals(db, keys);
  await logAct({ values: renewed.done }, 'deleted sealed values whose key is lost');
  process.stdout.write(`${count(renewed.done)}を削除しました。\n`);
  if (renewed.frozen > 0) refuseFrozen(renewed);
}

const count = (values: number) => `暗号化した値 ${values.toLocaleString('ja-JP')}件`;

const refuseFrozen = ({ frozen }: Renewed) =>
  refuse(
    `${count(frozen)}は、アカウントが移行のために止まっているため、残しました。移行か再開が終わってから、もう一度実行してください。`,
  );
