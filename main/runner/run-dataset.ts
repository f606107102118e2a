import { approachDescriptor, type Alias } from '../../contract/index.ts'
import { plural } from '../../contract/words.ts'
import { checkCorpus } from '../manifests/experiment.ts'
import { checkGold } from '../manifests/gold-problems.ts'
import type { RunSummaryContext } from '../report/run-summary.ts'
import { coldReset } from './cold-reset.ts'
import { watchCorpus } from './corpus-guard.ts'
import { startPlatform, type StartedPlatform } from './dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { finishDataset } from './finish-dataset.ts'
import { askAgain, graphFailure, type Ingestion, ingestionNote, ingestionProvenance, ingestProfile } from './ingest.ts'
import { type At, type Skip, step, type StepFailedError } from './ladder-step.ts'
import { bringToFile } from './open-evidence.ts'
import { PlatformError } from './platform-client.ts'
import { checkAliases, preflight } from './preflight.ts'
import { checkStored, openRunLog, type RunLog } from './run-conditions.ts'
import { cellsNote, runCells, type CellCounts } from './run-cells.ts'
import { contextOf, sumUpCells } from './sum-up-cells.ts'

export interface DatasetOutcome {
  datasetId: string
  status: 'completed' | 'cells_failed' | 'interrupted'
  cells: CellCounts
  context: RunSummaryContext
  /** The step that failed without ending the run: the evaluation of every answer, or the whole judge panel. */
  failure: StepFailedError | null
  /** Why approaches that read the graph were left out; null where none was, and for an interrupted run, which tries again when it is resumed. */
  missing: GraphMissingError | null
}

const needsContextual = ({ aliases }: DatasetRun): boolean =>
  aliases.some(({ base }) => approachDescriptor(base).usesContextual === true)

const readsGraph = ({ base }: Alias): boolean => approachDescriptor(base).usesGraph === true

/** The graph could not be built: the approaches that read it were left out. */
export class GraphMissingError extends Error {
  override readonly name = 'GraphMissingError'
  readonly code = 'graph_missing'
}

/** What was climbed: the run without the approaches that could not answer, and why these could not. */
interface Climbed {
  run: DatasetRun
  cells: CellCounts
  missing: GraphMissingError | null
}

const WHAT_TO_DO = 'choose another model for graph_extract and start a new run'

/**
 * Ingests what the approaches of a run read. Where only the graph fails, the approaches that do not read it go on with what is there, and the others
 * are unavailable. Decision 160.
 */
async function ingestFor(run: DatasetRun, ingestion: Omit<Ingestion, 'graph'>) {
  const others = run.aliases.filter((alias) => !readsGraph(alias))
  const graph = others.length < run.aliases.length
  try {
    return { run, corpus: await ingestProfile({ ...ingestion, graph }), missing: null }
  } catch (error) {
    const reason = graphFailure(error)
    if (reason === null || others.length === 0) throw error
    const corpus = await ingestProfile({ ...ingestion, graph: false })
    const unavailable = run.aliases.filter(readsGraph).map((alias) => ({ alias, reason: `${reason}; ${WHAT_TO_DO}` }))
    const names = unavailable.map(({ alias }) => alias.alias).join(', ')
    const message = `${names} cannot answer: ${reason}. To measure them too, ${WHAT_TO_DO}`
    run.emit({ type: 'notice', level: 'warning', message })
    const missing = new GraphMissingError(message, { cause: error })
    return { run: { ...run, aliases: others, unavailable }, corpus, missing }
  }
}

/** Steps 3 to 6: what needs the platform. It is stopped whatever happens. */
async function climb(run: DatasetRun, at: At, skip: Skip): Promise<Climbed> {
  const profile = run.dataset.profile.name
  // No cell is in flight yet: the first request to stop ends these steps.
  const stop = AbortSignal.any([run.drain, run.abort])
  const started = await at('start', async () => {
    const result = await startPlatform(run)
    return { result, note: result.health?.models === undefined ? undefined : `model set ${result.health.models.set}` }
  })
  try {
    const opened = await at('ingest', async () => {
      const { client, ready } = started
      const datasetId = run.dataset.dataset.id
      const { corpus, ...rest } = await ingestFor(run, { client, profile, datasetId, emit: run.emit, stop, ready })
      // Building contexts calls a model: a run that may not add to its evidence must not come so far.
      const log = await openRunLog(rest.run, started, ingestionProvenance(corpus.record))
      const without = rest.missing === null ? '' : ' · without its graph'
      return { result: { ...rest, log }, note: `${ingestionNote(corpus)}${without}` }
    })
    const { run: answering, missing, log: evidence } = opened
    try {
      return { run: answering, missing, cells: await answerAll(answering, started, evidence, at, skip) }
    } finally {
      await evidence.log.close()
    }
  } finally {
    await started.client.close()
    await started.stop()
  }
}

/** Contexts are built by a route of our own plugin: another platform builds them in its own way. */
const isMissingRoute = (error: unknown): boolean =>
  error instanceof PlatformError && [404, 405, 501].includes(error.status ?? 0)

async function answerAll(
  run: DatasetRun,
  started: StartedPlatform,
  opened: RunLog,
  at: At,
  skip: Skip,
): Promise<CellCounts> {
  if (needsContextual(run))
    await at('contextualize', async () => {
      const { client, ready } = started
      const built = await askAgain((signal) => client.buildContextual(run.dataset.profile.name, signal), {
        emit: run.emit,
        stop: AbortSignal.any([run.drain, run.abort]),
        ready,
      }).catch((error: unknown) => {
        if (run.platform.kind === 'external' && isMissingRoute(error)) return null
        throw error
      })
      if (built === null) return { result: null, note: 'the platform has no route for it, and so builds it itself' }
      const how = built.reused ? 'contexts unchanged' : `${plural(built.blurbs, 'context')} written`
      return { result: null, note: `${plural(built.chunks, 'chunk')}, ${how}` }
    })
  else skip('contextualize', 'no selected approach reads the contextual collection')
  const cells = await at('cells', async () => {
    const { client, ready } = started
    // Only now do the collections exist that an approach needs to be available.
    await checkAliases(client, run.aliases, 'there')
    const { ingestion } = opened.reproducibility
    // A request to stop lets the cells in flight finish, and their answers are checked too.
    const watched = { client, ready, stop: run.abort, emit: run.emit, profile: run.dataset.profile.name }
    const corpus = ingestion === null ? null : await watchCorpus({ ...watched, jobId: ingestion.job_id })
    const result = await runCells(run, started, opened, corpus)
    return { result, note: cellsNote(result) }
  })
  if (run.platform.kind === 'embedded') {
    const { model_calls, alias_calls, model_usage: used = [] } = await started.client.usage()
    const usage = used.length === 0 ? {} : { model_usage: used }
    run.emit({ type: 'usage.reported', dataset_id: run.dataset.dataset.id, model_calls, alias_calls, ...usage })
  }
  return cells
}

/**
 * The ladder procedure for one dataset, steps 1 to 12. Throws `StepFailedError` at the first step that cannot be done; what is durable by
 * then stays, and the next run of the same name reuses it.
 */
export async function runDataset(run: DatasetRun): Promise<DatasetOutcome> {
  const datasetId = run.dataset.dataset.id
  const at: At = (name, action) => step(run.emit, datasetId, name, action)
  const skip: Skip = (name, reason) => run.emit({ type: 'step.skipped', dataset_id: datasetId, step: name, reason })

  await at('validate', async () => {
    await checkCorpus(run.experiment, run.dataset, run.corpusRoot)
    await checkGold(run.experiment.root, run.dataset)
    if (!run.coldReset) await checkStored(run)
    // Before anything is deleted, ingested or paid for.
    await preflight(run, { ingestion: true, judges: true })
    return { result: null }
  })
  if (run.coldReset)
    await at('cold_reset', async () => ({
      result: null,
      note: await coldReset(
        {
          root: run.experiment.root,
          runId: run.runId,
          datasetId,
          files: run.files,
          store: run.store,
          collections: run.platform.stateDir(run.dataset.profile.name),
        },
        run.confirmedDeletions ?? null,
      ),
    }))
  else skip('cold_reset', 'finished cells and collections are kept')

  const { run: answering, cells, missing } = await climb(run, at, skip)
  const context = contextOf(answering)
  await bringToFile(answering)
  if (cells.left > 0) return { datasetId, status: 'interrupted', cells, context, failure: null, missing: null }

  const unfinished = await sumUpCells(answering, context, at)
  const judging = await finishDataset(answering, context, unfinished, at, skip)
  const status = unfinished.unanswered === 0 ? 'completed' : 'cells_failed'
  return { datasetId, status, cells, context, failure: unfinished.evaluation ?? judging, missing }
}
