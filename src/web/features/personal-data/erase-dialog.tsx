import { useState } from 'react';
import { Button } from '#web/components/button.tsx';
import { Dialog } from '#web/components/dialog/dialog.tsx';
import bodyStyles from '#web/components/dialog/dialog-body.module.css';
import { CancelButton, DialogFoot } from '#web/components/dialog/dialog-foot.tsx';
import { count } from '#web/lib/phrases.ts';
import { toast } from '#web/lib/screen/toast.ts';
import { erase, type PersonalData } from './personal-data-query.ts';
import { PERSONAL_DATA_MESSAGES } from './words.ts';

interface Props {
  readonly email: string;
  /** What is stored about it. */
  readonly data: PersonalData;
  readonly onErased: () => void;
  readonly onClose: () => void;
}

/** Asks before an address's data are erased, and whether to keep its opt-out. */
export function EraseDialog({ email, data, onErased, onClose }: Props) {
  const messages = PERSONAL_DATA_MESSAGES.erase;
  const [keepsRefusal, setKeepsRefusal] = useState(true);
  const [busy, setBusy] = useState(false);

  async function eraseAll(): Promise<void> {
    setBusy(true);
    const answer = await erase(email, keepsRefusal ? 1 : 0);
    setBusy(false);
    if (!answer.ok) {
      toast('warning', answer.message);
      return;
    }
    toast('success', resultOf(answer.data));
    onErased();
  }

  return (
    <Dialog title={messages.title} onClose={() => !busy && onClose()}>
      <p className={bodyStyles.question}>{messages.question(email)}</p>
      <p className={bodyStyles.consequence}>{messages.finalConsequence}</p>
      <ul className="note bullets">
        {consequencesOf(data).map((consequence) => (
          <li key={consequence}>{consequence}</li>
        ))}
      </ul>
      <label>
        <input
          type="checkbox"
          checked={keepsRefusal}
          aria-describedby="keeps-refusal"
          onChange={(event) => setKeepsRefusal(event.target.checked)}
        />
        <span>{messages.recordRefusal}</span>
      </label>
      <p id="keeps-refusal" className={bodyStyles.consequence}>
        {messages.recordRefusalHelp}
      </p>
      <DialogFoot
        stay={<CancelButton busy={busy} onClick={onClose} data-autofocus />}
        act={
          <Button variant="danger" busy={busy} onClick={() => void eraseAll()}>
            {messages.button}
          </Button>
        }
      />
    </Dialog>
  );
}

/** Returns what happens, first to what is stored: an address is a company's, a person's, or that of both. */
function consequencesOf({ companies, people }: PersonalData): readonly string[] {
  const { companyConsequence: company, personConsequence: person, consequences: others } = PERSONAL_DATA_MESSAGES.erase;
  if (people.length === 0) return [company, ...others];
  return companies.length === 0 ? [person, company, ...others] : [company, person, ...others];
}

type Erased = Extract<Awaited<ReturnType<typeof erase>>, { readonly ok: true }>['data'];

/** Returns what is gone, and that the companies of erased people stay. */
function resultOf(erased: Erased): string {
  const { parts, counts, erase: words } = PERSONAL_DATA_MESSAGES;
  const counted = (['companies', 'people', 'mails'] as const)
    .filter((part) => part !== 'people' || erased.people > 0)
    .map((part) => words.part(parts[part], counts[part](erased[part])));
  const result = words.result([...counted, words.part(words.files, count(erased.files))]);
  return erased.companies_kept === 0 ? result : words.resultKept(result, erased.companies_kept);
}
