import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { keepKey } from './api/key.ts';
import { spending } from './api/spending.ts';
import { formatCount } from './format.ts';
import { forgetQueues } from './live/queue-history.ts';
import { useObservable } from './observable.ts';
import type { Place } from './routing.ts';
import { nextTheme, theme } from './theme.ts';
import { Button } from './ui/button.tsx';
import { Icon, type IconName } from './ui/icon.tsx';
import { Logo } from './ui/logo.tsx';

const LINKS: readonly { href: string; name: string; icon: IconName; pages: readonly Place['page'][] }[] = [
  { href: '#/queues', name: 'Queues', icon: 'queues', pages: ['queues'] },
  { href: '#/batches', name: 'Batches', icon: 'batches', pages: ['batches', 'batch'] },
  { href: '#/inbox', name: 'Inbox', icon: 'inbox', pages: ['inbox'] },
  { href: '#/upload', name: 'Upload', icon: 'upload', pages: ['upload'] },
  { href: '#/cost', name: 'Cost', icon: 'cost', pages: ['cost'] },
];

/** Where one can go, what watching costs, and what concerns the page itself. */
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
        <OwnCost />
        <div class="sidebar-buttons">
          <ThemeButton />
          <Button icon="signOut" look="quiet" label="Forget the key" onClick={forget} />
        </div>
      </div>
    </aside>
  );
}

function forget(): void {
  forgetQueues();
  keepKey('');
}

function ThemeButton(): JSX.Element {
  const chosen = useObservable(theme);
  const icon = chosen === 'auto' ? 'auto' : chosen === 'light' ? 'sun' : 'moon';
  return <Button icon={icon} look="quiet" label={`Colours: ${chosen}`} onClick={nextTheme} />;
}

function OwnCost(): JSX.Element {
  const { requests, operations } = useObservable(spending);
  const visible = useVisibility();
  return (
    <div class="own-cost" title="What this page has asked for since it was opened. Hidden, it asks for nothing.">
      <span class={visible ? 'pulse' : 'pulse off'} />
      <span>
        {formatCount(requests)} requests
        <small>≈ {formatCount(operations)} storage operations</small>
      </span>
    </div>
  );
}

function useVisibility(): boolean {
  const [visible, setVisible] = useState(!document.hidden);
  useEffect(() => {
    const onChange = (): void => setVisible(!document.hidden);
    document.addEventListener('visibilitychange', onChange);
    return () => document.removeEventListener('visibilitychange', onChange);
  }, []);
  return visible;
}
