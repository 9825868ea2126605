/** What the platform bills for running functions: computed from how often and how long they run. */
import type { Operations } from '../contract/operations.ts';
import { timesOperations } from './counts.ts';
import { gbSecondsOf } from './price.ts';

/**
 * One execution of `seconds`, as billed. An upper bound: executions that run side by side on an instance share its
 * GB-seconds.
 */
export const executionOf = (seconds: number): Operations => ({
  'functions.execution': 1,
  'functions.gbSecond': gbSecondsOf(seconds),
});

/** Shorter than the least that is billed. */
const SHORT = executionOf(0);

/** Of one event: its wake is over within the least that is billed. */
export const WAKE_EXECUTION: Operations = SHORT;

/** Of the start of an orchestration, beside the operations that start it: one action, and its first episode. */
export const START_EXECUTIONS: Operations = { 'durable.action': 1, ...SHORT };

/**
 * Of the end of a wave of `tasks` tasks, whose own executions are in their slices: two actions for each activity; finish-wave
 * itself; and an episode of the orchestrator after each activity (fewer where several end at once).
 */
export const waveExecutions = (tasks: number): Operations => ({
  'durable.action': 2 * (tasks + 1),
  ...timesOperations(SHORT, tasks + 2),
});
