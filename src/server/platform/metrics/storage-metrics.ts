import type { Registry } from 'prom-client';
import { figureGauges } from './shared-figures.ts';

/** The uploads and exports of all accounts. */
export interface StorageFigures {
  readonly storedBytes: number;
  /** How many bytes a new one may have, by the operator's limits; null: there are none. */
  readonly roomBytes: number | null;
  /** 1: an upload of the largest size is refused with storage_full. */
  readonly isFull: number;
}

/** Registers gauges of stored files, read at each scrape. Without an answer of the database they are absent. */
export function addStorageMetrics(registry: Registry, read: () => Promise<StorageFigures>): void {
  const { gauge } = figureGauges(registry, read);
  gauge(
    'kaitaku_stored_bytes',
    'Bytes of uploads and exports, uploads by their declared size',
    (shown) => shown.storedBytes,
  );
  gauge(
    'kaitaku_storage_room_bytes',
    'How large an upload may be now, by the disk of the bundled database and by STORED_BYTES_MAX',
    (shown) => shown.roomBytes,
  );
  gauge(
    'kaitaku_storage_full',
    '1 while an upload of the largest size is refused, because the operator has too little room',
    (shown) => shown.isFull,
  );
}
