import { fireEvent, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '#test/web/render.tsx';
import { useFaultFocus } from './focus-fault.ts';

function Form() {
  const form = useRef<HTMLFormElement>(null);
  const [isFaulty, setFaulty] = useState(false);
  const focusFaults = useFaultFocus(form);
  return (
    <form ref={form}>
      <input aria-label="name" aria-invalid={isFaulty || undefined} />
      <button type="button" onClick={focusFaults}>
        refuse
      </button>
      <button type="button" onClick={() => setFaulty(true)}>
        show
      </button>
    </form>
  );
}

it('focuses an error that is rendered after the answer was handled', () => {
  renderPart(<Form />);
  fireEvent.click(screen.getByText('refuse'));
  expect(document.activeElement).toBe(document.body);
  fireEvent.click(screen.getByText('show'));
  expect(document.activeElement).toBe(screen.getByLabelText('name'));
});
