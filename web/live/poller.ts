/** What a poller does with the world. */
export interface PollerEffects<T> {
  load: (signal: AbortSignal) => Promise<T>;
  /** How long until the next look, by what the last one found; undefined for no other look. */
  everyMs: (data: T | undefined) => number | undefined;
  onData: (data: T) => void;
  onError: (error: unknown) => void;
}

/** Nobody is helped by a page that hammers a server in trouble. */
const MAX_BACK_OFF = 8;

/** Asks while the page is visible, never while it is hidden, and less often while it fails. Returns what ends it. */
export function startPoller<T>({ load, everyMs, onData, onError }: PollerEffects<T>): () => void {
  const control = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let asking = false;
  let found: T | undefined;

  const ask = async (): Promise<void> => {
    if (asking || document.hidden) return;
    asking = true;
    try {
      found = await load(control.signal);
      failures = 0;
      if (!control.signal.aborted) onData(found);
    } catch (error) {
      failures += 1;
      if (!control.signal.aborted) onError(error);
    }
    asking = false;
    schedule();
  };
  const schedule = (): void => {
    const pauseMs = everyMs(found);
    if (pauseMs === undefined || document.hidden || control.signal.aborted) return;
    timer = setTimeout(() => void ask(), pauseMs * Math.min(MAX_BACK_OFF, 2 ** failures));
  };
  const onVisibility = (): void => {
    clearTimeout(timer);
    if (found === undefined || everyMs(found) !== undefined) void ask();
  };

  void ask();
  document.addEventListener('visibilitychange', onVisibility);
  return () => {
    control.abort();
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
  };
}
