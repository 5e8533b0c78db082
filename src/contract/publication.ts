import { z } from 'zod';
import { PUBLICATION_NOTICES } from '#domain/law/publication.ts';

/** Where a company publishes its address, and whether it declines sales mails there. */
export const publication = {
  published_at_url: z
    .string()
    .nullable()
    .meta({
      description: '公開元URL（代表メールが公開されているページ）です。',
      examples: ['https://midori.example.jp/company'],
    }),
  published_seen_on: z
    .string()
    .nullable()
    .meta({ description: '公開元を確認した日（`YYYY-MM-DD`）です。', examples: ['2026-11-20'] }),
  publication_notice: z
    .enum(PUBLICATION_NOTICES)
    .nullable()
    .meta({
      description:
        '公開元に営業メールをお断りする表示があれば `refused`、ないことを確かめたなら `none`、確かめていなければ null です。' +
        '`refused` の会社には送信しません。',
      examples: ['none'],
    }),
};
