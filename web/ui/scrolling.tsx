import type { ComponentChildren, JSX } from 'preact';

/** Holds what may be wider than the window: it is scrolled by itself, with the keyboard, too. */
export const Scrolling = ({ label, children }: { label: string; children: ComponentChildren }): JSX.Element => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus to be scrolled by keys.
  <section class="scrolling" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
