import { expect, it } from 'vitest';
import { loadFigures } from '../../../../web/queues/load-texts.ts';

it.each<[string[], Parameters<typeof loadFigures>[0]]>([
  [
    ['1 instance', 'CPU 0 %', 'event loop 4.2 %', 'storage 3.5 ms', 'oldest work 420 ms'],
    { instances: 1, cpu: 0, eventLoop: 0.042, responseMs: 3.456, latencyMs: 420 },
  ],
  [
    ['12 instances', 'CPU 83 %', 'event loop 100 %', 'storage 128 ms', 'oldest work 4 min 10 s'],
    { instances: 12, cpu: 0.83, eventLoop: 1, responseMs: 127.6, latencyMs: 250_000 },
  ],
  [
    ['2 instances', 'CPU 50 %', 'event loop 50 %', 'storage 1.5 s'],
    { instances: 2, cpu: 0.5, eventLoop: 0.5, responseMs: 1_500, latencyMs: 0 },
  ],
])('the load of a queue reads %j', (texts, load) => expect(loadFigures(load).map(({ text }) => text)).toEqual(texts));
