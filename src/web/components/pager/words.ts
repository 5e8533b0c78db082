import { count } from '#web/lib/phrases.ts';

export const PAGER_MESSAGES = {
  label: 'ページ送り',
  size: '表示件数',
  sizeOption: (size: number) => `${size}件`,
  counting: '…件',
  range: (from: number, to: number, total: number) =>
    total === 0 ? count(0) : `${from.toLocaleString('ja-JP')}–${to.toLocaleString('ja-JP')} / ${count(total)}`,
  number: (page: number) => page.toLocaleString('ja-JP'),
  page: (page: number) => `${page.toLocaleString('ja-JP')}ページ目`,
  first: '最初のページ',
  previous: '前のページ',
  next: '次のページ',
  last: '最後のページ',
} as const;
