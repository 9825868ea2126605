import { expect, test } from 'vitest';
import { newGate, toGateEntity } from '../../../shared/gate/gate-row.ts';
import { addWave, MAX_WAVES, readWave, type WaveFigures, type WaveRecord } from '../../../shared/gate/wave-record.ts';

const wave: WaveFigures = {
  ...{ atMs: 1_767_225_600_000, seconds: 12.3, depth: 40, tasks: 3, bound: 'rule', late: false },
  ...{ done: 7, items: 700, throttled: 2, secondsPerReference: 0.25 },
};
const wavesOf = (count: number, each: (nth: number) => WaveFigures): WaveRecord[] =>
  Array.from({ length: count }, (_, nth) => each(nth)).reduce<WaveRecord[]>(addWave, []);

test('a wave is read as it was stored, with its end in whole seconds', () => {
  expect(addWave([], wave).map(readWave)).toEqual([wave]);
  const late = { ...wave, late: true, atMs: wave.atMs + 400, seconds: 12.34, secondsPerReference: 0.123456 };
  expect(addWave([], late).map(readWave)).toEqual([
    { ...wave, late: true, seconds: 12.3, secondsPerReference: 0.1235 },
  ]);
});

test('the latest 30 are kept, oldest first', () => {
  const waves = wavesOf(MAX_WAVES + 5, (depth) => ({ ...wave, depth }));
  expect(waves.map((stored) => readWave(stored).depth)).toEqual(Array.from({ length: 30 }, (_, nth) => nth + 5));
});

test('30 records of maximum size fit into 6 KB of the gate', () => {
  const large = 99_999_999;
  const largest: WaveFigures = {
    ...{ ...wave, late: true, bound: 'saturation', seconds: 1234.5, tasks: 1_000, secondsPerReference: 1234.5678 },
    ...{ depth: large, done: large, items: large * 1_000, throttled: large },
  };
  const { waves } = toGateEntity({ ...newGate('q'), waves: wavesOf(40, () => largest) });
  // JSON escapes quotation marks.
  expect(Buffer.byteLength(JSON.stringify(waves))).toBeLessThanOrEqual(6_144);
});
