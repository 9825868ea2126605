import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.tsx';

export interface DialogProps {
  title: string;
  wide?: boolean;
  children: ComponentChildren;
  onClose: () => void;
}

/**
 * A modal dialog. The browser's own element keeps the focus inside. Escape is handled here: the element would close
 * immediately but report it in a later task, which would then close a dialog that was opened in between. The `close`
 * event reports the other ways to dismiss it, for example the back gesture of a phone.
 */
export function Dialog({ title, wide, children, onClose }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  const gone = useRef(false);
  const heading = useId();
  // Runs before the paint, so that a key pressed right after the one that opened the dialog reaches the dialog.
  useLayoutEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    dialog?.showModal();
    dialog?.querySelector<HTMLElement>('textarea, input, select')?.focus();
    return () => {
      gone.current = true;
      dialog?.close();
      // The element also does this, but not if it has already been removed.
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const closed = (): void => {
    if (!gone.current) onClose();
  };
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    onClose();
  };
  return (
    <dialog
      ref={element}
      class={wide ? 'dialog wide' : 'dialog'}
      aria-labelledby={heading}
      onClose={closed}
      onKeyDown={closeOnEscape}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <Button icon="close" look="quiet" label="Close" onClick={onClose} />
      </header>
      {children}
    </dialog>
  );
}
