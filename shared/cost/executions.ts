/** What the platform bills for function executions, calculated from their number and duration. */
import type { Operations } from '../contract/operations.ts';
import { gbSecondsOf } from './price.ts';
import { timesOperations } from './times-operations.ts';

/**
 * Returns one execution of `seconds` as it is billed. An upper bound: executions that run at the same time on an
 * instance share its GB-seconds.
 */
export const executionOf = (seconds: number): Operations => ({
  'functions.execution': 1,
  'functions.gbSecond': gbSecondsOf(seconds),
});

/** Shorter than the billed minimum. */
const SHORT = executionOf(0);

/**
 * Returns the executions at the end of a wave of `tasks` tasks, whose own executions are counted in their slices: two
 * actions per activity, finish-wave itself, and an episode of the orchestrator after each activity (fewer if several
 * end at the same time).
 */
export const waveExecutions = (tasks: number): Operations => ({
  'durable.action': 2 * (tasks + 1),
  ...timesOperations(SHORT, tasks + 2),
});
