import { z } from 'zod';
import { FAILURE_CAUSE_TEXTS, FAILURE_CAUSES } from '#domain/sending/failure-cause-names.ts';

/** Why a mail did not arrive, read from what the servers said. */
export const failureCause = z
  .enum(FAILURE_CAUSES)
  .nullable()
  .meta({
    description: `メールサーバーの応答から判断した、送れなかった（届いたかどうかわからない、もう一度試す）原因です。なければ null です。\
${FAILURE_CAUSES.map((cause) => `\`${cause}\` は「${FAILURE_CAUSE_TEXTS[cause].name}」`).join('、')}です。`,
    examples: [null],
  });
