import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnd, RunningProcess } from './process/process.ts';

/** An instance that died unasked is started again after this long, after each further death twice as long. */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** Whoever has run for this long is no longer one that dies at its start. */
const STEADY_MS = 60_000;

/** What an instance is doing. `down`: nobody has started it again, or it waits to be. */
export type InstanceState = 'starting' | 'running' | 'frozen' | 'draining' | 'down';

/** One instance of the app: a host process that can be ended, and started again at the same address. */
export interface Instance {
  readonly name: string;
  /** Its own address, past the router; without a slash at the end. */
  readonly url: string;
  readonly state: InstanceState;
  /** The process as it runs now; after its end, as it last ran. */
  readonly process: RunningProcess<string>;
  /** SIGKILL at once, also while it starts: that `start` rejects. It stays down until the next `start`. */
  kill(): Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nobody. */
  freeze(): void;
  /** SIGCONT. */
  thaw(): void;
  /**
   * SIGTERM: it takes no more work and ends when what runs has ended, or its grace is over. While it starts, as `kill`. It
   * stays down until `start`.
   */
  drain(): Promise<void>;
  /** Starts it, unless it runs. */
  start(): Promise<void>;
}

/** How an instance is kept up. */
export interface InstanceOptions {
  name: string;
  port: number;
  /** Ends the child, and rejects with the signal's reason, when the signal is aborted before the child is ready. */
  launch: (signal: AbortSignal) => Promise<RunningProcess<string>>;
  /** Whether it is started again after an unexpected end. */
  restart: boolean;
  /** Until SIGKILL follows SIGTERM. */
  graceMs: number;
  /** Called with a text before the child is started again after an unexpected end, and when it is up again. */
  onMessage: (message: string) => void;
  /** Called with a text when the child ends unexpectedly and is not started again. */
  onDeath: (message: string) => void;
}

/** Makes an instance, which is down until `start`; that rejects when the host does not start. */
export const createInstance = (options: InstanceOptions): Instance => new Supervisor(options);

/** Somebody ended the instance before it was up. */
class StartAbandonedError extends Error {
  override readonly name = 'StartAbandonedError';
}

class Supervisor implements Instance {
  readonly #options: InstanceOptions;
  #state: InstanceState = 'down';
  #process: RunningProcess<string> | undefined;
  #starting: { done: Promise<void>; abandon: AbortController } | undefined;
  #ending: Promise<void> | undefined;
  #waiting: AbortController | undefined;
  #backoffMs = FIRST_BACKOFF_MS;
  #isWanted = false;

  constructor(options: InstanceOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#options.port}`;
  }

  get state(): InstanceState {
    return this.#state;
  }

  get process(): RunningProcess<string> {
    if (!this.#process) throw new Error(`Instance ${this.name} was never up`);
    return this.#process;
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    this.#waiting?.abort();
    if (this.#ending) {
      await this.#ending;
      if (!this.#isWanted) throw this.#abandoned();
    }
    if (this.#state === 'down') {
      const abandon = new AbortController();
      const done = this.#launch(abandon.signal).finally(() => {
        this.#starting = undefined;
      });
      this.#starting = { done, abandon };
    }
    await this.#starting?.done;
  }

  kill(): Promise<void> {
    return this.#end((process) => process.kill());
  }

  freeze(): void {
    if (this.#state !== 'running') return;
    this.process.freeze();
    this.#state = 'frozen';
  }

  thaw(): void {
    if (this.#state !== 'frozen') return;
    this.process.thaw();
    this.#state = 'running';
  }

  drain(): Promise<void> {
    return this.#end((process) => {
      this.#state = 'draining';
      return process.stop(this.#options.graceMs);
    });
  }

  async #end(how: (process: RunningProcess<string>) => Promise<ProcessEnd>): Promise<void> {
    this.#isWanted = false;
    this.#waiting?.abort();
    // A kill may come while a drain is still waiting.
    const ended = this.#endProcess(how);
    this.#ending ??= ended;
    await ended;
    this.#ending = undefined;
  }

  async #endProcess(how: (process: RunningProcess<string>) => Promise<ProcessEnd>): Promise<void> {
    if (this.#starting) {
      const { done, abandon } = this.#starting;
      abandon.abort(this.#abandoned());
      await done.catch(() => undefined);
    }
    // Also one that got ready before the abort reached it.
    if (this.#state !== 'down' && this.#process) await how(this.#process);
  }

  #abandoned(): StartAbandonedError {
    return new StartAbandonedError(`${this.name} was ended while it started`);
  }

  async #launch(signal: AbortSignal): Promise<void> {
    this.#state = 'starting';
    try {
      const started = await this.#options.launch(signal);
      this.#process = started;
      this.#state = 'running';
      const startedAt = performance.now();
      void started.ended.then((end) => this.#ended(started, end, performance.now() - startedAt));
    } catch (error: unknown) {
      this.#state = 'down';
      throw error;
    }
  }

  #ended(process: RunningProcess<string>, end: ProcessEnd, ranMs: number): void {
    this.#state = 'down';
    if (end.expected) return;
    const message = process.describe(end);
    if (ranMs > STEADY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    if (this.#options.restart && this.#isWanted) void this.#restart(message);
    else this.#options.onDeath(message);
  }

  async #restart(message: string): Promise<void> {
    const waiting = new AbortController();
    const waitMs = this.#backoffMs;
    this.#backoffMs = Math.min(waitMs * 2, MAX_BACKOFF_MS);
    this.#options.onMessage(`${message}\n${this.name} is started again in ${waitMs / 1000} s`);
    this.#waiting = waiting;
    await sleep(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.#waiting = undefined;
    if (waiting.signal.aborted || !this.#isWanted) return;
    await this.start().then(
      () => this.#options.onMessage(`${this.name} is up again`),
      (error: Error) => {
        if (error instanceof StartAbandonedError || !this.#isWanted) return undefined;
        return this.#restart(error.message);
      },
    );
  }
}
