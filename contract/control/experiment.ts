import { z } from 'zod'
import { BaseApproach } from '../approaches.ts'
import { count, EvaluationMetric, EvidenceCapability, Identifier, PrimaryMetric } from '../common.ts'
import { PublishedRun } from '../manifests/datasets.ts'
import { JudgePanelSettings, RunSettings } from '../manifests/evaluation.ts'
import { OwnFlavor } from '../manifests/flavors.ts'
import { DeclaredSet } from '../manifests/models.ts'

export const DatasetView = z.strictObject({
  id: Identifier,
  /** A person's own, which can be edited; others are part of the project. */
  own: z.boolean(),
  label: z.string(),
  description: z.string(),
  /** The rung; 0 is the smoke set. */
  complexity_level: z.int(),
  questions: count,
  /** Questions whose gold evidence is named. */
  with_gold: count,
  with_ground_truth: count,
  unanswerable: count,
  published: PublishedRun.nullable(),
})
export type DatasetView = z.infer<typeof DatasetView>

export const AliasView = z.strictObject({
  alias: Identifier,
  /** A person's own, which can be changed and removed; others are part of the project. */
  own: z.boolean(),
  /** Decides the colour. */
  base: BaseApproach,
  /** Null for the base alias. */
  flavor: Identifier.nullable(),
  experimental: z.boolean(),
  evidence: EvidenceCapability,
  requires_reingest: z.boolean(),
  parameters: z.record(z.string(), z.json()),
  /** Holds what a flavor of one's own can set, with the values of this alias; null where there is nothing. */
  settable: z.record(z.string(), z.json()).nullable(),
  /** True for one of the six canonical approaches. */
  canonical: z.boolean(),
  /** True where a run has it unless its approaches are chosen: the canonical ones and the keyword baseline. */
  by_default: z.boolean(),
})
export type AliasView = z.infer<typeof AliasView>

/** Replaces the person's own flavor of that name. */
export const SaveFlavorInput = z.strictObject({ name: Identifier, flavor: OwnFlavor })

export const ModelSetView = z.strictObject({
  name: Identifier,
  description: z.string(),
  is_default: z.boolean(),
  /** A person's own, which can be changed and removed. */
  own: z.boolean(),
  roles: z.record(
    z.string(),
    z.strictObject({
      backend: z.string(),
      model: z.string(),
      cloud: z.boolean(),
      /** States what calls have taught of the model; empty where nothing is known. */
      known: z.array(z.string()),
      /** When a call last taught something of it; null before, and for backends of which nothing is kept. */
      learned_at: z.iso.datetime().nullable(),
    }),
  ),
  /** As it is written, to be edited. */
  declared: DeclaredSet,
})
export type ModelSetView = z.infer<typeof ModelSetView>

/** The project's manifests as a page needs them. */
export const ExperimentView = z.strictObject({
  project: Identifier,
  datasets: z.array(DatasetView),
  aliases: z.array(AliasView),
  metrics: z.array(
    z.strictObject({
      metric: EvaluationMetric,
      /** Asked for by the manifest. */
      requested: z.boolean(),
      needs_contexts: z.boolean(),
      needs_ground_truth: z.boolean(),
    }),
  ),
  /** Holds what the manifest declares to be the primary metric; null leaves it to what a run has. */
  primary_metric: PrimaryMetric.nullable(),
  /** True where the manifest leaves answers that a limit of tokens cut out of all scores. */
  exclude_cut_answers: z.boolean(),
  model_sets: z.array(ModelSetView),
  /** As the manifest defines, except the number of concurrent cells from settings or environment. */
  run: RunSettings,
  /** Answers per question where a request leaves them open. */
  repeats: z.int().min(1),
  judge_panel: z.strictObject({
    /** Manifest and environment laid over each other. */
    settings: JudgePanelSettings,
    /** Judges that need no endpoint. */
    builtin: z.array(z.string()),
    /** Why the panel could not judge as it is set up; null when it could, or is disabled. */
    problem: z.string().nullable(),
  }),
  /** Datasets of a person's own that are left out: the file that cannot be used, and why. */
  unusable: z.array(z.strictObject({ id: z.string(), file: z.string(), problems: z.array(z.string()) })),
})
export type ExperimentView = z.infer<typeof ExperimentView>
