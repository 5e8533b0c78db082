import { useMutation, useQueryClient } from '@tanstack/react-query';
import { labelKey } from '#domain/company/own-label.ts';
import { call } from '../../api/call.ts';
import { unwrap } from '../../api/query-client.ts';
import { type Tag, tagList } from './own-fields.ts';

/** Adds a tag by its name. Another member may have added it meanwhile: then that one is returned. */
export function useAddTag() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (label: string): Promise<Pick<Tag, 'id' | 'label' | 'colour'>> => {
      const answer = await call('addTag', { body: { add_info: { label } } });
      const tags = await client.fetchQuery({ ...tagList, staleTime: 0 });
      const isTaken = !answer.ok && answer.code === 'label_taken';
      const wanted = isTaken ? tags.find((tag) => labelKey(tag.label) === labelKey(label)) : undefined;
      if (wanted !== undefined && wanted.archived === 0) return wanted;
      const { id } = unwrap(answer);
      return tags.find((tag) => tag.id === id) ?? { id, label, colour: 0 };
    },
  });
}
