/** The limits of files imported in the browser. */

export const MB = 1024 * 1024;

export const MAX_IMPORT_BYTES = 512 * MB;
/** The limits of an Excel workbook. A larger list must be imported as CSV. */
export const MAX_WORKBOOK_BYTES = 50 * MB;
export const MAX_WORKBOOK_ROWS = 200_000;
/** Includes blank cells that have a format. */
export const MAX_WORKBOOK_CELLS = 20_000_000;
/** The most bytes of one part of an upload. */
export const MAX_IMPORT_PART_BYTES = 4 * MB;
/** The first bytes of a file, whose hash identifies the file of a resumed upload. */
export const IMPORT_HEAD_BYTES = 64 * 1024;
/** How long an upload can be resumed and imported, and how long an import can be undone. */
export const IMPORT_HOURS = 24;
/** The most columns of a file that is imported. A real list has dozens. */
export const MAX_IMPORT_COLUMNS = 1000;
/** The people to be added whom a check lists. All are counted. */
export const MAX_REVIEWED_PEOPLE = 20_000;
