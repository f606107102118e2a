// Tunings as the panel plans, starts and shows them. Decision 227.
import { z } from 'zod'
import { count, Identifier } from '../common.ts'
import { ContextTokens } from '../evidence/context-budget.ts'
import { SearchMethod, TunedMetric, TuningName } from '../evidence/tuning.ts'
import { InputProblem } from './control-error.ts'

/** Names what the panel tunes; the command `tune` has the same options. */
export const TuneInput = z.strictObject({
  dataset_id: Identifier,
  alias: Identifier,
  /** `values` as the command line takes them: `0,0.5,1` or `0:1:0.25`. */
  ranges: z
    .array(z.strictObject({ name: Identifier, values: z.string().max(4000) }))
    .min(1)
    .max(20),
  /** Null for the primary metric of the project where a trial can compute it, else facts found. */
  metric: TunedMetric.nullable().default(null),
  /** Tokens handed over in every trial; that of the project when absent. */
  context_budget: ContextTokens.optional(),
  search: SearchMethod.default('grid'),
  /** Settings that are drawn; null for a grid. */
  trials: z.int().min(1).max(1000).nullable().default(null),
  seed: z.string().min(1).max(100).default('1'),
  /** Share of the questions that no trial sees. */
  holdout: z.number().gt(0).max(0.9).default(0.5),
  /** Writes an answer to each question too. */
  answers: z.boolean().default(false),
  /** Opens the holdout for the winner. */
  confirm: z.boolean().default(true),
  model_set: Identifier.optional(),
})
export type TuneInput = z.infer<typeof TuneInput>

/** States what a tuning would do, a sentence each; or why it cannot be. */
export const TunePlan = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    name: TuningName,
    lines: z.array(z.string()),
    /** Settings besides the alias as it is. */
    settings: count,
    /** Most questions that are asked. */
    asked: z.strictObject({ development: count, holdout: count }),
    /** True where some of its trials are done: it goes on with them. */
    is_started: z.boolean(),
  }),
  z.strictObject({ ok: z.literal(false), problems: z.array(InputProblem) }),
])
export type TunePlan = z.infer<typeof TunePlan>

/** stopped: trials are missing, and no process of this engine makes them. */
export const TuningState = z.enum(['running', 'stopped', 'failed', 'done'])
export type TuningState = z.infer<typeof TuningState>

export const TuningHead = z.strictObject({
  name: TuningName,
  state: TuningState,
  dataset_id: Identifier,
  alias: Identifier,
  tuned: z.array(z.string()),
  metric: TunedMetric,
  context_budget: z.int(),
  started_at: z.string(),
  /** Trials that are done, and most that there will be; the holdout is not counted. */
  trials: z.strictObject({ done: count, total: count }),
  /** States the result; null until it is done. */
  sentence: z.string().nullable(),
  /** Why it failed; null where it did not. */
  failure: z.string().nullable(),
  /** True where the panel can let it go on: it was started here. */
  resumable: z.boolean(),
})
export type TuningHead = z.infer<typeof TuningHead>

const Setting = z.strictObject({
  setting: count,
  words: z.string(),
  mean: z.number().nullable(),
  tokens: z.number().nullable(),
  seconds: z.number().nullable(),
  questions: count,
  failed: count,
  /** On development, corrected over all settings; null where nothing was tested. */
  p: z.number().nullable(),
  complete: z.boolean(),
  frontier: z.boolean(),
})

/** Mean over all settings with both values of two parameters; null where none was tried. */
const TuningMap = z.strictObject({
  names: z.tuple([z.string(), z.string()]),
  rows: z.array(z.string()),
  columns: z.array(z.string()),
  cells: z.array(z.array(z.number().nullable())),
  low: z.number(),
  high: z.number(),
})

/** One look at the holdout of a dataset, by any tuning. */
const Opening = z.strictObject({
  at: z.string(),
  tuning: z.string(),
  alias: z.string(),
  winner: z.string(),
  metric: z.string(),
  questions: count,
})

export const TuningDetail = z.strictObject({
  head: TuningHead,
  /** Lines of what is under way, the newest last; empty for others. */
  progress: z.array(z.string()),
  result: z
    .strictObject({
      /** Describes it, as name and text. */
      facts: z.array(z.tuple([z.string(), z.string()])),
      settings: z.array(Setting),
      /** Number of the winner; 0 where no setting is better than the alias as it is. */
      winner: count,
      /** Winner minus the alias as it is on the holdout; null where the holdout is sealed or nothing was tested. */
      confirmed: z
        .strictObject({ difference: z.number(), low: z.number(), high: z.number(), level: z.number() })
        .nullable(),
      map: TuningMap.nullable(),
      /** Parameters that a map can have. */
      mappable: z.array(z.string()),
      /** Why the winner is no flavor; null where it can be saved as one. */
      not_saved: z.string().nullable(),
    })
    .nullable(),
  /** All openings of the holdout of its dataset, the first one first. */
  openings: z.array(Opening),
  /** Lists questions of the holdout that are not as they were when it was sealed, a sentence each; empty where all are. */
  edited: z.array(z.string()),
})
export type TuningDetail = z.infer<typeof TuningDetail>

export const TuningInput = z.strictObject({
  name: TuningName,
  /** The two parameters of the map; the first two that have one when absent. */
  map: z.tuple([z.string(), z.string()]).optional(),
})
export const NamedTuning = z.strictObject({ name: TuningName })
export const SaveWinnerInput = z.strictObject({ name: TuningName, flavor: Identifier })
