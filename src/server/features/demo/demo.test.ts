import { expect, test } from 'vitest';
import { emptyDatabase } from '#test/db.ts';
import { chooseUndo } from '#test/sending.ts';
import { makeDemo } from './demo.command.ts';

test('sends of the demo can be undone for 10 s; a later start keeps what a member has chosen', async () => {
  const database = await emptyDatabase();
  const rules = () => database.db.selectFrom('account_rule').select('undo_seconds').execute();
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 10 }]);

  const { id } = await database.db.selectFrom('account').select('id').executeTakeFirstOrThrow();
  await chooseUndo(database.db, id, 60);
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 60 }]);
  // A start that ended before the demo was complete is completed by the next one.
  await database.db.deleteFrom('audit_event').where('kind', '=', 'demo_created').execute();
  await makeDemo(database.service);
  expect(await rules()).toStrictEqual([{ undo_seconds: 60 }]);
});
