import { useQuery } from '@tanstack/react-query';
import { templatePath } from '#web/lib/address/paths.ts';
import { templateEditorUrl } from '#web/lib/page-settings.ts';
import { templateChoices } from '#web/lib/templates.ts';
import type { PaletteItem } from './palette-items.ts';

/** Returns the templates by name and subject. One that another service edits has no screen here. */
export function useTemplateItems(): readonly PaletteItem[] {
  const { data = [] } = useQuery(templateChoices);
  return data.flatMap(({ id, name, subject, sendgrid_template_id }) => {
    const to = templatePath(id);
    if (templateEditorUrl({ template_id: id, sendgrid_template_id }, to) !== to) return [];
    return { group: 'templates', label: name, note: subject, to };
  });
}
