import type { Command } from 'commander';

/** Examples of the commands whose help has none of its own. */
const EXAMPLES: Readonly<Record<string, string>> = {
  watch: 'sluice watch <id> --timeout 600',
  batches: 'sluice batches --state running --label month=2026-03',
  results: 'sluice results <id> --column account --column gross --out gross.csv',
  report: 'sluice report <id> --format csv --out report.csv',
  inbox: 'sluice inbox retry billing/usage.csv',
  open: 'sluice open <id>',
  cancel: 'sluice cancel <id> --wait',
  delete: 'sluice delete <id> --yes',
  overview: 'sluice overview --fresh',
  queues: 'sluice queues --wide',
  queue: 'sluice queue billing-normal-0',
  pause: "sluice pause billing-normal-0 --reason 'ledger is down until 14:00' --for 4h",
  resume: 'sluice resume billing-normal-0',
  drain: 'sluice drain billing-bulk-0',
  history: 'sluice history --from 2026-03-01 --workload billing',
  cost: 'sluice cost --day 2026-03-01',
  sweep: 'sluice sweep',
  health: 'sluice health --deep',
  audit: 'sluice audit --target billing-normal-0',
  logout: 'sluice logout test',
  profiles: 'sluice profiles',
  start: 'sluice start orders.csv --workload orders --once',
  dev: 'sluice dev orders.csv --workload orders',
  package: 'sluice package',
};

/** Adds the examples to the help. */
export function addExamples(program: Command): void {
  for (const command of program.commands) {
    const example = EXAMPLES[command.name()];
    if (example !== undefined) command.addHelpText('after', `\nExample:\n  ${example}`);
  }
}
