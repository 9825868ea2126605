import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';

/** Copies a text and confirms it briefly. */
export function CopyButton({ text }: { text: string }): JSX.Element {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <Button
      icon={copied ? 'check' : 'copy'}
      look="quiet"
      size="small"
      label={copied ? 'Copied' : 'Copy the id'}
      onClick={() => void copy().catch(() => {})}
    />
  );
}
