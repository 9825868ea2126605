import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps {
  children?: ComponentChildren;
  icon?: IconName;
  look?: 'primary' | 'plain' | 'quiet' | 'danger';
  size?: 'small' | 'normal';
  /** The action of a button that has only an icon. */
  label?: string;
  disabled?: boolean;
  /** The reason why it is disabled, as a tooltip. */
  reason?: string | undefined;
  busy?: boolean;
  submit?: boolean;
  onClick?: () => void;
}

/** A button. While `busy`, it keeps its width and ignores clicks. */
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
