import type { HttpResponseInit } from '@azure/functions';
import { sweep } from '../../sweep/sweep.ts';
import type { SweepDeps } from '../../sweep/sweep-run.ts';
import { json } from '../edge/answers.ts';

/** Below the 230 s after which the platform's front end cuts a request, with room for the last slice to finish. */
const BUDGET_MS = 120_000;

/** POST sweep: returns the actions of the sweep, counted by kind. */
export const sweepOverHttp = async (deps: SweepDeps): Promise<HttpResponseInit> => json(await sweep(deps, BUDGET_MS));
