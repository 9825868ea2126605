import { availableParallelism } from 'node:os';
import type { ResponseTimes } from '../cost/account.ts';
import type { SliceLoad } from '../gate/planning/slice-result.ts';

/** What a process measures about itself; replaced in tests. */
const PROCESS = {
  nowMs: (): number => performance.now(),
  /** CPU time of all threads of the process since its start, user and system. */
  cpuMs: (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  /** Time that the event loop of the main thread was active and idle, since the start of the process. */
  eventLoopMs: (): { active: number; idle: number } => performance.eventLoopUtilization(),
  /** Cores that the process may use: it respects the CPU affinity and the CPU quota of the container (libuv). */
  cores: availableParallelism(),
};

/** Starts a measurement. The returned function ends it, and adds the response times of the slice. */
export type MeasureInstance = () => (responses: ResponseTimes) => SliceLoad;

/**
 * Creates the measurement of a process. Slices that run at the same time measure the same process, each during its own
 * time.
 * @param instance identifies the process
 */
export const createInstanceMeasure =
  (instance: string, gauges = PROCESS): MeasureInstance =>
  () => {
    const { nowMs, cpuMs, eventLoopMs, cores } = gauges;
    const [startMs, startCpuMs, startLoop] = [nowMs(), cpuMs(), eventLoopMs()];
    return ({ count, ms, throttled }) => {
      const elapsedMs = nowMs() - startMs;
      const loop = eventLoopMs();
      const activeMs = loop.active - startLoop.active;
      return {
        instance,
        ms: Math.round(elapsedMs),
        cpu: fraction(cpuMs() - startCpuMs, elapsedMs * cores),
        eventLoop: fraction(activeMs, activeMs + loop.idle - startLoop.idle),
        responses: count,
        responseMs: Math.round(ms),
        throttled,
      };
    };
  };

/** Three digits are enough for every decision, and each result is kept in the history of its orchestration. */
const fraction = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.round(Math.min(1, Math.max(0, part / whole)) * 1000) / 1000;
