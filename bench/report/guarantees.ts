/**
 * The guarantees of each way to process a million items: facts with a source by number, and "own code" for code that
 * the user must write.
 */
import type { ContenderName } from './names.ts';

/** The properties that a user may require, in the order of the columns. */
export interface Guarantees {
  countedOnce: string;
  deadLetters: string;
  afterCrash: string;
  backPressure: string;
  scaleToZero: string;
  idle: string;
}

/** The heads of the columns. */
export const GUARANTEE_HEADS: Readonly<Record<keyof Guarantees, string>> = {
  countedOnce: 'each item counted once',
  deadLetters: 'dead letters',
  afterCrash: 'after a crash',
  backPressure: 'back-pressure',
  scaleToZero: 'scale to zero',
  idle: 'paid for when idle',
};

const OWN = 'own code';

const SCRIPT: Guarantees = {
  countedOnce: OWN,
  deadLetters: OWN,
  afterCrash: 'starts again',
  backPressure: 'reads as it works',
  scaleToZero: 'ends by itself',
  idle: 'nothing',
};

const BULLMQ: Guarantees = {
  countedOnce: OWN,
  deadLetters: 'failed set [2]',
  afterCrash: 'stalled jobs run again [1]',
  backPressure: OWN,
  scaleToZero: OWN,
  idle: 'Redis and a worker',
};

const POSTGRES = {
  backPressure: 'workers fetch; own code for the producer',
  scaleToZero: OWN,
  idle: 'PostgreSQL and a worker',
} as const;

const STORAGE_QUEUE: Guarantees = {
  countedOnce: OWN,
  deadLetters: OWN,
  afterCrash: 'messages come again [5]',
  backPressure: 'the queue waits',
  scaleToZero: OWN,
  idle: 'an instance that polls',
};

/** One row per contender. */
export const GUARANTEES: Readonly<Record<ContenderName, Guarantees>> = {
  sluice: {
    countedOnce: 'yes [7]',
    deadLetters: 'per item, with redrive [7]',
    afterCrash: 'continues where it was [7]',
    backPressure: 'chunks wait in a queue',
    scaleToZero: 'yes [8]',
    idle: 'a topic, and what the platform polls [8]',
  },
  limit: SCRIPT,
  oneThread: SCRIPT,
  bullGrouped: { ...BULLMQ, deadLetters: 'failed set, 5,000 at a time [2]' },
  bullPerItem: BULLMQ,
  pgBoss: {
    ...POSTGRES,
    countedOnce: 'totals in the same database: `transactional` [3]',
    deadLetters: 'a queue, with redrive [3]',
    afterCrash: 'jobs expire and run again [3]',
  },
  graphileWorker: {
    ...POSTGRES,
    countedOnce: OWN,
    deadLetters: 'failed jobs stay in the table [4]',
    afterCrash: 'locked jobs run again after 4 hours [4]',
  },
  listener: STORAGE_QUEUE,
  poller: STORAGE_QUEUE,
  queueTrigger: {
    countedOnce: OWN,
    deadLetters: 'poison queue after 5 tries [6]',
    afterCrash: 'messages come again [5]',
    backPressure: '16 at a time [6]',
    scaleToZero: 'yes',
    idle: 'what the platform polls [6]',
  },
};

/** The sources, by number from 1. Read in November 2026; the packages have the versions in bench/peers/package.json. */
export const SOURCES = [
  'https://docs.bullmq.io/guide/jobs/stalled',
  'https://docs.bullmq.io/guide/queues/auto-removal-of-jobs',
  'pg-boss: README.md, and WorkOptions and QueueOptions in dist/types.d.ts',
  'graphile-worker: is_available in sql/000011.sql, and dist/sql/resetLockedAt.js',
  'https://learn.microsoft.com/rest/api/storageservices/get-messages',
  'https://learn.microsoft.com/azure/azure-functions/functions-bindings-storage-queue',
  'docs/reliability.md',
  'docs/cost.md',
] as const;
