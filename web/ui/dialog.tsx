import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

export interface DialogProps {
  title: string;
  wide?: boolean;
  children: ComponentChildren;
  onClose: () => void;
}

/**
 * A modal dialog. The browser's own element keeps the focus inside and closes on Escape; of that it tells by `close`
 * always, and by `cancel` only after the user has done something since the last one.
 */
export function Dialog({ title, wide, children, onClose }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('textarea, input, select')?.focus();
    return () => {
      gone.current = true;
      dialog?.close();
      // The element would do this too, but not when it is gone by then.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const closed = (): void => {
    if (!gone.current) onClose();
  };
  return (
    <dialog ref={element} class={wide ? 'dialog wide' : 'dialog'} aria-labelledby={heading} onClose={closed}>
      <header>
        <h2 id={heading}>{title}</h2>
        <Button icon="close" look="quiet" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
