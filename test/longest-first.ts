import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The longest files of each stage, in the order of their start, so that no stage ends with a single long file.
 * In the last stage the files of faults, which mostly wait, run one after the other beside the e2e walk: a worker
 * restarts to change between projects.
 */
const LONGEST = [
  'bad-inputs/every-call',
  'authorization/matrix',
  'embedded-postgres/embedded-postgres',
  'authorization/fuzz',
  'test/time-zone',
  'imports/merge/import.command',
  'suppression-list/suppression-list',
  'send-logs/run-events',
  'e2e/accessibility-settings',
  'e2e/accessibility-sending',
  'e2e/accessibility-prospects',
  'faults/half-open',
  'faults/standby',
  'faults/rolling-restart',
  'faults/crash-points',
  'faults/refusals',
  'faults/database-crashes',
  'faults/sendgrid-killed',
  'faults/worker-killed',
  'faults/outcome-table',
  'faults/rolls',
  'faults/at-once',
  'faults/notices',
  'e2e/list',
  'e2e/network',
  'e2e/start',
  'e2e/template-editor',
  'e2e/session-end',
  'e2e/main-job',
  'e2e/first-day',
  'e2e/account',
  'e2e/doors',
  'e2e/sends',
  'e2e/sender-settings',
  'e2e/shell',
  'e2e/offline',
  'e2e/templates',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}

/** Starts the longest files first; the others follow in vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
