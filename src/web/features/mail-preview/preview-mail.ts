import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '#web/lib/api/call.ts';
import { unwrap } from '#web/lib/api/query-client.ts';
import { bodyOfOrder, type MailOrder } from '#web/lib/data/mail-order.ts';

/** Not cached, because companies and templates may have changed. The dialogs show failures themselves. */
const UNCACHED = { staleTime: 0, gcTime: 0, meta: { quiet: true } } as const;

const paramsOf = ({ senderId }: MailOrder) => ({ sender_id: String(senderId) });

/** Fetches one mail of an order, by its page from 1. The previous mail stays on screen until it has loaded. */
export const finishedMail = (order: MailOrder, page: number) =>
  queryOptions({
    queryKey: ['mail_preview', order, page] as const,
    queryFn: async ({ signal }): Promise<AnswerOf<'previewMail'>> => {
      const params = paramsOf(order);
      const body = { ...bodyOfOrder(order), pagenate_num: page };
      return unwrap(await call('previewMail', { params, body }, { signal }));
    },
    placeholderData: (before) => before,
    ...UNCACHED,
  });

/** Fetches the warnings that the server finds in all mails of an order. */
export const checkedMails = (order: MailOrder) =>
  queryOptions({
    queryKey: ['mail_check', order] as const,
    queryFn: async ({ signal }): Promise<AnswerOf<'checkMails'>> => {
      const input = { params: paramsOf(order), body: bodyOfOrder(order) };
      return unwrap(await call('checkMails', input, { signal }));
    },
    ...UNCACHED,
  });
