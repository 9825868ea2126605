import type { JSX } from 'preact';
import { keepKey } from './api/key.ts';
import type { Place } from './routing.ts';
import { nextTheme, theme } from './theme.ts';
import { Button } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icon.tsx';
import { Logo } from './ui/logo.tsx';

const LINKS: readonly { href: string; name: string; icon: IconName; pages: readonly Place['page'][] }[] = [
  { href: '#/overview', name: 'Overview', icon: 'overview', pages: ['overview'] },
  { href: '#/queues', name: 'Queues', icon: 'queues', pages: ['queues', 'queue'] },
  { href: '#/batches', name: 'Batches', icon: 'batches', pages: ['batches', 'batch'] },
  { href: '#/dead-letters', name: 'Dead letters', icon: 'warning', pages: ['dead-letters'] },
  { href: '#/inbox', name: 'Inbox', icon: 'inbox', pages: ['inbox'] },
  { href: '#/upload', name: 'Upload', icon: 'upload', pages: ['upload'] },
  { href: '#/days', name: 'Days', icon: 'days', pages: ['days'] },
  { href: '#/audit', name: 'Audit log', icon: 'audit', pages: ['audit'] },
];

/** Navigation, and the settings of the page. */
export function Sidebar({ place }: { place: Place }): JSX.Element {
  return (
    <aside class="sidebar">
      <Logo />
      <nav aria-label="Pages">
        {LINKS.map(({ href, name, icon, pages }) => (
          <a key={href} href={href} aria-current={pages.includes(place.page) ? 'page' : undefined}>
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
