import { type FileName, fetchFile, type InputOf } from './call.ts';

/** How long in ms the blob is kept: the browser reads it after the click. */
const KEPT_MS = 60_000;

/** Fetches a file of the API, and lets the browser save it. @returns the failure's message, or null */
export async function downloadFile<Name extends FileName>(
  name: Name,
  input: InputOf<Name>,
  savedAs: string,
): Promise<string | null> {
  const file = await fetchFile(name, input);
  if (!file.ok) return file.message;
  saveBlob(file.data, savedAs);
  return null;
}

/** Lets the browser save a text as a file. */
export const saveText = (text: string, name: string, type: string): void => saveBlob(new Blob([text], { type }), name);

function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
