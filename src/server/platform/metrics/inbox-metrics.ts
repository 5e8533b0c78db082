import type { Registry } from 'prom-client';
import { figureGauges } from './shared-figures.ts';

/** The mailbox of bounces and answers, for all workers together. */
export interface InboxFigures {
  readonly secondsSinceRead: number;
  /** 1: the last try to read it failed. */
  readonly isFaulty: number;
}

/** Registers gauges of the inbox, read at each scrape. Without an answer of the database they are absent. */
export function addInboxMetrics(registry: Registry, read: () => Promise<InboxFigures | null>): void {
  const { gauge } = figureGauges(registry, read);
  gauge(
    'kaitaku_inbox_seconds_since_read',
    'How long ago the mailbox of bounces and answers was read to its end, or first tried where it never was',
    ({ secondsSinceRead }) => secondsSinceRead,
  );
  gauge(
    'kaitaku_inbox_faulty',
    '1 while the mailbox of bounces and answers cannot be read',
    ({ isFaulty }) => isFaulty,
  );
}
