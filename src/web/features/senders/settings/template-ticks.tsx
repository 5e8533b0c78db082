import { useId, useState } from 'react';
import { normalizeText, searchWords } from '#domain/text/text-filter.ts';
import field from '#web/components/field/field.module.css';
import { TextField } from '#web/components/field/text-field.tsx';
import { PATHS } from '#web/lib/address/paths.ts';
import type { TemplateChoice } from '#web/lib/data/templates.ts';
import { Link } from '#web/lib/router/link.tsx';
import { readIds, writeIds } from './profile-form.ts';
import styles from './sender-settings.module.css';
import type { PairRow } from './settings-query.ts';
import type { EditedProfile } from './use-profile-form.ts';
import { PROFILE_FORM_MESSAGES as messages } from './words.ts';

interface Props {
  readonly edited: EditedProfile;
  readonly templates: readonly TemplateChoice[];
  readonly pairs: readonly PairRow[];
}

/** The number of templates up to which no search is needed. */
const SEARCHED = 8;

/** Shows the templates with a box each. Those in use when the dialog opened come first. */
export function TemplateTicks({ edited: { form, faults, base, change }, templates, pairs }: Props) {
  const [search, setSearch] = useState('');
  const id = useId();
  const chosen = new Set(readIds(form.template_ids));
  const used = new Set(readIds(base.form.template_ids));
  const known = new Set(templates.map((template) => template.id));
  // The template was archived after it had been ticked; it can still be unticked.
  const unknown = [...chosen.difference(known)].map((gone) => ({
    id: gone,
    name: messages.archivedTemplate,
    subject: '',
  }));
  const all = [...unknown, ...Array.from(templates).sort((one, other) => rank(one) - rank(other))];
  const words = searchWords(normalizeText(search));
  const shown = all.filter(({ name, subject }) => {
    const text = normalizeText(`${name} ${subject}`);
    return words.every((word) => text.includes(word));
  });
  const fault = faults.template_ids;

  function rank(template: { readonly id: number }): number {
    return used.has(template.id) ? 0 : 1;
  }

  function tick(templateId: number, isTicked: boolean): void {
    const others = [...chosen].filter((other) => other !== templateId);
    change({ template_ids: writeIds(isTicked ? [...others, templateId] : others) });
  }

  return (
    <fieldset className={styles.ticks} aria-describedby={`${id}-note`} disabled={!form.active}>
      <legend className={field.label}>{messages.templatesOf(chosen.size)}</legend>
      {templates.length > SEARCHED ? (
        <TextField type="search" label={messages.searchTemplates} value={search} onChange={setSearch} />
      ) : null}
      <ul data-many={templates.length > SEARCHED || undefined}>
        {shown.map(({ id: templateId, name, subject }, place) => (
          <li key={templateId}>
            <label>
              <input
                type="checkbox"
                aria-invalid={(fault !== undefined && place === 0) || undefined}
                checked={chosen.has(templateId)}
                onChange={({ target }) => tick(templateId, target.checked)}
              />
              <span>
                {name} <small>{subjectOf({ id: templateId, name, subject }, pairs)}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <p id={`${id}-note`} className={fault === undefined ? field.help : field.error}>
        {fault ?? noteOf(templates, form.active)}
        {templates.length === 0 ? (
          <>
            {' '}
            <Link to={PATHS.templates}>{messages.toTemplates}</Link>
          </>
        ) : null}
      </p>
    </fieldset>
  );
}

/** Returns the subject, if it differs from the name; the person's own subject, if there is one. */
function subjectOf(template: Pick<TemplateChoice, 'id' | 'name' | 'subject'>, pairs: readonly PairRow[]): string {
  const own = pairs.flatMap(({ template_id, own_subject }) => (template_id === template.id ? (own_subject ?? []) : []));
  if (own.length > 0) return own.map(messages.ownSubject).join(' ');
  return template.subject === template.name ? '' : template.subject;
}

function noteOf(templates: readonly TemplateChoice[], isActive: boolean): string {
  if (templates.length === 0) return messages.noTemplateHelp;
  return isActive ? messages.templatesHelp : messages.inactiveHelp;
}
