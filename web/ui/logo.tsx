import type { JSX } from 'preact';

/** The name, with a sluice gate between two banks. */
export function Logo(): JSX.Element {
  return (
    <div class="logo">
      <svg aria-hidden="true" viewBox="0 0 32 32" width="30" height="30">
        <rect class="logo-field" width="32" height="32" rx="8" />
        <g stroke="#fff" stroke-linecap="round" fill="none">
          <path d="M7 10h18M7 22h18" stroke-width="2.4" opacity=".45" />
          <path d="M7 16h7m4 0h7" stroke-width="2.800" />
          <path class="logo-gate" d="M16 8v6m0 4v6" stroke-width="3" />
        </g>
      </svg>
      <span>Sluice</span>
    </div>
  );
}
