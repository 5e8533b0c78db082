import { LoadFailed } from '#web/components/state/load-failed.tsx';
import { Loading } from '#web/components/state/loading.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { faultOf, type StepProps, useLook } from '../file-step.tsx';
import { ReadingButton, StepButtons } from '../step-buttons.tsx';
import { UploadPanel } from '../upload-panel.tsx';
import { type RemarksGroups, useImportDraft } from './column-draft.ts';
import { ColumnForm } from './column-form.tsx';

/** Shows the step of the columns: which column of the file is which field of a company. */
export function ColumnStep({ found, groups, onStep }: StepProps & { readonly groups: RemarksGroups }) {
  const { draft, change } = useImportDraft(found.id);
  const look = useLook(found, draft.reading);
  const isUploading = found.state === 'uploading';
  const fault = faultOf(look.error);
  const faultText =
    fault === null ? null : (
      <Notice tone="bad" role="alert">
        {fault}
      </Notice>
    );
  // Other reading settings result in other columns.
  if (look.data === undefined || look.isPlaceholderData) {
    if (look.isFetching) return <Loading />;
    return (
      <>
        {isUploading ? <UploadPanel found={found} /> : null}
        {faultText}
        {look.isError && fault === null ? <LoadFailed error={look.error} onRetry={() => void look.refetch()} /> : null}
        <StepButtons>
          <ReadingButton onStep={onStep} />
        </StepButtons>
      </>
    );
  }
  return (
    <>
      {isUploading ? <UploadPanel found={found} /> : null}
      {faultText}
      <ColumnForm
        id={found.id}
        name={found.name}
        look={look.data}
        draft={draft}
        groups={groups}
        isUploading={isUploading}
        onChange={change}
        onStep={onStep}
      />
    </>
  );
}
