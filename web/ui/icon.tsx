import type { JSX } from 'preact';

/** Paths on a grid of 24, drawn with a line width of 2. */
const PATHS = {
  overview: 'M4 13a8 8 0 1 1 16 0M12 13l4-4M4 17h16',
  days: 'M4 19V5M4 19h16M7 15l4-5 3 3 5-7',
  audit: 'M6 3h9l4 4v14H6zM9 9h6M9 13h7M9 17h5',
  queues: 'M4 6h16M4 12h10M4 18h13M18 10l3 2-3 2',
  batches: 'M4 7l8-4 8 4-8 4-8-4zM4 12l8 4 8-4M4 17l8 4 8-4',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1.500 3h3l1.500-3h5',
  upload: 'M12 16V4m0 0L7 9m5-5 5 5M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.900 4.900l1.400 1.400M17.700 17.700l1.400 1.400M2 12h2M20 12h2M4.900 19.100l1.400-1.400M17.700 6.300l1.400-1.400',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z',
  auto: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 3v18M12 7h7.500M12 12h9M12 17h7.500',
  signOut: 'M9 4H5a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h4M16 8l4 4-4 4M20 12H9',
  download: 'M12 4v12m0 0 5-5m-5 5-5-5M4 20h16',
  pause: 'M8 5v14M16 5v14',
  drain: 'M12 3v11m0 0-4-4m4 4 4-4M4 19h16',
  play: 'M7 4l13 8-13 8z',
  tune: 'M4 7h9M19 7h1M4 17h1M11 17h9M16 4.500v5M8 14.500v5',
  check: 'M4 12.500l5 5L20 6.500',
  warning: 'M12 3 2 20h20L12 3zM12 10v4M12 17v.500',
  redo: 'M20 5v5h-5M19.500 10A8 8 0 1 0 20 14',
  edit: 'M4 20l1-5L16 4l4 4L9 19l-5 1zM14 6l4 4',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5',
  close: 'M5 5l14 14M19 5L5 19',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5',
  back: 'M15 5l-7 7 7 7',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3',
} as const;
export type IconName = keyof typeof PATHS;

/** A small picture beside a text with the same meaning. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      aria-hidden="true"
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
