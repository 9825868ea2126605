import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'normal';
  /** What a button with only an icon does. */
  label?: string;
  disabled?: boolean;
  /** Why it is disabled, for whoever points at it. */
  reason?: string | undefined;
  busy?: boolean;
  submit?: boolean;
  onClick?: () => void;
}

/** A button; while `busy` it keeps its width and takes no click. */
export function Button(props: ButtonProps): JSX.Element {
  const { children, icon, look = 'plain', size = 'normal', label, disabled, reason, busy, submit, onClick } = props;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      class={`button ${look} ${size} ${children === undefined ? 'only-icon' : ''}`}
      aria-label={label}
      title={reason ?? label}
      aria-busy={busy}
      disabled={disabled || busy}
      onClick={onClick}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 15 : 17} />}
      {children}
    </button>
  );
}
