import { Component, type ComponentType, type ReactNode, startTransition, useLayoutEffect, useState } from 'react';
import type { Location } from './location.ts';
import type { Router, RouterState } from './router.ts';
import { RouterContext, ShownContext } from './use-router.ts';

interface Props {
  readonly router: Router;
  /** Surrounds all screens, including those that are loading or have failed. */
  readonly Frame: ComponentType<{ readonly children: ReactNode }>;
  /** Shown in place of a screen that could not be loaded or rendered. */
  readonly Fault: ComponentType<{ readonly error: unknown }>;
}

/** Renders the screen of the current address. */
export function RouterView({ router, Frame, Fault }: Props) {
  const [shown, setShown] = useState(router.state);
  useLayoutEffect(() => {
    let last: RouterState['screen'] = null;
    return router.subscribe((state) => {
      // Synchronous, so that a field which shows a parameter of the address does not lag behind typing.
      if (state.screen !== null && state.screen === last) setShown(state);
      else startTransition(() => setShown(state));
      last = state.screen;
    });
  }, [router]);
  const { screen, surround, location, error } = shown;
  const Around = surround?.Component ?? Bare;
  return (
    <RouterContext value={router}>
      <ShownContext value={shown}>
        <Boundary location={location} Fault={Fault}>
          <Frame>
            <Boundary location={location} Fault={Fault}>
              {error === undefined ? null : <Fault error={error} />}
              {screen === null ? null : (
                <Around>
                  <screen.Component />
                </Around>
              )}
            </Boundary>
          </Frame>
        </Boundary>
      </ShownContext>
    </RouterContext>
  );
}

const Bare = ({ children }: { readonly children: ReactNode }) => children;

interface BoundaryProps {
  readonly location: Location;
  readonly Fault: Props['Fault'];
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly fault: { readonly error: unknown } | null;
  readonly location: Location;
}

/** Shows an error in place of a screen that could not be rendered, until the next navigation. */
class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { fault: null, location: this.props.location };

  static getDerivedStateFromError(error: unknown): Partial<BoundaryState> {
    return { fault: { error } };
  }

  static getDerivedStateFromProps({ location }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return location === state.location ? null : { fault: null, location };
  }

  override render(): ReactNode {
    const { Fault, children } = this.props;
    const { fault } = this.state;
    return fault === null ? children : <Fault error={fault.error} />;
  }
}
