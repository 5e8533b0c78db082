import { Refusal } from '../../platform/refusal.ts';

const ZIP = Buffer.from([0x50, 0x4b, 0x03, 0x04]);
/** The compound file format: .xls, and an encrypted .xlsx. */
const COMPOUND = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const PDF = Buffer.from('%PDF-');
/** The name of the stream that an encrypted workbook has, in UTF-16. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');

const startsWith = (bytes: Buffer, prefix: Buffer) => bytes.subarray(0, prefix.length).equals(prefix);

/** Refuses a file that is no text, by its first bytes. */
export function refuseFileType(head: Buffer): Refusal | null {
  if (startsWith(head, COMPOUND)) return head.includes(ENCRYPTED_PACKAGE) ? encrypted() : notATable();
  if (startsWith(head, ZIP)) return workbook();
  return startsWith(head, PDF) ? notATable() : null;
}

const encrypted = () => new Refusal(400, 'encrypted', 'パスワードのかかったファイルは読めません');
export const notATable = () =>
  new Refusal(400, 'not_a_table', 'このファイルは表として読めません。CSVのファイルを選んでください');
const workbook = () =>
  new Refusal(
    400,
    'not_a_table',
    'Excelのファイルは、まだ読めません。Excelで「CSV UTF-8（コンマ区切り）」として保存し直してください',
  );
