import { InvalidArgumentError, Option } from 'commander';
import { type Labels, labelFault, MAX_LABELS } from '../../shared/contract/text/labels.ts';

/** Creates the option for labels, which may be repeated. */
export const labelOption = (description: string): Option =>
  new Option('--label <key=value>', description).argParser(addLabel);

/** Returns the labels as the API accepts them in a query. */
export const labelTexts = (labels: Labels): string[] => Object.entries(labels).map(([key, value]) => `${key}=${value}`);

function addLabel(text: string, before: Labels = {}): Labels {
  const equals = text.indexOf('=');
  const [key, value] = equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
  const fault = equals < 0 ? 'Expected key=value.' : labelFault(key, value);
  if (fault !== undefined) throw new InvalidArgumentError(fault);
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`Label "${key}" is given twice.`);
  if (Object.keys(before).length === MAX_LABELS)
    throw new InvalidArgumentError(`Expected at most ${MAX_LABELS} labels.`);
  return { ...before, [key]: value };
}
