import { z } from 'zod'
import { TraceLevel } from '../evidence/trace.ts'
import {
  EvaluationMetric,
  EvidenceCapability,
  Identifier,
  PrimaryMetric,
  SafeRelativePath,
  versioned,
} from '../common.ts'
import { ContextBudget } from '../evidence/context-budget.ts'
import { addressProblem } from '../service-address.ts'

/** The literal that means the platform's own gateway as a judge endpoint. */
export const PLATFORM_GATEWAY = 'platform-gateway'

/** A model as a chat endpoint names it: an alias, or a vendor's own name such as `meta-llama/llama-3.3:70b`. */
export const JudgeModelName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:/@+-]{0,255}$/, 'letters, digits and "_", "-", ".", ":", "/", "@", "+" only')

/** Describes where judges answer: `platform-gateway`, or the address of any chat endpoint. */
export const JudgeEndpoint = z.string().superRefine((text, context) => {
  const message = text === PLATFORM_GATEWAY ? null : addressProblem(text)
  if (message !== null)
    context.addIssue({ code: 'custom', message: message.replace(/^expected/, `expected ${PLATFORM_GATEWAY} or`) })
})

/** Most times that each judge is asked. */
export const MAX_ROTATIONS = 64
/** A judge that prefers a place sees the answers of each question in two orders. */
export const DEFAULT_ROTATIONS = 2
/** Most cells in flight. */
export const MAX_CONCURRENCY = 32

export const JudgePanelSettings = z.strictObject({
  enabled: z.boolean(),
  endpoint: JudgeEndpoint.default(PLATFORM_GATEWAY),
  /** Null sends none. */
  temperature: z.number().min(0).max(2).nullable().default(0),
  /** Null sends nothing. Absent: the platform gateway is sent false, any other endpoint nothing. JUDGE_THINK wins over it. */
  thinking: z.boolean().nullable().optional(),
  models: z.array(JudgeModelName),
  /** States how often each judge is asked, each time in another order; `DEFAULT_ROTATIONS` when not given. */
  rotations: z.int().min(1).max(MAX_ROTATIONS).optional(),
  /** Shows chat judges the ground truth and which questions have no answer; true when not given. */
  reference: z.boolean().optional(),
  /** Judge → family, for names that do not contain it. */
  families: z.record(JudgeModelName, Identifier).optional(),
})
export type JudgePanelSettings = z.infer<typeof JudgePanelSettings>

export const RunSettings = z.strictObject({
  retries: z.int().min(0).max(10).default(1),
  timeout_s: z.number().positive().max(3600).default(420),
  evaluator_timeout_s: z.number().positive().max(3600).default(420),
  concurrency: z.int().min(1).max(MAX_CONCURRENCY).default(1),
  /** Tokens handed to the answerer; unless given, that of the stored run, and 2,000 for a new one. */
  context_budget: ContextBudget.optional(),
  /** States how much each cell keeps of its calls to models, stores and tools; `full` unless given. */
  trace: TraceLevel.optional(),
  /** Free text that names the random stream; numbers are refused so that 1 and "1" cannot differ. */
  seed: z.string().min(1).max(128),
})
export type RunSettings = z.infer<typeof RunSettings>

/** Each repeated entry is a problem of its own, named by its position. */
const distinct = <Entry extends z.ZodType<string>>(list: z.ZodArray<Entry>) =>
  list.superRefine((names, context) => {
    for (const [index, name] of names.entries())
      if (names.indexOf(name) !== index)
        context.addIssue({ code: 'custom', path: [index], message: `${name} is listed twice: remove one of them` })
  })

/** `manifests/evaluation.yaml`: the experiment. */
export const EvaluationManifest = versioned({
  /** Catalogue of the older layout; it may be missing where `manifests/datasets/` has a file. */
  datasets_file: SafeRelativePath.default('manifests/datasets.yaml'),
  flavors_file: SafeRelativePath,
  approaches: z.array(z.strictObject({ model: Identifier, evidence: EvidenceCapability })).min(1),
  metrics: z.strictObject({
    ragas: distinct(z.array(EvaluationMetric)),
    /** Decides about a run; unless given, the first of the list of primary metrics that the run has. */
    primary: PrimaryMetric.optional(),
    /**
     * Largest difference between two approaches that counts as none, as a share of a metric's scale; a tenth unless given. Chosen before the first
     * result: a margin that follows the figures proves nothing.
     */
    equivalence_margin: z.number().min(0.01).max(0.5).optional(),
    /** Leaves answers that a limit of tokens cut out of all scores and tests; off unless given. Declared before the first cell. */
    exclude_cut_answers: z.boolean().optional(),
    judge_panel: JudgePanelSettings,
  }),
  run: RunSettings,
})
export type EvaluationManifest = z.infer<typeof EvaluationManifest>
