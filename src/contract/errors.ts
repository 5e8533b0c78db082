import { z } from 'zod';

/** The body of every error answer. `message` is Japanese, for the user; `code` is stable, for programs. */
export const errorAnswer = z.object({
  message: z.string().meta({ description: '利用者に見せる文です。', examples: ['アタックリストが0件です'] }),
  code: z
    .string()
    .meta({ description: 'プログラムが見分けるための語です。変わりません。', examples: ['invalid_input'] }),
  details: z
    .array(
      z.object({
        path: z.string().meta({ description: '誤りのある項目です。', examples: ['attack_list'] }),
        message: z.string().meta({ description: '誤りの内容です。', examples: ['アタックリストが0件です'] }),
      }),
    )
    .optional()
    .describe('入力のどこに誤りがあるかです。5件までです。'),
});
export type ErrorAnswer = z.infer<typeof errorAnswer>;
