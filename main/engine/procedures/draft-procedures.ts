import type { z } from 'zod'
import type { OwnDataset } from '../../../contract/control/own-datasets.ts'
import type { DraftPlan, DraftPlanInput, DraftStep } from '../../../contract/control/drafted-questions.ts'
import { acceptDrafts, addDrafts, readDrafts, rejectDrafts } from '../../manifests/datasets/drafted-questions.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import type { OwnDataset as StoredDataset } from '../../manifests/datasets/own-datasets.ts'
import { loadPrices } from '../../manifests/models/own-prices.ts'
import { ControlFailure } from '../control-failure.ts'
import { draftingModel, draftPlan, type DraftingModel } from '../corpora/drafting-model.ts'
import { draftPower } from '../corpora/draft-power.ts'
import { newestSummaries } from '../run-control/preview-run.ts'
import { draftSteps, planDrafts, type DraftWish, type DraftWork } from '../corpora/draft-questions.ts'
import type { EngineParts } from '../engine-parts.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import { streamInputProblems, withInputProblems } from './input-problems.ts'
import { platformElsewhere, platformOf } from './project-procedures.ts'
import type { InTurn } from '../../lib/one-after-another.ts'

/** Describes how procedures of own datasets find and change one. */
interface OwnDatasets {
  inTurn: InTurn
  /** Refuses datasets of the project. */
  owned: (id: string) => Promise<LadderDataset>
  /** In turn, and not under a run. */
  change: <Result>(work: () => Promise<Result>) => Promise<Result>
  view: (stored: StoredDataset) => Promise<OwnDataset>
}

interface Prepared {
  dataset: LadderDataset
  wish: DraftWish
  model: DraftingModel
  work: DraftWork
}

/** Drafts of questions for a person's own datasets. */
export function draftProcedures(parts: EngineParts, { inTurn, owned, change, view }: OwnDatasets) {
  const { root, env } = parts.config

  const prepare = async (input: z.output<typeof DraftPlanInput>): Promise<Prepared> => {
    const dataset = await owned(input.dataset_id)
    const elsewhere = platformElsewhere(parts) !== null
    const model = draftingModel(await parts.experiment.current(), parts.settings.modelSet, env, elsewhere)
    const { count, hops, classes, documents } = input
    const wish = { count, hops, classes, documents, rules: model.rules }
    return { dataset, wish, model, work: await planDrafts(root, dataset, wish) }
  }

  const planOf = async ({ work, model }: Prepared): Promise<DraftPlan> => draftPlan(work, model, await loadPrices(root))

  async function* steps(
    input: z.output<typeof DraftPlanInput> & { confirmed_calls?: number | undefined },
    signal: AbortSignal,
  ): AsyncGenerator<DraftStep> {
    const { dataset, wish, work, model } = await prepare(input)
    const { length: calls } = work.calls
    if (model.leavesMachine && (input.confirmed_calls ?? 0) < calls)
      throw new ControlFailure(
        'input_invalid',
        `passages would leave this machine in up to ${calls} calls: confirm the plan first`,
        { problems: [{ path: 'confirmed_calls', message: `expected at least ${calls}` }] },
      )
    const platform = await platformOf(parts, dataset.profile.name)
    if (platform === null)
      throw new ControlFailure(
        'run_active',
        'the platform serves another dataset just now: try again later',
        undefined,
        true,
      )
    const { id } = dataset.dataset
    yield* draftSteps({
      dataset,
      wish,
      calls: work.calls,
      passages: work.passages,
      drafts: await readDrafts(root, id),
      platform,
      signal,
      keep: (drafts) => inTurn(() => addDrafts(root, id, drafts)),
    })
  }

  return {
    draftPlan: control.datasets.draftPlan.handler(({ input }) =>
      withInputProblems(async () => planOf(await prepare(input))),
    ),
    draft: control.datasets.draft.handler(({ input, signal }) =>
      withControlErrors(streamInputProblems(steps(input, untilEither(signal, parts.stopping))), parts.report),
    ),
    drafts: control.datasets.drafts.handler(({ input }) =>
      withInputProblems(async () => {
        await owned(input.dataset_id)
        return { drafts: await readDrafts(root, input.dataset_id) }
      }),
    ),
    draftPower: control.datasets.draftPower.handler(({ input }) =>
      withInputProblems(async () => {
        const { questions, dataset } = await owned(input.dataset_id)
        const drafts = await readDrafts(root, input.dataset_id)
        return draftPower(questions, drafts, input.draft_ids, newestSummaries(parts.index, dataset.id))
      }),
    ),
    acceptDrafts: control.datasets.acceptDrafts.handler(({ input }) =>
      change(async () => view(await acceptDrafts(root, await owned(input.dataset_id), input.revision, input.drafts))),
    ),
    rejectDrafts: control.datasets.rejectDrafts.handler(({ input: { dataset_id: id, draft_ids: drafts } }) =>
      inTurn(() =>
        withInputProblems(async () => {
          await owned(id)
          await rejectDrafts(root, id, drafts)
          return { drafts: await readDrafts(root, id) }
        }),
      ),
    ),
  }
}
