import { sweep } from '../../sweep/sweep.ts';
import { json } from '../edge/answers.ts';
import { jsonAnswer, type Route } from '../edge/route.ts';
import { sweepAnswerSchema } from './schemas.ts';
import { sweepAnswer } from './sweep-texts.ts';

/** Below the 230 s after which the platform's front end cuts a request, with room for the last slice to finish. */
const BUDGET_MS = 120_000;

/** The route of the sweep. */
export const SWEEP_ROUTES = [
  {
    name: 'run-sweep',
    method: 'POST',
    path: 'sweep',
    audience: ['operator'],
    summary: 'Sweep now: repair lost work; the last step of a deployment',
    answers: [jsonAnswer(200, 'The actions of the sweep', sweepAnswerSchema)],
    problems: [],
    wakes: true,
    handler: (app) => async (_request, drains) => json(sweepAnswer(await sweep(app.sweepDeps(drains), BUDGET_MS))),
  },
] as const satisfies readonly Route[];
