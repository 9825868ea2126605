import type { ComponentChildren, JSX } from 'preact';

/** Contains content that may be wider than the window; it scrolls separately, also with the keyboard. */
export const Scrolling = ({ label, children }: { label: string; children: ComponentChildren }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus to be scrolled by keys.
  <section class="scrolling" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
