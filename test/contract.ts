import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '#contract/call.ts';
import { openApiDocument } from '#server/api-reference/openapi.ts';

const FOLDER = join(import.meta.dirname, '../src/contract');

interface NamedCall {
  readonly name: string;
  /** The path below src/contract. */
  readonly file: string;
  readonly call: Call;
}

/** Returns every call of the contract, sorted by name. */
export async function contractCalls(): Promise<NamedCall[]> {
  const files = globSync('**/*.ts', { cwd: FOLDER })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file !== 'calls.ts' && !file.endsWith('.test.ts'));
  const modules = files.map(async (file) => {
    const module = (await import(/* @vite-ignore */ join(FOLDER, file))) as Record<string, unknown>;
    return Object.entries(module).flatMap(([name, value]) => (isCall(value) ? [{ name, file, call: value }] : []));
  });
  return (await Promise.all(modules)).flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

const isCall = (value: unknown): value is Call =>
  typeof value === 'object' && value !== null && 'response' in value && 'path' in value;

/** Returns every call in the form in which the reference describes integrators' calls. */
export const describedCalls = async () =>
  openApiDocument(
    (await contractCalls()).map(({ call }) => call),
    Date.now(),
  );
