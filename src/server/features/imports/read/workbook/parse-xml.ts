import { SaxesParser } from 'saxes';
import { WorkbookFault, workbookFaults } from './workbook-faults.ts';

export type Attributes = Readonly<Record<string, string>>;

/** Handlers for the elements of a part. Names have no namespace prefix. */
export interface XmlHandlers {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Called after each piece of the part; returning true ends the parsing. */
  afterPiece?(): Promise<boolean>;
}

/** The most bytes of one text or tag. Excel's longest cell has 32,767 characters. */
const MAX_TOKEN_BYTES = 1024 * 1024;

/**
 * Parses a part piece by piece.
 * Throws WorkbookFault for XML that is malformed or not UTF-8, has a document type, or exceeds MAX_TOKEN_BYTES.
 */
export async function parseXml(pieces: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const parser = new SaxesParser({ position: false });
  let bytesOfToken = 0;
  const onText = (text: string) => {
    bytesOfToken = 0;
    handlers.text?.(text);
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  parser.on('opentag', ({ name, attributes }) => {
    bytesOfToken = 0;
    handlers.open?.(localName(name), attributes as Attributes);
  });
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('closetag', ({ name }) => {
    bytesOfToken = 0;
    handlers.close?.(localName(name));
  });
  for await (const piece of pieces) {
    bytesOfToken += piece.length;
    parser.write(decode(decoder, piece));
    if (bytesOfToken > MAX_TOKEN_BYTES) throw new WorkbookFault(workbookFaults.expandsTooFar);
    if (await handlers.afterPiece?.()) return;
  }
  parser.write(decode(decoder)).close();
}

const refuse = (): never => {
  throw new WorkbookFault(workbookFaults.broken);
};

function decode(decoder: InstanceType<typeof TextDecoder>, piece?: Buffer): string {
  try {
    return piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return refuse();
    throw error;
  }
}

const localName = (name: string): string => {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
};
