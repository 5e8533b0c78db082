import { type ComponentProps, type MouseEvent, useEffect } from 'react';
import { hrefOf } from './location.ts';
import { useRouter } from './use-router.ts';

/** Whether the browser would open a link in this tab. */
const opensHere = (event: MouseEvent<HTMLAnchorElement>, target: string | undefined): boolean =>
  event.button === 0 &&
  (target === undefined || target === '_self') &&
  !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);

interface Props extends Omit<ComponentProps<'a'>, 'href'> {
  readonly to: string;
}

/** Links to another screen. A link to the current address adds no history entry. */
export function Link({ to, onClick, ...anchor }: Props) {
  const router = useRouter();
  return (
    <a
      {...anchor}
      href={to}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !opensHere(event, anchor.target)) return;
        event.preventDefault();
        void router.navigate(to, { replace: hrefOf(router.state.location) === to });
      }}
    />
  );
}

/** Navigates to another address when it is rendered. */
export function Navigate({ to, replace = false }: { readonly to: string; readonly replace?: boolean }) {
  const { navigate } = useRouter();
  useEffect(() => {
    void navigate(to, { replace });
  }, [navigate, to, replace]);
  return null;
}
