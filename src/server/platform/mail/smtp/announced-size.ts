/** The largest mail size that the server last announced (SIZE, RFC 1870), shared by its lanes. */
export interface AnnouncedSize {
  /** Reports the size announced in a new session. @param bytes 0: the server names no limit */
  readonly tell: (bytes: number) => void;
  /** Calls the listener with each new value. */
  readonly watch: (listener: (bytes: number) => void) => void;
}

export function announcedSize(): AnnouncedSize {
  const listeners: ((bytes: number) => void)[] = [];
  let last: number | null = null;
  return {
    tell(bytes) {
      if (bytes === last) return;
      last = bytes;
      for (const listener of listeners) listener(bytes);
    },
    watch(listener) {
      listeners.push(listener);
      if (last !== null) listener(last);
    },
  };
}
