/** Steps that run at the end of the test file. The files of a worker share this module. */
const steps: (() => Promise<unknown>)[] = [];

/** Runs a step at the end of the test file: also for `beforeAll`, where onTestFinished is refused. */
export function atFileEnd(step: () => Promise<unknown>): void {
  steps.push(step);
}

/** Runs the steps, each once. test/setup.ts calls it. */
export async function endFile(): Promise<void> {
  await Promise.all(steps.splice(0).map((step) => step()));
}
