import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { inputMessage } from './input-messages.ts';

beforeAll(() => {
  const before = z.config();
  z.config({ customError: inputMessage });
  afterAll(() => {
    z.config({ customError: before.customError });
  });
});

const flag = z.union([z.literal(0), z.literal(1)]);

test.each([
  [z.string(), undefined, '入力してください'],
  [z.string(), 1, '文字列で入力してください'],
  [z.number(), 'x', '数値で入力してください'],
  [z.int(), 1.5, '整数で入力してください'],
  [z.array(z.int()), {}, '配列で入力してください'],
  [z.strictObject({}), [], 'オブジェクトで入力してください'],
  [z.strictObject({}), { odd: 1, other: 2 }, '使えない項目を取り除いてください: odd、other'],
  [z.enum(['asc', 'desc']), 'up', '次のいずれかを指定してください: asc、desc'],
  [z.literal('all'), 'up', 'allを指定してください'],
  [z.string().min(2), 'x', '2文字以上にしてください'],
  [z.string().max(2), 'xxx', '2文字以下にしてください'],
  [z.array(z.int()).min(1), [], '1件以上にしてください'],
  [z.int().min(1), 0, '1以上にしてください'],
  [z.number().gt(1), 1, '1より大きい値にしてください'],
  [z.number().lt(1), 1, '1未満にしてください'],
  [z.int().multipleOf(15), 10, '15の倍数にしてください'],
  [z.email(), 'x', '正しいメールアドレスで入力してください'],
  [z.string().regex(/^a$/), 'x', '正しい形式で入力してください'],
  [z.string().refine(() => false), 'x', '正しい形式で入力してください'],
  [z.record(z.string().max(1), z.int()), { xx: 1 }, '正しい形式で入力してください'],
  [flag, 2, '次のいずれかを指定してください: 0、1'],
  [z.union([z.string(), z.strictObject({ id: z.int() })]), { id: 'x' }, 'id: 数値で入力してください'],
  [z.string('会社名を入力してください'), 1, '会社名を入力してください'],
])('case %#: what to do is said', (schema, input, message) => {
  expect(schema.safeParse(input).error?.issues[0]?.message).toBe(message);
});
