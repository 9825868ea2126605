import type { ComponentChildren, JSX } from 'preact';
import { useAction } from '../live/use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form } from './form.tsx';

export interface ConfirmProps {
  title: string;
  children: ComponentChildren;
  /** Label of the button: the action, not "OK". */
  action: string;
  danger?: boolean;
  disabled?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before an action, shows its progress, and shows its error. */
export function Confirm({ title, children, action, danger, disabled, onConfirm, onClose }: ConfirmProps): JSX.Element {
  const confirming = useAction();
  const run = async (): Promise<void> => {
    if (await confirming.run(onConfirm)) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        error={confirming.error}
        onSubmit={() => run()}
        buttons={
          <>
            <Button onClick={onClose}>Keep as it is</Button>
            <Button submit look={danger ? 'danger' : 'primary'} busy={confirming.busy} disabled={disabled ?? false}>
              {action}
            </Button>
          </>
        }
      >
        {children}
      </Form>
    </Dialog>
  );
}
