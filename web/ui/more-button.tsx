import type { JSX } from 'preact';
import type { More } from '../live/use-more.ts';
import { Button } from './button.tsx';
import { ErrorBox } from './states.tsx';

export interface MoreButtonProps {
  more: Pick<More<unknown>, 'next' | 'action' | 'load'>;
  children: string;
}

/** The end of a list: a button if there is a next page, and the error of the last request. */
export const MoreButton = ({ more: { next, action, load }, children }: MoreButtonProps): JSX.Element => (
  <>
    {action.error && <ErrorBox error={action.error} />}
    {next && (
      <div class="more">
        <Button busy={action.busy} onClick={() => void action.run(load)}>
          {children}
        </Button>
      </div>
    )}
  </>
);
