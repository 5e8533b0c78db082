import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { makeProspectsCsv } from '../scripts/make-examples.ts';

/**
 * `node bench/import-files.ts FOLDER ROWS`: writes one list in two encodings.
 * Runs in its own process, so that its memory is not measured.
 */
const [folder = '.', rows = '1000'] = process.argv.slice(2);
const text = makeProspectsCsv(Number(rows));
await writeFile(join(folder, 'utf8.csv'), text);
await writeFile(join(folder, 'cp932.csv'), iconv.encode(text, 'cp932'));
