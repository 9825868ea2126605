import type { RunningProcess } from './process/process.ts';

/** A part of the stack: a child process that can be ended, and started again with the same ports and data. */
export interface Part<Ready> {
  /** The current process. After its end, the last process. */
  readonly process: RunningProcess<Ready>;
  /** Sends SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
  /** Sends SIGKILL immediately. */
  kill(): Promise<void>;
  /** Starts the part again. The caller must have ended it. */
  start(): Promise<void>;
}

/** Starts a part. `onDeath` is called with a message for every unexpected termination. */
export async function startPart<Ready>(
  launch: () => Promise<RunningProcess<Ready>>,
  onDeath: (message: string) => void,
): Promise<Part<Ready>> {
  const supervise = async (): Promise<RunningProcess<Ready>> => {
    const started = await launch();
    void started.ended.then((end) => {
      if (!end.expected) onDeath(started.describe(end));
    });
    return started;
  };
  let current = await supervise();
  return {
    get process() {
      return current;
    },
    stop: async () => void (await current.stop()),
    kill: async () => void (await current.kill()),
    start: async () => {
      current = await supervise();
    },
  };
}
