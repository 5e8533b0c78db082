import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files of each stage, in the order in which they begin: no stage ends with one of them alone.
 * In the second stage e2e computes and faults mostly waits, so they take turns.
 */
const LONGEST = [
  'bad-inputs/every-call',
  'embedded-postgres/embedded-postgres',
  'authorization/matrix',
  'commands/prospect',
  'send-logs/run-events',
  'e2e/accessibility-desk',
  'faults/half-open',
  'e2e/accessibility-phone',
  'faults/standby',
  'e2e/list',
  'faults/outcome-table',
  'e2e/start',
  'e2e/session-end',
  'faults/rolling-restart',
  'e2e/network',
  'faults/crash-points',
  'e2e/template-editor',
  'faults/sendgrid-killed',
  'e2e/main-job',
  'faults/database-crashes',
  'e2e/account',
  'faults/worker-killed',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}

/** Begins with the longest files; the others follow in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
