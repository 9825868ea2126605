import type { JSX } from 'preact';
import { keepKey } from './api/key.ts';
import { href, type PageName, type Place } from './routing.ts';
import { nextTheme, theme } from './theme.ts';
import { Button } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icon.tsx';
import { Logo } from './ui/logo.tsx';

const LINKS: readonly { page: PageName; name: string; icon: IconName; parts?: Place['page'] }[] = [
  { page: 'overview', name: 'Overview', icon: 'overview' },
  { page: 'queues', name: 'Queues', icon: 'queues', parts: 'queue' },
  { page: 'batches', name: 'Batches', icon: 'batches', parts: 'batch' },
  { page: 'dead-letters', name: 'Dead letters', icon: 'warning' },
  { page: 'inbox', name: 'Inbox', icon: 'inbox' },
  { page: 'upload', name: 'Upload', icon: 'upload' },
  { page: 'days', name: 'Days', icon: 'days' },
  { page: 'audit', name: 'Audit log', icon: 'audit' },
];

/** Navigation, and the settings of the page. */
export function Sidebar({ place }: { place: Place }): JSX.Element {
  return (
    <aside class="sidebar">
      <Logo />
      <nav aria-label="Pages">
        {LINKS.map(({ page, name, icon, parts }) => (
          <a key={page} href={href(page)} aria-current={[page, parts].includes(place.page) ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{name}</span>
          </a>
        ))}
      </nav>
      <div class="sidebar-foot">
        <div class="sidebar-buttons">
          <ThemeButton />
          <Button icon="signOut" look="quiet" label="Forget the key" onClick={() => keepKey('')} />
        </div>
      </div>
    </aside>
  );
}

function ThemeButton(): JSX.Element {
  const chosen = theme.value;
  const icon = chosen === 'auto' ? 'auto' : chosen === 'light' ? 'sun' : 'moon';
  return <Button icon={icon} look="quiet" label={`Colours: ${chosen}`} onClick={nextTheme} />;
}
