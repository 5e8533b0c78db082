import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { ButtonLink } from '#web/components/inline/button-link.tsx';
import { SampleLink } from '#web/components/inline/sample-link.tsx';
import { Notice } from '#web/components/state/notice.tsx';
import { importPath } from '#web/lib/address/params.ts';
import { canDiscard, DiscardDialog } from './act-dialogs.tsx';
import { FileChooser } from './file-chooser.tsx';
import { takeHandedFiles } from './handed-files.ts';
import { importList, isWorking } from './import-query.ts';
import { beginUpload, fileFault, useFaultyFile } from './upload-state.ts';
import { FILE_MESSAGES, IMPORT_MESSAGES, RUN_MESSAGES } from './words.ts';

interface Props {
  readonly onBegun: (id: number) => void;
}

/** Lets the user choose a file. Its size is checked before the upload. */
export function NewFile({ onBegun }: Props) {
  const { refused } = useFaultyFile();
  const [fault, setFault] = useState<string | null>(refused?.message ?? null);
  const [busy, setBusy] = useState(false);

  async function begin(files: readonly File[]): Promise<void> {
    const unfit = fileFault(files);
    setFault(unfit);
    const [file] = files;
    if (unfit !== null || file === undefined) return;
    setBusy(true);
    const begun = await beginUpload(file);
    setBusy(false);
    if (typeof begun === 'string') setFault(begun);
    else onBegun(begun);
  }

  const beginHanded = useEffectEvent(async (files: readonly File[]) => {
    if (files.length > 0) await begin(files);
  });
  useEffect(() => {
    void Promise.resolve(takeHandedFiles()).then((files) => beginHanded(files));
  }, []);

  const isRefused = refused !== null && refused.message === fault;

  return (
    <>
      <h2 className="visually-hidden">{IMPORT_MESSAGES.steps.file}</h2>
      <Unfinished />
      <FileChooser
        button={FILE_MESSAGES.choose}
        error={fault}
        cure={
          isRefused ? (
            <Notice
              act={
                <Button busy={busy} onClick={() => void begin([refused.file])}>
                  {FILE_MESSAGES.sendAgain}
                </Button>
              }
            >
              {FILE_MESSAGES.kept(refused.file.name)}
            </Notice>
          ) : null
        }
        busy={busy}
        onFiles={(files) => void begin(files)}
      >
        <SampleLink />
      </FileChooser>
    </>
  );
}

const ENDED: readonly string[] = ['imported', 'undone'];

/** Shows the newest import of the list, if it is not completed. */
function Unfinished() {
  const { data } = useQuery({ ...importList({ page: 1, size: 1 }), meta: { quiet: true } });
  const [isAsked, setIsAsked] = useState(false);
  const [last] = data?.rows ?? [];
  if (last === undefined || ENDED.includes(last.state)) return null;
  const { id, name } = last;
  return (
    <Notice
      act={
        <>
          {canDiscard(last) ? (
            <Button variant="quiet" aria-label={RUN_MESSAGES.discardOf(name)} onClick={() => setIsAsked(true)}>
              {RUN_MESSAGES.discardShort}
            </Button>
          ) : null}
          <ButtonLink to={importPath(id)}>{isWorking(last) ? IMPORT_MESSAGES.show : FILE_MESSAGES.resume}</ButtonLink>
        </>
      }
    >
      <span role="status">{FILE_MESSAGES.unfinished(name)}</span>
      {isAsked ? <DiscardDialog id={id} name={name} onClose={() => setIsAsked(false)} /> : null}
    </Notice>
  );
}
