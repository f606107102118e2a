import { approachDescriptor } from '../../contract/approaches.ts'
import type { SharedUse } from '../../contract/evidence/aggregate.ts'
import type { MissingColumn } from '../../contract/evidence/missing-column.ts'
import type { Alias } from '../../contract/manifests/aliases.ts'
import { plural } from '../../contract/words.ts'
import { checkCorpus } from '../manifests/experiment.ts'
import { checkGold } from '../manifests/datasets/gold-problems.ts'
import type { RunSummaryContext } from '../report/aggregate/run-summary.ts'
import { joinedUse } from '../report/aggregate/usage-tally.ts'
import { readAggregate } from '../report/publication/write-artifacts.ts'
import { coldReset, listDeletions, type ResetScope } from './reset/cold-reset.ts'
import { startPlatform, type StartedPlatform } from './platform/dataset-platform.ts'
import type { DatasetRun } from './dataset-run.ts'
import { keepDocumentWarnings } from './ingestion/document-warnings.ts'
import { finishDataset } from './finish/finish-dataset.ts'
import {
  askToWrite,
  graphFailure,
  type Ingestion,
  ingestionNote,
  ingestionProvenance,
  ingestionWarnings,
  ingestProfile,
} from './ingestion/ingest.ts'
import { type At, type Skip, step, type StepFailedError } from './ladder-step.ts'
import { missingRemedy } from '../../core/model-remedies.ts'
import { bringToFile, isStoredRun } from './cells/open-evidence.ts'
import { PlatformError } from './platform/platform-client.ts'
import { checkAliases, preflight } from './prepare/preflight.ts'
import { refuseForeignFiles } from './reset/protected-files.ts'
import { checkStored, openRunLog } from './cells/run-conditions.ts'
import { runCells, type CellCounts } from './cells/run-cells.ts'
import { contextOf, sumUpCells } from './finish/sum-up-cells.ts'

export interface DatasetOutcome {
  datasetId: string
  status: 'completed' | 'cells_failed' | 'interrupted'
  cells: CellCounts
  context: RunSummaryContext
  /** The step that failed without ending the run: a judge panel that could not be asked. */
  failure: StepFailedError | null
  /** Graded metrics and judges without a single value. The rest is scored: such a run is complete. */
  columns: MissingColumn[]
  /** Why approaches that read the graph were left out; null where none was, and for an interrupted run, which tries again when it is resumed. */
  missing: MissingError | null
}

const readsContexts = ({ base }: Alias): boolean => approachDescriptor(base).usesContextual === true

const readsTree = ({ base }: Alias): boolean => approachDescriptor(base).usesTree === true

const readsGraph = ({ base }: Alias): boolean => approachDescriptor(base).usesGraph === true

/** The graph could not be built: the approaches that read it were left out. */
export class GraphMissingError extends Error {
  override readonly name = 'GraphMissingError'
  readonly code = 'graph_missing'
}

/** The contexts of chunks could not be written: the approaches that read them were left out. */
export class ContextsMissingError extends Error {
  override readonly name = 'ContextsMissingError'
  readonly code = 'contexts_missing'
}
export type MissingError = GraphMissingError | ContextsMissingError

/** The run without the approaches that read what could not be made, and the sentence that says so. */
function without(run: DatasetRun, reads: (alias: Alias) => boolean, reason: string, role: string) {
  const whatToDo = missingRemedy(reason, role)
  const unavailable = run.aliases.filter(reads).map((alias) => ({ alias, reason: `${reason}; ${whatToDo}` }))
  const names = unavailable.map(({ alias }) => alias.alias).join(', ')
  const message = `${names} cannot answer: ${reason}. To measure them too, ${whatToDo}`
  run.emit({ type: 'notice', level: 'warning', message })
  const aliases = run.aliases.filter((alias) => !reads(alias))
  return { message, run: { ...run, aliases, unavailable: [...(run.unavailable ?? []), ...unavailable] } }
}

/**
 * Ingests what the approaches of a run read. Where only the graph fails, the approaches that do not read it go on with what is there, and the others
 * are unavailable. Decision 052.
 */
async function ingestFor(run: DatasetRun, ingestion: Omit<Ingestion, 'graph'>) {
  const others = run.aliases.filter((alias) => !readsGraph(alias))
  const graph = others.length < run.aliases.length
  try {
    const retry = run.platform.kind === 'embedded' && !(await isStoredRun(run))
    const corpus = await ingestProfile({ ...ingestion, graph, retry })
    for (const message of ingestionWarnings(corpus)) run.emit({ type: 'notice', level: 'warning', message })
    return { run, corpus, missing: null }
  } catch (error) {
    const reason = graphFailure(error)
    if (reason === null) throw error
    if (others.length === 0)
      throw new GraphMissingError(`${reason}; ${missingRemedy(reason, 'graph_extract')}`, { cause: error })
    const corpus = await ingestProfile({ ...ingestion, graph: false })
    const { message, run: rest } = without(run, readsGraph, reason, 'graph_extract')
    return { run: rest, corpus, missing: new GraphMissingError(message, { cause: error }) }
  }
}

/**
 * The ladder procedure for one dataset, steps 1 to 12. Throws `StepFailedError` at the first step that cannot be done; what is durable by
 * then stays, and the next run of the same name reuses it.
 */
export async function runDataset(run: DatasetRun): Promise<DatasetOutcome> {
  const datasetId = run.dataset.dataset.id
  const at: At = (name, action) => step(run.emit, datasetId, name, action)
  const skip: Skip = (name, reason) => run.emit({ type: 'step.skipped', dataset_id: datasetId, step: name, reason })
  const scope = {
    root: run.experiment.root,
    runId: run.runId,
    datasetId,
    files: run.files,
    store: run.store,
    collections: run.platform.stateDir(run.dataset.profile.name),
  }
  // 1. Validate, before anything is removed, ingested or paid for.
  await at('validate', () => validate(run, scope))
  // 2. Reset, where that was requested.
  if (run.coldReset)
    await at('cold_reset', async () => ({
      result: null,
      note: await coldReset(scope, run.confirmedDeletions ?? null),
    }))
  else skip('cold_reset', 'stored answers and collections are kept')
  // 3. Start the platform with the collections of this dataset.
  const started = await at('start', async () => {
    const result = await startPlatform(run)
    return { result, note: result.health?.models === undefined ? undefined : `model set ${result.health.models.set}` }
  })
  const { answering, missing, cells, ingestionUse } = await whileStarted(started, async () => {
    const startedMs = performance.now()
    // 4. Ingest what the approaches read, and open the evidence under the conditions that are known now.
    const { log, ...ingested } = await at('ingest', () => ingestAndOpen(run, started))
    try {
      // 5. Contextualize, where an approach reads what a model writes about chunks: their contexts, or summaries of clusters of them.
      const isWritten = ingested.run.aliases.some((alias) => readsContexts(alias) || readsTree(alias))
      if (!isWritten) skip('contextualize', 'no selected approach reads the contextual collection')
      const { run: answering, missing } = isWritten
        ? await at('contextualize', () => contextualizeFor(ingested, started))
        : ingested
      const ingestionUse = await ingestionUseOf(answering, started, (performance.now() - startedMs) / 1000)
      // 6. Plan the cells and make those that are missing. Only now do the collections exist that an approach needs to be available.
      const cells = await at('cells', async () => {
        await checkAliases(started.client, answering.aliases, 'there')
        return runCells(answering, started, log)
      })
      await reportUsage(answering, started)
      return { answering, missing, cells, ingestionUse }
    } finally {
      await log.log.close()
    }
  })
  const context = { ...(await contextOf(answering)), ingestionUse }
  await bringToFile(answering)
  if (cells.left > 0)
    return { datasetId, status: 'interrupted', cells, context, failure: null, columns: [], missing: null }
  // 7. and 8. Sum up the rows, and check that every cell has its answer.
  const unfinished = await sumUpCells(answering, context, at)
  // 9. to 12. Judge, summarize again, check the artifacts against the rows, and publish.
  const judging = await finishDataset(answering, context, unfinished, at, skip)
  const status = unfinished.unanswered === 0 ? 'completed' : 'cells_failed'
  const columns = [...unfinished.missing, ...judging.missing]
  return { datasetId, status, cells, context, failure: judging.failure, columns, missing }
}

async function validate(run: DatasetRun, scope: ResetScope): Promise<{ result: null }> {
  const { items } = run.coldReset ? await listDeletions(scope) : { items: [] }
  await refuseForeignFiles(scope, items)
  await checkCorpus(run.experiment, run.dataset, run.corpusRoot)
  await checkGold(run.experiment.root, run.dataset)
  if (!run.coldReset) await checkStored(run)
  await preflight(run, { ingestion: true, judges: true })
  // A start shows the same faults, but only after the reset.
  if (items.length > 0) await run.platform.check?.(run.dataset.profile.name)
  return { result: null }
}

/** The platform is stopped whatever happens. */
async function whileStarted<Result>(started: StartedPlatform, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } finally {
    await started.client.close()
    await started.stop()
  }
}

async function ingestAndOpen(run: DatasetRun, started: StartedPlatform) {
  const { client, ready } = started
  const { dataset, profile } = run.dataset
  // No cell is in flight yet: the first request to stop ends this step.
  const stop = AbortSignal.any([run.drain, run.abort])
  const ingestion = { client, profile: profile.name, datasetId: dataset.id, emit: run.emit, stop, ready }
  const { corpus, ...rest } = await ingestFor(run, ingestion)
  await keepDocumentWarnings(run.experiment.root, dataset.id, corpus.record, run.emit)
  // Building contexts calls a model: a run that may not add to its evidence must not come so far.
  const log = await openRunLog(rest.run, started, ingestionProvenance(corpus.record))
  const gap = rest.missing === null ? '' : ' · without its graph'
  return { result: { ...rest, log }, note: `${ingestionNote(corpus)}${gap}` }
}

/** Contexts are built by a route of our own plugin: another platform builds them in its own way. */
const isMissingRoute = (error: unknown): boolean =>
  error instanceof PlatformError && [404, 405, 501].includes(error.status ?? 0)

/** Collections of what a model writes about chunks, with who reads them. */
const WRITTEN = [
  { what: 'the contexts of chunks', reads: readsContexts, build: buildContexts },
  { what: 'the tree of summaries', reads: readsTree, build: buildTree },
] as const

/** Where contexts or the tree cannot be written, the approaches that do not read them go on. */
async function contextualizeFor(
  given: { run: DatasetRun; missing: MissingError | null },
  started: StartedPlatform,
): Promise<{ result: { run: DatasetRun; missing: MissingError | null }; note: string }> {
  let { run, missing } = given
  const notes: string[] = []
  for (const { what, reads, build } of WRITTEN) {
    if (!run.aliases.some(reads)) continue
    try {
      notes.push(await build(run, started))
    } catch (error) {
      // Without an answer of the platform nothing else would be answered either.
      const isAnswer = error instanceof PlatformError && error.code === 'http_error'
      if (!isAnswer || run.aliases.every(reads)) throw error
      const reason = `${what} could not be written: ${error.message}`
      const { message, run: rest } = without(run, reads, reason, 'contextual_blurb')
      missing ??= new ContextsMissingError(message, { cause: error })
      run = rest
      notes.push('not written; the other approaches go on')
    }
  }
  return { result: { run, missing }, note: notes.join('; ') }
}

/** States what was left out of written files, and how it is made; empty where nothing was. */
const leftOut = (failed: number, what: string, failure: string | null | undefined): string =>
  failed === 0 ? '' : `, ${what} (${failure ?? 'its call failed'}); resume asks again`

async function buildTree(run: DatasetRun, { client, ready }: StartedPlatform): Promise<string> {
  const stop = AbortSignal.any([run.drain, run.abort])
  const build = (signal: AbortSignal) => client.buildTree(run.dataset.profile.name, signal)
  const { chunks, layers, summaries, failed, failure, reused } = await askToWrite(build, {
    emit: run.emit,
    stop,
    ready,
  })
  if (reused) return `tree over ${plural(chunks, 'chunk')} unchanged`
  const without = leftOut(failed, `${plural(failed, 'cluster')} without one`, failure)
  return `tree over ${plural(chunks, 'chunk')}: ${plural(summaries, 'summary', 'summaries')} written in ${plural(layers, 'layer')}${without}`
}

async function buildContexts(run: DatasetRun, { client, ready }: StartedPlatform): Promise<string> {
  const stop = AbortSignal.any([run.drain, run.abort])
  const build = (signal: AbortSignal) => client.buildContextual(run.dataset.profile.name, signal)
  const built = await askToWrite(build, { emit: run.emit, stop, ready }).catch((error: unknown) => {
    if (run.platform.kind === 'external' && isMissingRoute(error)) return null
    throw error
  })
  if (built === null) return 'the platform has no route for it, and so builds it itself'
  const how = built.reused ? 'contexts unchanged' : `${plural(built.blurbs, 'context')} written`
  const damage = built.damage === undefined ? '' : `; ${built.damage}, so it was built again`
  const { failed = 0, failure } = built
  const without = leftOut(failed, `${plural(failed, 'chunk')} without a context`, failure)
  return `${plural(built.chunks, 'chunk')}, ${how}${without}${damage}`
}

async function reportUsage({ platform, dataset, emit }: DatasetRun, { client }: StartedPlatform): Promise<void> {
  if (platform.kind !== 'embedded') return
  const { model_calls, alias_calls, model_usage: used = [] } = await client.usage()
  const usage = used.length === 0 ? {} : { model_usage: used }
  emit({ type: 'usage.reported', dataset_id: dataset.dataset.id, model_calls, alias_calls, ...usage })
}

/** Sums what models used to read the documents so far, with what the stored result has of an earlier start. */
async function ingestionUseOf(
  { platform, files }: DatasetRun,
  { client }: StartedPlatform,
  seconds: number,
): Promise<SharedUse | undefined> {
  const before = (await readAggregate(files.evaluation))?.ingestion_use
  const models = platform.kind === 'embedded' ? ((await client.usage()).model_usage ?? []) : []
  const uses = [...(before === undefined ? [] : [before]), ...(models.length === 0 ? [] : [{ models, seconds }])]
  return uses.length === 0 ? undefined : joinedUse(uses)
}
