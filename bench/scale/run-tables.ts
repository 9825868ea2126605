/** The tables of a run: the measured instances compared with the model, and the part of one instance. */
import { formatCount } from '../../cli/text/format.ts';
import { markdown } from '../report/markdown.ts';
import { CPU_BOUND, type InstancesRun } from './instances.ts';
import { loadTime } from './load-time.ts';
import { constantsOf, local, type ScaleResults, waitingWork } from './results.ts';
import { MAX_SERIAL, type SerialResult, type Spent, serialPart } from './serial.ts';
import { simulate } from './simulation/simulate.ts';

/** The measured runs compared with ideal, model and simulation. */
export function runsTable(results: ScaleResults): string[] {
  const head = [
    ...['instances', 'items', 'items/s', 'of the ideal', 'took part', 'acceptance', 'enqueue', 'drain', 'collecting'],
    ...['report', 'operations', 'throttled', 'cores used', 'after the enqueueing: items/s', 'model', 'simulation'],
  ];
  return markdown([head, ...results.runs.map((run) => runRow(run, results))]);
}

function runRow(run: InstancesRun, results: ScaleResults): string[] {
  const { instances, items, seconds, ideal, phases, share } = run;
  const { acceptance, enqueue, drain, collecting, report } = phases;
  const work = waitingWork(results);
  const load = { batches: 1, chunksPerBatch: items / work.itemsPerChunk };
  const [deployment, constants] = [local(instances), constantsOf(results)];
  const predicted = loadTime(load, work, deployment, constants).seconds + constants.start;
  const simulated = simulate(load, work, deployment, constants).seconds + constants.start;
  return [
    ...[String(instances), formatCount(items), formatCount(items / seconds), (items / seconds / ideal).toFixed(2)],
    `${run.tookPart} (${formatCount(share.least)} to ${formatCount(share.most)} items)`,
    ...[acceptance, enqueue, drain, collecting, report].map((each) => `${each.toFixed(1)} s`),
    ...[formatCount(run.operations), formatCount(run.throttled)],
    `${run.cores.toFixed(2)}${run.cores > CPU_BOUND ? ' (bound by CPU)' : ''}`,
    ...[drain + collecting + report, predicted, simulated].map((each) => formatCount(items / each)),
  ];
}

/** The part of one instance, by phase. */
export function serialTable(serial: SerialResult): string[] {
  const { acceptance, drain, collecting, report, planning, items, chunks } = serial;
  const total = [acceptance, drain, collecting, report].reduce((sum, each) => sum + each.cpuSeconds, 0);
  const row = (name: string, { seconds, cpuSeconds }: Spent): string[] => [
    ...[name, seconds.toFixed(1), cpuSeconds.toFixed(2), `${((cpuSeconds / total) * 100).toFixed(0)} %`],
  ];
  const part = serialPart(serial);
  const verdict = part <= MAX_SERIAL ? 'met' : 'missed';
  return [
    ...markdown([
      [`billing, ${formatCount(items)} items, ${chunks} chunks`, 'wall s', 'CPU s', 'of the CPU'],
      row('acceptance (one instance per upload)', acceptance),
      row('drain (any number of instances)', drain),
      row('collecting (one task per workload)', collecting),
      row('merge and report (the same task)', report),
    ]),
    `Gate and planning, within the drain: ${planning.waves} waves, ${planning.seconds.toFixed(2)} s.`,
    `Only one instance can do ${(part * 100).toFixed(0)} % of the CPU; target at most ${MAX_SERIAL * 100} %: ${verdict}.`,
  ];
}
