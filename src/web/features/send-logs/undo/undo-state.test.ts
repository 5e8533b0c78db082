import { expect, it } from 'vitest';
import type { Run } from '#contract/sending/runs.ts';
import { parseDateTime } from '#domain/time/tokyo-time.ts';
import { run } from '#test/web/samples.ts';
import { undoState } from './undo-state.ts';

const STARTS_AT = '2026/11/27 10:00:30';
const AT = parseDateTime(STARTS_AT) ?? 0;
const LATER = '2026/11/30 09:00:00';

/** The state of a run of ten mails, of which none has begun, so many milliseconds before the end of its window. */
const state = (left: number, values: Partial<Run> = {}) =>
  undoState(run(1, { queued: 10, sending: 0, sent: 0, starts_at: STARTS_AT, ...values }), AT - left);

it.each<[string, ReturnType<typeof state>, object | null]>([
  ['never promises more than there is', state(30_400), { kind: 'counting', seconds: 30 }],
  ['counts down', state(27_000), { kind: 'counting', seconds: 27 }],
  ['can be taken back in its last second', state(1), { kind: 'counting', seconds: 0 }],
  ['is over at its end', state(0), null],
  ['runs on while the run is paused', state(5000, { paused_by: 'user' }), { kind: 'counting', seconds: 5 }],
  ['is followed by the wait of a paused run', state(0, { paused_by: 'user' }), { kind: 'waiting' }],
  ['is followed by the wait for a server', state(-5, { transport_paused_until: LATER }), { kind: 'waiting' }],
  [
    'has no seconds where a rule defers the start',
    state(9000, { put_off_until: LATER }),
    { kind: 'planned', at: LATER },
  ],
  ['counts what was left out as no mail', state(9000, { queued: 8, cancelled: 2 }), { kind: 'counting', seconds: 9 }],
  ['is over with the first mail', state(9000, { queued: 9, sending: 1 }), null],
  ['is over with the run', state(9000, { queued: 0, cancelled: 10, finished: true }), null],
  ['is not there without a choice', state(9000, { starts_at: null }), null],
])('the window %s', (_what, is, expected) => {
  expect(is).toStrictEqual(expected);
});
