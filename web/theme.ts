import { signal } from '@preact/signals';

const NAME = 'sluice-theme';
const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The chosen theme; auto goes by the system. */
export const theme = signal<Theme>(THEMES.find((name) => name === localStorage.getItem(NAME)) ?? 'auto');

/** Counts changes of the colours that are in effect, by choice or by the system: what is painted must be painted anew. */
export const repaints = signal(0);

const show = (): void => {
  const chosen = theme.peek();
  if (chosen === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  repaints.value = repaints.peek() + 1;
};

/** Puts the theme into effect, now and whenever it changes. */
export function startTheme(): void {
  theme.subscribe(show);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  show();
}

/** The next theme, for a button that goes round. */
export function nextTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.peek()) + 1) % THEMES.length] ?? 'auto';
  localStorage.setItem(NAME, next);
  theme.value = next;
}
