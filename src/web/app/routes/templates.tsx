import { type ComponentProps, lazy, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { PageFrame } from '#web/components/page-frame.tsx';
import { PartBoundary } from '#web/components/state/part-boundary.tsx';
import { MailThumbnail } from '#web/features/mail-preview/mail-body.tsx';
import type { TemplateRow } from '#web/features/mail-templates/list/list-templates.ts';
import { type NewTemplateKind, TemplateList } from '#web/features/mail-templates/list/template-list.tsx';
import { TEMPLATE_LIST_MESSAGES as messages } from '#web/features/mail-templates/list/words.ts';
import { templatePath } from '#web/lib/address/paths.ts';
import { Link } from '#web/lib/router/link.tsx';
import { useNavigate } from '#web/lib/router/use-router.ts';
import { loadPart } from '#web/lib/screen/load-part.ts';
import { templateEditorUrl } from '#web/lib/screen/page-settings.ts';
import { May } from '#web/lib/session/use-may.ts';

const CreateDialog = lazy(async () => ({
  default: (await loadPart(() => import('#web/features/mail-templates/list/create-dialog.tsx'))).CreateDialog,
}));

const renderLink = (template: TemplateRow) => <TemplateLink template={template} />;
const thumbnailOf = (mail: ComponentProps<typeof MailThumbnail>) => <MailThumbnail {...mail} />;

export function Component() {
  const navigate = useNavigate();
  const [creating, setCreating] = useState<NewTemplateKind | null>(null);
  return (
    <PageFrame
      guide="templates"
      title={messages.title}
      action={
        <May call="addMailTemplate">
          <Button variant="primary" onClick={() => setCreating({ kind: 'sample' })}>
            {messages.create}
          </Button>
        </May>
      }
    >
      <TemplateList renderLink={renderLink} renderThumbnail={thumbnailOf} onCreate={setCreating} />
      {creating === null ? null : (
        <PartBoundary>
          <CreateDialog
            kind={creating}
            onCreated={(id) => void navigate(templatePath(id))}
            onClose={() => setCreating(null)}
          />
        </PartBoundary>
      )}
    </PageFrame>
  );
}

/** Links to the external editor that the server names, in a new tab, or else to this client's editor. */
function TemplateLink({ template: { id, name, sendgrid_template_id } }: { readonly template: TemplateRow }) {
  const own = templatePath(id);
  const url = templateEditorUrl({ template_id: id, sendgrid_template_id }, own) ?? own;
  if (url === own) return <Link to={own}>{name}</Link>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  );
}
