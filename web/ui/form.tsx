import type { ComponentChildren, JSX } from 'preact';
import type { ApiError } from '../api/errors.ts';
import { ErrorBox } from './states.tsx';

export interface FormProps {
  /** Class of the form. Defaults to that of a form in a dialog. */
  look?: string;
  error: ApiError | undefined;
  buttons: ComponentChildren;
  onSubmit: () => unknown;
  children: ComponentChildren;
}

/** A form with the error of its action, and its buttons. */
export const Form = ({ look = 'dialog-body', error, buttons, onSubmit, children }: FormProps): JSX.Element => (
  <form
    class={look}
    onSubmit={(event) => {
      event.preventDefault();
      onSubmit();
    }}
  >
    {children}
    {error && <ErrorBox error={error} />}
    <footer>{buttons}</footer>
  </form>
);

/** An input with its name above it. */
export const Field = ({ name, children }: { name: string; children: ComponentChildren }): JSX.Element => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the children contain the control.
  <label class="field">
    <span>{name}</span>
    {children}
  </label>
);
