import type { JSX } from 'preact';
import { formatDuration } from '../../../format.ts';
import { Field } from '../../../ui/form.tsx';

/** Limits of the API, in items per second. */
const [MIN, MAX] = [0.01, 1_000_000];

/** Returns why a rate cannot be sent. An empty rate means no limit. */
export function rateFault(rate: string): string | undefined {
  if (rate === '') return undefined;
  const value = Number(rate);
  return value >= MIN && value <= MAX ? undefined : `The rate must be from ${MIN} to 1,000,000 items per second.`;
}

/** Returns the field of a request for a typed rate; none if it is empty. */
export const rateOf = (rate: string): { ratePerSecond?: number } =>
  rate === '' ? {} : { ratePerSecond: Number(rate) };

export interface RateFieldProps {
  rate: string;
  count: number;
  onChange: (rate: string) => void;
}

/** The maximum number of items per second, and the minimum duration that follows from it. */
export const RateField = ({ rate, count, onChange }: RateFieldProps): JSX.Element => (
  <Field name="Maximum items per second">
    <input
      type="number"
      min={MIN}
      max={MAX}
      step="any"
      placeholder="As fast as the queue runs"
      value={rate}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
    {rate !== '' && rateFault(rate) === undefined && (
      <small>At this rate they take at least {formatDuration((count / Number(rate)) * 1_000)}.</small>
    )}
  </Field>
);
