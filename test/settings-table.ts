import { environment } from '#server/platform/environment.ts';

/**
 * Returns all settings as docs/operations.md lists them.
 * `default` null: the description states the default, or there is none.
 */
export const settingsTable = () =>
  Object.entries(environment.shape).map(([name, schema]) => {
    const value: unknown = schema.parse(undefined);
    const shown = typeof value === 'string' || typeof value === 'number';
    return { name, default: shown ? String(value) : null, description: schema.description };
  });
