/** What the mail server last said of the largest mail that it accepts (SIZE, RFC 1870). Its lanes share it. */
export interface AnnouncedSize {
  /** Each new session tells it. @param bytes 0: the server names no limit */
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
