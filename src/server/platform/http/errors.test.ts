import fastify from 'fastify';
import { expect, test } from 'vitest';
import { Problem } from '../problem.ts';
import { sendProblem } from './errors.ts';

const faults = (count: number, message: string) =>
  Array.from({ length: count }, (_, at) => ({ path: `update_info.senders.${at}.subject`, message }));

test.each([
  ['short ones', '短い文', 5],
  ['long ones', 'あ'.repeat(300), 2],
  ['such as JSON writes in six times their length', '\u0001'.repeat(300), 1],
])('of a hundred faults an answer tells as many as it has room for: %s', async (_, message, shown) => {
  const app = fastify();
  app.get('/', (_request, reply) =>
    sendProblem(
      reply,
      new Problem('invalid_template', 'このままではメールを作れません。', undefined, faults(100, message)),
    ),
  );
  const { body, statusCode } = await app.inject('/');
  expect(statusCode).toBe(400);
  expect(JSON.parse(body).details).toHaveLength(shown);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1000);
});
