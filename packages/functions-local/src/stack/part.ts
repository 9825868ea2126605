import type { RunningProcess } from './process/process.ts';

/** A part of the stack: a child that can be ended, and started again with the same ports and data. */
export interface Part<Ready> {
  /** The child as it runs now; after its end, as it last ran. */
  readonly process: RunningProcess<Ready>;
  /** SIGTERM, then SIGKILL. */
  stop(): Promise<void>;
  /** SIGKILL at once. */
  kill(): Promise<void>;
  /** Starts it again; the caller has ended it before. */
  start(): Promise<void>;
}

/** Starts a part. `onDeath` is called with a text for every unexpected end. */
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
