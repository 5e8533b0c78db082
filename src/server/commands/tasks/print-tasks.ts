import { formatSecond } from '#domain/time/tokyo-time.ts';
import { DAY_MS, MINUTE_MS } from '#domain/time-units.ts';
import type { Settings } from '../../platform/settings.ts';
import { isLate, readTaskRuns, type TaskRun } from '../../platform/tasks/task-runs.queries.ts';
import { withDatabase } from '../with-database.ts';
import { PERIODIC_TASKS } from './periodic-tasks.ts';

/** Prints when each periodic task last ran in any process, and its result. */
export async function printTasks(settings: Settings): Promise<void> {
  const runs = await withDatabase(settings, ({ db }) => readTaskRuns(db));
  for (const task of PERIODIC_TASKS) process.stdout.write(linesOf(task, runs.get(task.name)));
}

function linesOf({ name, everyMs, lateMs }: (typeof PERIODIC_TASKS)[number], run: TaskRun | undefined): string {
  const every = everyOf(everyMs);
  const lineOf = (state: string, at: Date | null) => `${state}  ${secondOf(at)}  ${every}  ${name}\n`;
  if (run === undefined) return lineOf('未実行', null);
  const { endedAt, fault, succeededAt, successAge } = run;
  if (fault !== null) return `${lineOf('失敗', endedAt)}    原因: ${fault}\n    最後の成功: ${secondOf(succeededAt)}\n`;
  return lineOf(isLate({ everyMs, lateMs }, successAge ?? 0) ? '遅れ' : '正常', endedAt);
}

function everyOf(everyMs: number): string {
  if (everyMs >= DAY_MS) return `${everyMs / DAY_MS}日ごと`;
  return everyMs < MINUTE_MS ? `${everyMs / 1000}秒ごと` : `${everyMs / MINUTE_MS}分ごと`;
}

const secondOf = (at: Date | null): string => (at === null ? '-' : formatSecond(at.getTime()));
