import { useState } from 'preact/hooks';

/** The open dialog, and the handler of its actions. */
export interface DialogState<Open> {
  open: Open | undefined;
  setOpen: (open: Open) => void;
  close: () => void;
  /** Awaits an action, then refreshes the page. Rejects with the error of the action. */
  act: (work: Promise<unknown>) => Promise<void>;
}

/** Holds which dialog of a component is open. */
export function useDialog<Open>(onChange: () => void): DialogState<Open> {
  const [open, setOpen] = useState<Open>();
  return {
    open,
    setOpen,
    close: () => setOpen(undefined),
    act: async (work) => {
      await work;
      onChange();
    },
  };
}
