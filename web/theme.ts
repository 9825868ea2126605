import { signal } from '@preact/signals';

const NAME = 'sluice-theme';
const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The chosen theme; auto follows the system. */
export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(NAME)) ?? 'auto');

/** Counts changes of the effective colours, by choice or by the system. Canvases must be painted again after each. */
export const repaints = signal(0);

const show = (): void => {
  const chosen = theme.peek();
  if (chosen === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  repaints.value = repaints.peek() + 1;
};

/** Applies the theme, now and after each change. */
export function startTheme(): void {
  theme.subscribe(show);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  show();
}

/** Returns the next theme, for a button that cycles through all. */
export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length] ?? 'auto';
  localStorage.setItem(NAME, next);
  theme.value = next;
}
