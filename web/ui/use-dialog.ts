import { useState } from 'preact/hooks';

/** Which dialog is open, and what its actions do. */
export interface DialogState<Open> {
  open: Open | undefined;
  setOpen: (open: Open) => void;
  close: () => void;
  /** Waits for an action, then has what is shown loaded again. Rejects with what the action rejects with. */
  act: (work: Promise<unknown>) => Promise<void>;
}

/** Holds which of the dialogs of a component is open. */
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
