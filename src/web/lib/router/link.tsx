import { type ComponentProps, type MouseEvent, use, useEffect } from 'react';
import { addressOf, hrefOf, type To } from './location.ts';
import { ShownContext, useRouter } from './use-router.ts';

interface Props extends Omit<ComponentProps<'a'>, 'href'> {
  readonly to: To;
}

/** Whether the browser would open a link in this tab. */
const opensHere = (event: MouseEvent<HTMLAnchorElement>, target: string | undefined): boolean =>
  event.button === 0 &&
  (target === undefined || target === '_self') &&
  !(event.metaKey || event.altKey || event.ctrlKey || event.shiftKey);

/** A link to another screen. The present address is not put into the history once more. */
export function Link({ to, onClick, ...anchor }: Props) {
  const router = useRouter();
  const href = useHref(to);
  return (
    <a
      {...anchor}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (event.defaultPrevented || !opensHere(event, anchor.target)) return;
        event.preventDefault();
        void router.navigate(to, { replace: hrefOf(router.state.location) === href });
      }}
    />
  );
}

/** A link with a path does not depend on the present address, and so does not render again with it. */
function useHref(to: To): string {
  if (typeof to === 'string' && to.startsWith('/')) return to;
  return hrefOf(addressOf(to, use(ShownContext)?.location.pathname ?? '/'));
}

/** Goes to another address when it is rendered. */
export function Navigate({ to, replace = false }: { readonly to: To; readonly replace?: boolean }) {
  const { navigate } = useRouter();
  useEffect(() => {
    void navigate(to, { replace });
  }, [navigate, to, replace]);
  return null;
}
