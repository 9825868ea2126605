import { setTimeout as sleep } from 'node:timers/promises';
import { TIMED_OUT_EXIT_CODE } from '../host/errors.ts';
import type { ProcessEnd, RunningProcess } from './process/process.ts';

/** Waiting time before an instance that terminated unexpectedly is restarted. It doubles with each further termination. */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** An instance that ran for at least this long does not crash at its start. Its waiting time is reset. */
const STEADY_MS = 60_000;

/** The state of an instance. `down` means that it is not running, and possibly waits for a restart. */
export type InstanceState = 'starting' | 'running' | 'frozen' | 'draining' | 'down';

/** One instance of the app: a host process that can be ended and started again at the same address. */
export interface Instance {
  readonly name: string;
  /** The instance's own address, without the router and without a trailing slash. */
  readonly url: string;
  readonly state: InstanceState;
  /** The current process. After its end, the last process. */
  readonly process: RunningProcess<string>;
  /** Sends SIGKILL. If the instance is starting, its `start` rejects. It stays down until the next `start`. */
  kill(): Promise<void>;
  /** Sends SIGSTOP. The instance keeps its connections and does not answer. */
  freeze(): void;
  /** Sends SIGCONT. */
  thaw(): void;
  /**
   * Sends SIGTERM. The instance accepts no more work, and ends after its running work is finished or its grace period is
   * over. If it is starting, this is the same as `kill`. It stays down until `start`.
   */
  drain(): Promise<void>;
  /** Starts the instance, unless it is running. */
  start(): Promise<void>;
}

/** Options of an instance. */
export interface InstanceOptions {
  name: string;
  port: number;
  /** Starts the process. If the signal is aborted before the process is ready, ends it and rejects with the signal's reason. */
  launch: (signal: AbortSignal) => Promise<RunningProcess<string>>;
  /**
   * Whether the instance is restarted after it terminated unexpectedly. If it ended because of `functionTimeout`, it is
   * always restarted, immediately, as on Azure.
   */
  restart: boolean;
  /** Time between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Called with a message before the instance is restarted after an unexpected termination, and when it is running again. */
  onMessage: (message: string) => void;
  /** Called with a message if the instance terminates unexpectedly and is not restarted. */
  onDeath: (message: string) => void;
}

/** Creates an instance. It is down until `start`, which rejects if the host does not start. */
export const createInstance = (options: InstanceOptions): Instance => new Supervisor(options);

/** The instance was ended while it started. */
class StartCancelledError extends Error {
  override readonly name = 'StartCancelledError';
}

class Supervisor implements Instance {
  readonly #options: InstanceOptions;
  #state: InstanceState = 'down';
  #process: RunningProcess<string> | undefined;
  #starting: { done: Promise<void>; cancel: AbortController } | undefined;
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
    if (!this.#process) throw new Error(`Instance ${this.name} was never started`);
    return this.#process;
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    this.#waiting?.abort();
    if (this.#ending) {
      await this.#ending;
      if (!this.#isWanted) throw this.#cancelled();
    }
    if (this.#state === 'down') {
      const cancel = new AbortController();
      const done = this.#launch(cancel.signal).finally(() => {
        this.#starting = undefined;
      });
      this.#starting = { done, cancel };
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
    // A kill can arrive while a drain is still waiting.
    const ended = this.#endProcess(how);
    this.#ending ??= ended;
    await ended;
    this.#ending = undefined;
  }

  async #endProcess(how: (process: RunningProcess<string>) => Promise<ProcessEnd>): Promise<void> {
    if (this.#starting) {
      const { done, cancel } = this.#starting;
      cancel.abort(this.#cancelled());
      await done.catch(() => undefined);
    }
    // Also ends a process that became ready before the abort reached it.
    if (this.#state !== 'down' && this.#process) await how(this.#process);
  }

  #cancelled(): StartCancelledError {
    return new StartCancelledError(`${this.name} was ended while it started`);
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
    if (end.code === TIMED_OUT_EXIT_CODE && this.#isWanted) {
      this.#options.onMessage(`An invocation exceeded functionTimeout; ${this.name} is restarted`);
      void this.#startAgain();
    } else if (this.#options.restart && this.#isWanted) void this.#restart(message);
    else this.#options.onDeath(message);
  }

  async #restart(message: string): Promise<void> {
    const waiting = new AbortController();
    const waitMs = this.#backoffMs;
    this.#backoffMs = Math.min(waitMs * 2, MAX_BACKOFF_MS);
    this.#options.onMessage(`${message}\n${this.name} will be restarted in ${waitMs / 1000} s`);
    this.#waiting = waiting;
    await sleep(waitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    this.#waiting = undefined;
    if (waiting.signal.aborted || !this.#isWanted) return;
    await this.#startAgain();
  }

  #startAgain(): Promise<void> {
    return this.start().then(
      () => this.#options.onMessage(`${this.name} is running again`),
      (error: Error) => {
        if (error instanceof StartCancelledError || !this.#isWanted) return undefined;
        return this.#restart(error.message);
      },
    );
  }
}
