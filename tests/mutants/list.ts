/** All guards whose removal a test must notice, by room. Tests of the whole stack in tests/faults have mutants of their own. */
import { COMMANDS } from './commands.ts';
import { GATE } from './gate.ts';
import { INTAKE } from './intake.ts';
import { LEDGER } from './ledger.ts';
import { LIMITS } from './limits.ts';
import type { Mutant } from './mutant.ts';
import { PROCESSING } from './processing.ts';
import { RESULTS } from './results.ts';
import { SLICES } from './slices.ts';
import { SWEEP } from './sweep.ts';

export const MUTANTS: readonly Mutant[] = [
  ...GATE,
  ...LEDGER,
  ...PROCESSING,
  ...SLICES,
  ...RESULTS,
  ...INTAKE,
  ...COMMANDS,
  ...SWEEP,
  ...LIMITS,
];
