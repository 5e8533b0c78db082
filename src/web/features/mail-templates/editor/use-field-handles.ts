import { useRef } from 'react';
import type { FieldHandle } from './code-field.tsx';
import type { FieldKey } from './template-form.ts';

/** Keeps the handles of the fields on screen by their keys. */
export function useFieldHandles() {
  const handles = useRef(new Map<FieldKey, FieldHandle>());
  return {
    handleOf: (key: FieldKey): FieldHandle | undefined => handles.current.get(key),
    /** The ref of a field. */
    keep:
      (key: FieldKey) =>
      (handle: FieldHandle | null): void => {
        if (handle === null) handles.current.delete(key);
        else handles.current.set(key, handle);
      },
  };
}
