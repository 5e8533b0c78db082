import type { Readable } from 'node:stream';

/** An answer that the browser saves as a file. It is streamed, and never stored by a cache. */
export class FileAnswer {
  readonly content: Readable;
  readonly name: string;
  readonly mediaType: string;
  /** null: not known before the end. */
  readonly bytes: number | null;

  constructor(
    content: Readable,
    { name, mediaType, bytes }: { name: string; mediaType: string; bytes: number | null },
  ) {
    this.content = content;
    this.name = name;
    this.mediaType = mediaType;
    this.bytes = bytes;
  }

  headers(): Record<string, string> {
    return {
      'content-type': this.mediaType,
      ...(this.bytes !== null && { 'content-length': String(this.bytes) }),
      // RFC 6266: the name in UTF-8 for all present browsers.
      'content-disposition': `attachment; filename*=UTF-8''${escapedName(this.name)}`,
    };
  }
}

/** Escapes a text as RFC 8187 (formerly 5987) asks: encodeURIComponent leaves `'`, `(`, `)` and `*` as they are. */
const escapedName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
