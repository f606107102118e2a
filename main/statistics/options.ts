import { StatisticsError } from './statistics-error.ts'

export interface ComparisonOptions extends IntervalOptions {
  /** Scores that differ by no more are a tie; 1e-9, which only forgives rounding. */
  tieTolerance?: number
  /** Largest difference that counts as none, as a share of the scale; a tenth. */
  equivalenceMargin?: number
  /** Share of the error that a look may spend, 1 unless looks are corrected for; with 0 no pair is decided. */
  alphaShare?: number
}

/** Describes how intervals are made. The seed names the random streams; everything else has a default. */
export interface IntervalOptions {
  seed: string
  /** 10,000: the ends of a 95 % interval then vary by about 2 % of its width between seeds. */
  resamples?: number
  /** 0.95 */
  level?: number
  /** The method that fits the statistic; interval.ts explains which and why. */
  method?: IntervalMethod
}

/**
 * `student`, `wilson` and `adjusted_student` do not resample: value ± t · cluster-robust error, the interval of a mean of bounded scores,
 * and that of a difference of two means. interval.ts explains which and why.
 */
export type IntervalMethod = 'bca' | 'percentile' | 'student' | 'wilson' | 'adjusted_student'

/** Options with their defaults; throws `bad_input` when one is out of range. */
export function withDefaults(options: IntervalOptions): Required<Omit<IntervalOptions, 'method'>> {
  const { seed, resamples = 10_000, level = 0.95 } = options
  if (!Number.isInteger(resamples) || resamples < 100 || resamples > 1_000_000)
    throw new StatisticsError(
      'bad_input',
      `invalid value for resamples: expected a whole number from 100 to 1,000,000, got ${resamples}`,
    )
  if (!(level > 0.5 && level < 1))
    throw new StatisticsError('bad_input', `invalid value for level: expected a number between 0.5 and 1, got ${level}`)
  return { seed, resamples, level }
}
