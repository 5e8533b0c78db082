import { useQuery } from '@tanstack/react-query';
import { allSenders } from '#web/features/senders/list-senders.ts';
import { templateEditorUrl } from '#web/lib/page-settings.ts';
import { withNote } from '#web/lib/phrases.ts';
import { templatePath } from '../paths.ts';
import type { PaletteItem } from './palette-items.ts';

/** Returns the templates by the subjects of their senders. One that another service edits has no screen here. */
export function useTemplateItems(): readonly PaletteItem[] {
  const { data = [] } = useQuery(allSenders);
  return data.flatMap((sender) => {
    const to = templatePath(sender.template_id);
    if (templateEditorUrl(sender, to) !== to) return [];
    return { group: 'templates', label: sender.subject, note: withNote(sender.group, sender.person_in_charge), to };
  });
}
