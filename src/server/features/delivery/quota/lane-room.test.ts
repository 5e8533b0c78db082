import { expect, test } from 'vitest';
import type { Lane } from '../transports/transport.ts';
import { laneRoom } from './lane-room.ts';

const lanes = Array.from({ length: 4 }, (): Lane => ({ send: async () => [], close: () => undefined }));
const [one, two, three, four] = lanes as [Lane, Lane, Lane, Lane];

function roomFor(...inUse: readonly Lane[]) {
  let now = 0;
  const room = laneRoom(4, () => now);
  for (const lane of inUse) room.enter(lane);
  const pass = (ms: number) => {
    now += ms;
  };
  return { room, pass };
}

test('each refused lane leaves as many as are in use beside it', () => {
  const { room } = roomFor(one, two, three, four);
  expect(room.isFree()).toBe(false);
  expect(room.refuse(one)).toBe(3);
  expect(room.refuse(two)).toBe(2);
  expect(room.isFree()).toBe(false);
  room.leave(three);
  expect(room.isFree()).toBe(true);
  room.enter(three);
  expect(room.isFree()).toBe(false);
});

test('the last one is refused: one stays allowed, after a rest that doubles until a mail was taken', () => {
  const { room, pass } = roomFor();
  for (const rest of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    room.enter(one);
    expect(room.refuse(one)).toBe(1);
    pass(rest - 1);
    expect([room.isResting(), room.isFree()]).toStrictEqual([true, false]);
    pass(1);
    expect([room.isResting(), room.isFree()]).toStrictEqual([false, true]);
  }
  room.enter(one);
  room.admit(one);
  room.refuse(one);
  pass(1000);
  expect(room.isResting()).toBe(false);
});

test('a claim that does not know of the refusal yet raises nothing; later ones do', () => {
  const { room, pass } = roomFor(one, two, three);
  room.refuse(one);
  room.learn(null);
  expect(room.allowed()).toBe(2);
  room.learn(1);
  expect([room.allowed(), room.isExceeded()]).toStrictEqual([1, true]);
  pass(5000);
  room.learn(3);
  expect([room.allowed(), room.isExceeded()]).toStrictEqual([3, false]);
  room.learn(9);
  expect(room.allowed()).toBe(4);
});

test('only lanes in use on which mails were taken count as admitted', () => {
  const { room } = roomFor(one, two);
  room.admit(one);
  room.admit(three);
  expect(room.admittedCount()).toBe(1);
  room.leave(one);
  expect(room.admittedCount()).toBe(0);
});
