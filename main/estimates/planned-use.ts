// Estimates a run part by part: reading the documents, answers, grades and verdicts of judges. Past runs of this machine with the same models come first, then
// three calls of the model; a part of which neither is known has nulls.
import { readdir, stat } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { approachDescriptor } from '../../contract/approaches.ts'
import type { ExpectedWork, PlannedPart } from '../../contract/control/expected-work.ts'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { ModelUsage } from '../../contract/evidence/model-usage.ts'
import type { RunPlan } from '../../contract/evidence/run-event.ts'
import type { BaseApproach } from '../../contract/approaches.ts'
import {
  isCloudModel,
  isRuleBased,
  isService,
  modelNameOf,
  type ModelChoice,
} from '../../contract/manifests/model-backends.ts'
import type { ModelRole, ModelSet } from '../../contract/manifests/models.ts'
import { costOf, type Cost } from '../../contract/manifests/prices.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { sumOfUse } from '../../core/planned-use-words.ts'
import { isBuiltinName } from '../judge/builtin/builtin-judges.ts'
import { corpusDigest } from '../manifests/datasets/corpus-digest.ts'
import type { LadderDataset } from '../manifests/experiment.ts'
import { calibrationsOf } from '../runner/prepare/calibrations.ts'
import { expectedCost } from '../runner/prepare/expected-cost.ts'
import { countsFor, expectedWork, gradingEmbeddings } from '../runner/prepare/expected-work.ts'
import { cellsInOrder, type CellPlan } from '../runner/cells/ladder-cells.ts'
import { judgesToTest } from '../runner/prepare/judges-to-test.ts'
import { rotationsOf } from '../runner/finish/panel-rotations.ts'
import { filesOf, type PreparedRun } from '../runner/prepare/prepare-run.ts'
import { storedIngestion } from '../runner/ingestion/stored-ingestion.ts'
import { storedReadings, unchangedFiles } from './stored-readings.ts'
import { storedVerdicts } from './stored-verdicts.ts'

type Part = Omit<PlannedPart, 'part'>

const UNKNOWN: Part = { calls: null, ms: null, cost: null, source: null }
const KEPT: Part = { calls: 0, ms: 0, cost: null, source: 'kept' }

interface Planning {
  run: PreparedRun
  dataset: LadderDataset
  /** Null for a platform elsewhere, whose models are not known. */
  set: ModelSet | null
  /** Summaries of runs of this machine with the same models, newest first. */
  past: readonly Aggregate[]
  work: ExpectedWork
  /** Time of a call that writes, of an answer in past runs; null without rows. */
  msPerCall: number | null
  /** Approaches of which the run has rows, which are made after the ingestion. */
  stored: readonly BaseApproach[]
  /** Counts a judge's calls about a question. */
  rotations: number
  /** The judge of each verdict that is stored. */
  verdicts: readonly string[]
}

/** Estimates a run of a dataset: `work` for the answers approach by approach, and every part with time, calls and cost. `cells` is the plan of a run that has rows. Makes no call. */
export async function plannedUse(
  run: PreparedRun,
  dataset: LadderDataset,
  plan: Pick<RunPlan, 'run' | 'resume_answered'>,
  summaries: AsyncIterable<Aggregate> | Iterable<Aggregate>,
  cells: CellPlan | null = null,
): Promise<{ work: ExpectedWork; parts: PlannedPart[]; expected_cost: Cost | null; verdicts: number }> {
  const all = await Array.fromAsync(summaries)
  const { models } = run.experiment
  const set = run.inputs.gatewayUrl === null ? (models.sets[run.modelSet ?? models.default_set] ?? null) : null
  const past = all.filter(countsFor(run, dataset))
  const estimated = await expectedWork(run, dataset, plan.run, all)
  const work = withEmbeddings(run, set, past, estimated)
  const { enabled, models: judges } = run.judgePanel
  const kept = enabled && cells !== null ? filesOf(run, dataset.dataset.id).judgments : null
  const rotations = await rotationsOf(run.judgePanel, kept)
  const verdicts = await storedVerdicts(run, dataset, cells, rotations)
  const stored = storedApproaches(run, dataset, cells)
  const planning: Planning = {
    run,
    dataset,
    set,
    msPerCall: msPerCall(estimated),
    work,
    past,
    stored,
    rotations,
    verdicts,
  }
  const ofAnswers = all.map((past) => ({ ...past, approaches: past.approaches.map(withoutGrading) }))
  const answerCalls = sumOf(work.approaches.map(({ answer_calls: calls }) => calls))
  const answers: Part = {
    calls: answerCalls === null ? null : Math.round((answerCalls * plan.run) / Math.max(1, work.approaches.length)),
    ms: work.estimated_ms,
    cost: await expectedCost(run, dataset, plan.run, ofAnswers),
    source: work.estimated_ms === null ? null : work.rows > 0 ? 'rows' : 'calls',
  }
  const scored = plan.run + plan.resume_answered
  const parts: [PlannedPart['part'], Part | null][] = [
    ['ingestion', plan.run === 0 ? null : await ingestionPart(planning)],
    ['answers', plan.run === 0 ? { ...answers, calls: 0, ms: 0, source: 'kept' } : answers],
    ['grading', scored === 0 ? null : gradingPart(planning, scored)],
    ['judging', judgingPart(planning)],
  ]
  const known = parts.flatMap(([part, of]) => (of === null ? [] : [{ part, ...of }]))
  const costs = known.flatMap(({ cost }) => (cost === null ? [] : [cost]))
  const expected = costs.length === 0 ? null : joinedCost(costs, run)
  return {
    work: { ...work, model_calls: sumOfUse(known).calls },
    parts: known,
    expected_cost: expected,
    verdicts: enabled ? judges.length * rotations * dataset.questions.length - verdicts.length : 0,
  }
}

/** Adds what past runs counted beside the calls that write: the embedding of questions and reranking by a service. Without rows, one embedding where the approach searches by it. */
function withEmbeddings(
  { aliases }: PreparedRun,
  set: ModelSet | null,
  past: readonly Aggregate[],
  work: ExpectedWork,
): ExpectedWork {
  const approaches = work.approaches.map((approach, place) => {
    const { answer_calls: calls, calibrated } = approach
    const { alias, base, flavor } = aliases[place]!
    if (calls === null) return approach
    if (calibrated) {
      const { encoder } = approachDescriptor(base).protocol(flavor.parameters, { hasBudget: false })
      const embeds = typeof encoder !== 'string' && set !== null && !isRuleBased(set.roles.embed.backend)
      return { ...approach, answer_calls: calls + (embeds ? 1 : 0) }
    }
    const used = past
      .flatMap(({ approaches: measured }) => measured)
      .filter(({ model, cells, usage }) => model === alias && cells.ok > 0 && usage !== undefined)
    const answers = used.reduce((sum, { cells }) => sum + cells.ok, 0)
    const all = used.reduce((sum, { usage }) => sum + callsIn(usage!.answers), 0)
    // Rules that write are calls of models in rows, and use nothing.
    return answers === 0 ? approach : { ...approach, answer_calls: Math.max(calls, all / answers) }
  })
  return { ...work, approaches }
}

function storedApproaches(
  { runId, aliases, repeats, experiment }: PreparedRun,
  dataset: LadderDataset,
  cells: CellPlan | null,
): BaseApproach[] {
  if (cells === null) return []
  const stored = new Set([...cells.resume.reuse, ...cells.resume.answered])
  const { retryOf } = cells
  const all = cellsInOrder({ runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf })
  return [...new Set([...all].flatMap(({ rowId, alias }) => (stored.has(rowId) ? [alias.base] : [])))]
}

const withoutGrading = (approach: Aggregate['approaches'][number]): Aggregate['approaches'][number] =>
  approach.usage === undefined ? approach : { ...approach, usage: { ...approach.usage, grading: [] } }

const sumOf = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((sum, value) => (sum === null || value === null ? null : sum + value), 0)

const joinedCost = (costs: readonly Cost[], { prices }: PreparedRun): Cost => ({
  amount: costs.reduce((sum, { amount }) => sum + amount, 0),
  currency: prices.currency,
  unknown: [...new Set(costs.flatMap(({ unknown }) => unknown))],
})

const isPaid = (usages: readonly ModelUsage[]): boolean => usages.some(({ cloud }) => cloud)
const callsIn = (usages: readonly ModelUsage[]): number => usages.reduce((sum, { calls }) => sum + calls, 0)

/** Estimates `calls` of a model with so many at a time, by three calls of it; its time by the answers of past runs where the same model wrote them. */
function byCalls(
  { run, set, msPerCall: measured }: Planning,
  choice: ModelChoice,
  calls: number,
  atOnce: number,
): Part {
  const calibration = calibrationsOf(run.root)(choice)
  const answering = set?.roles.light_gen
  const isSame = answering !== undefined && canonicalJson(answering) === canonicalJson(choice)
  const ms = calibration?.latency_ms ?? (isSame ? measured : null)
  // A file of weights answers one call at a time.
  const side = isService(choice.backend) ? atOnce : 1
  const { input_tokens: input = null, output_tokens: output = null } = calibration ?? {}
  const { currency } = run.prices
  const usage = (): ModelUsage => ({
    model: calibration!.model,
    cloud: true,
    calls: Math.max(1, calls),
    unreported: 0,
    input_tokens: Math.round(calls * input!),
    output_tokens: Math.round(calls * output!),
  })
  const cost = !isCloudModel(choice)
    ? null
    : calls === 0
      ? { amount: 0, currency, unknown: [] }
      : input === null || output === null
        ? { amount: 0, currency, unknown: [`no call of ${modelNameOf(choice)} was measured`] }
        : costOf([usage()], run.prices)
  return {
    calls,
    ms: ms === null ? null : (calls * ms) / side,
    cost,
    source: ms === null ? null : calibration === null ? 'rows' : 'calls',
  }
}

/** Time of a model call of an answer in past runs; null without rows. */
function msPerCall({ approaches }: ExpectedWork): number | null {
  const timed = approaches.filter(
    ({ rows, latency_ms: ms, answer_calls: calls }) => rows > 0 && ms !== null && (calls ?? 0) > 0,
  )
  const sum = (of: (work: (typeof timed)[number]) => number): number =>
    timed.reduce((total, work) => total + of(work), 0)
  return timed.length === 0 ? null : sum(({ latency_ms: ms }) => ms!) / sum(({ answer_calls: calls }) => calls!)
}

const together = (parts: readonly Part[], run: PreparedRun): Part => {
  const costs = parts.flatMap(({ cost }) => (cost === null ? [] : [cost]))
  const ms = sumOf(parts.map((part) => part.ms))
  return {
    calls: sumOf(parts.map(({ calls }) => calls)),
    ms,
    cost: costs.length === 0 ? null : joinedCost(costs, run),
    source: ms === null ? null : (parts.find(({ source }) => source === 'calls')?.source ?? parts[0]?.source ?? null),
  }
}

/** Most characters of a chunk that the graph is read from, calls for it (one asks for what was left out), and how many chunks are read at a time. */
const EXTRACTION = { chunk: { chunk_size: 4800, overlap: 0 }, calls: 2, atOnce: 2 }
const CONTEXTS = { calls: 1, atOnce: 4 }
/** Chunks end at a paragraph or a sentence: they are filled so far on average. */
const FILLED = 0.8
/** Formats whose size in bytes tells how many chunks they become; others are converted first. */
const PLAIN = ['.md', '.markdown', '.txt']

/** Texts in one request for embeddings; a chunk that the graph is read from adds about so many: itself, its entities and its relations. */
const EMBEDDED = { plainAtOnce: 32, otherAtOnce: 64, ofGraphChunk: 20 }
/** From eight descriptions on, a model joins those of a name: with so many chunks some names have them, about one for five chunks. */
const JOINED = { leastChunks: 8, chunks: 5 }
/** Bytes of a token of a service, about. */
const TOKEN_BYTES = 4

/** The documents and their sizes; null where these do not show how many chunks they become. */
async function textFiles({ run, dataset: { dataset } }: Planning): Promise<{ path: string; bytes: number }[] | null> {
  const folder = join(run.experiment.root, dataset.corpus_path)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  if (files.length === 0 || files.some(({ name }) => !PLAIN.includes(extname(name).toLowerCase()))) return null
  const paths = files.map(({ parentPath, name }) => resolve(parentPath, name))
  return Promise.all(paths.map(async (path) => ({ path, bytes: (await stat(path)).size })))
}

type Chunker = ReturnType<typeof chunkerOf>
const chunksIn = (bytes: number, { chunk_size: size, overlap }: Chunker): number =>
  Math.max(1, Math.ceil((bytes - overlap) / (size * FILLED - overlap)))

/** Counts the chunks that a model will be asked about, and those whose result is stored; null where they cannot be counted. */
async function chunksOf(
  planning: Planning,
  kind: 'graph' | 'contexts',
  choice: ModelChoice,
  chunker: Chunker,
): Promise<{ open: number; stored: number } | null> {
  const { root, request } = planning.run
  const { name } = planning.dataset.profile
  const files = await textFiles(planning)
  if (files === null) return null
  const readings = request.cold_reset ? 0 : storedReadings(root, name, kind, choice)
  const paths = files.map(({ path }) => path)
  const unchanged = readings === 0 ? new Set() : await unchangedFiles(root, name, paths)
  let [all, kept] = [0, 0]
  for (const { path, bytes } of files) {
    const chunks = chunksIn(bytes, chunker)
    all += chunks
    if (unchanged.has(path)) kept += chunks
  }
  // Once every document is read, all chunks are, whatever their estimated number is.
  const isComplete = unchanged.size === paths.length && readings >= kept
  const stored = isComplete ? all : Math.min(readings, kept)
  return { open: all - stored, stored }
}

/** What of reading the documents is for some approaches only. */
const READINGS = ['usesGraph', 'usesContextual', 'usesTree'] as const
type Reading = (typeof READINGS)[number]
const reads = (base: BaseApproach, kind: Reading): boolean => approachDescriptor(base)[kind] === true
const WRITERS: Record<Reading, ModelRole> = {
  usesGraph: 'graph_extract',
  usesContextual: 'contextual_blurb',
  usesTree: 'light_gen',
}

/** Embedding the chunks of the documents unless they are stored, and what is made of them for `kinds`. Its time is not known. */
async function embeddingPart(planning: Planning, choice: ModelChoice, kinds: readonly Reading[], isStored: boolean) {
  const files = await textFiles(planning)
  if (files === null) return UNKNOWN
  const chunks = (chunker: Chunker): number => files.reduce((sum, { bytes }) => sum + chunksIn(bytes, chunker), 0)
  const ofCorpus = chunks(chunkerOf(planning.dataset))
  const ofKind = (kind: Reading): number =>
    kind === 'usesGraph' ? chunks(EXTRACTION.chunk) * EMBEDDED.ofGraphChunk : ofCorpus
  const requests = [
    ...(isStored ? [] : [ofCorpus / EMBEDDED.plainAtOnce]),
    ...kinds.map((kind) => ofKind(kind) / EMBEDDED.otherAtOnce),
  ].map(Math.ceil)
  const calls = requests.reduce((sum, each) => sum + each, 0)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const usage: ModelUsage = {
    model: modelNameOf(choice),
    cloud: true,
    calls,
    unreported: 0,
    input_tokens: Math.round((requests.length * bytes) / TOKEN_BYTES),
    output_tokens: 0,
  }
  return { ...UNKNOWN, calls, cost: isCloudModel(choice) ? costOf([usage], planning.run.prices) : null }
}

/** Model calls that write contexts of chunks or a graph of them, and how many chunks are done before. */
async function writingPart(planning: Planning, kind: Reading, choice: ModelChoice) {
  if (kind === 'usesTree') return { part: UNKNOWN, stored: 0 }
  const isGraph = kind === 'usesGraph'
  const chunks = await (isGraph
    ? chunksOf(planning, 'graph', choice, EXTRACTION.chunk)
    : chunksOf(planning, 'contexts', choice, chunkerOf(planning.dataset)))
  if (chunks === null) return { part: UNKNOWN, stored: 0 }
  const { open, stored } = chunks
  const all = open + stored
  const joins = isGraph && all >= JOINED.leastChunks ? Math.round(all / JOINED.chunks) : 0
  const { calls, atOnce } = isGraph ? EXTRACTION : CONTEXTS
  return { part: open === 0 ? KEPT : byCalls(planning, choice, open * calls + joins, atOnce), stored }
}

/** Reading the documents: what models write of them, and their embedding. Null where rules read them, or a model of this machine embeds them and rules do the rest. */
async function ingestionPart(planning: Planning): Promise<Part | null> {
  const { run, set, past, stored } = planning
  const kinds = READINGS.filter((kind) => run.aliases.some(({ base }) => reads(base, kind)))
  if (set === null) return kinds.length === 0 ? null : UNKNOWN
  const written = kinds.filter((kind) => !isRuleBased(set.roles[WRITERS[kind]].backend))
  const { embed } = set.roles
  const isEmbedded = !isRuleBased(embed.backend)
  if (written.length === 0 && !isService(embed.backend)) return null
  const covers = ({ approaches }: Aggregate, kind: Reading): boolean =>
    approaches.some(({ base_model: base, cells }) => cells.ok > 0 && reads(base, kind))
  const isCold = run.request.cold_reset
  const current = isCold ? [] : await runsOfStoredCollections(planning)
  const isMade = (kind: Reading): boolean =>
    !isCold && (stored.some((base) => reads(base, kind)) || current.some((one) => covers(one, kind)))
  const isRead = !isCold && (stored.length > 0 || current.length > 0)
  const left = kinds.filter((kind) => !isMade(kind))
  const open = left.filter((kind) => written.includes(kind))
  const embedding =
    isEmbedded && (!isRead || left.length > 0) ? await embeddingPart(planning, embed, left, isRead) : null
  const counted = await Promise.all(open.map((kind) => writingPart(planning, kind, set.roles[WRITERS[kind]])))
  const parts = counted.map(({ part }) => part).filter(({ source }) => source !== 'kept')
  if (parts.length === 0 && embedding === null) return KEPT
  // A past run read everything, so its time and calls are no estimate of a part.
  const isPart = open.length < written.length || counted.some((each) => each.stored > 0)
  const needed = isEmbedded ? kinds : written
  const isOfMore = ({ approaches }: Aggregate): boolean =>
    written.length === 0 &&
    READINGS.some((kind) => !kinds.includes(kind) && approaches.some(({ base_model: base }) => reads(base, kind)))
  const covering = past.filter((one) => !isPart && needed.every((kind) => covers(one, kind)) && !isOfMore(one))
  const use = covering
    .flatMap(({ ingestion_use: found }) => (found === undefined ? [] : [found]))
    .toSorted((one, other) => callsIn(other.models) - callsIn(one.models))[0]
  if (use !== undefined)
    return {
      calls: callsIn(use.models),
      ms: use.seconds === null ? null : use.seconds * 1000,
      cost: isPaid(use.models) ? costOf(use.models, run.prices) : null,
      source: 'rows',
    }
  if (embedding === null) return together(parts, run)
  // Beside calls that write, embeddings take next to no time.
  return parts.length === 0 ? embedding : together([...parts, { ...embedding, ms: 0 }], run)
}

/** Past runs that answered from the collections that are stored now, of the documents as they are. */
async function runsOfStoredCollections({ run, dataset: { dataset, profile }, past }: Planning): Promise<Aggregate[]> {
  const job = storedIngestion(run.root, profile.name)
  const ofJob = past.filter(
    ({ reproducibility }) => typeof job === 'string' && reproducibility?.ingestion?.job_id === job,
  )
  if (ofJob.length === 0) return []
  const { digest } = await corpusDigest(resolve(run.experiment.root, dataset.corpus_path))
  return ofJob.filter(({ reproducibility }) => digest === null || reproducibility!.ingestion!.content_digest === digest)
}

/** Sizes in characters; a token has six letters, as contexts are counted. */
function chunkerOf({ profile: { chunker } }: LadderDataset): { chunk_size: number; overlap: number } {
  const letters = chunker.strategy === 'token' ? 6 : 1
  return { chunk_size: chunker.chunk_size * letters, overlap: chunker.overlap * letters }
}

/** Graded metrics of so many answers; null where rules grade. Past runs show calls, time and cost; where their rows record no time, it is that of single calls. */
function gradingPart(planning: Planning, scored: number): Part | null {
  const { run, set, past, work } = planning
  if (run.metrics.length === 0) return null
  const choice = set?.roles.evaluator
  if (choice !== undefined && isRuleBased(choice.backend)) return null
  const each = scored / Math.max(1, work.approaches.length)
  const perAnswer = sumOf(work.approaches.map(({ grading_calls: calls }) => calls))
  if (choice === undefined || perAnswer === null) return UNKNOWN
  const calls = Math.round(perAnswer * each)
  const { concurrency } = run.experiment.evaluation.run
  // Time and price of the calls that write; embeddings take next to none.
  const writes = Math.max(0, calls - gradingEmbeddings(run) * scored)
  const bySample = { ...byCalls(planning, choice, writes, concurrency), calls }
  const msPerAnswer = sumOf(work.approaches.map(({ grading_ms: ms }) => ms))
  const estimated: Part =
    msPerAnswer === null ? bySample : { ...bySample, ms: (msPerAnswer * each) / concurrency, source: 'rows' }
  if (!isCloudModel(choice)) return estimated
  const usages = run.aliases.map(({ alias }) =>
    past
      .flatMap(({ approaches }) => approaches)
      .find(({ model, cells, usage }) => model === alias && cells.ok > 0 && (usage?.grading.length ?? 0) > 0),
  )
  if (usages.includes(undefined)) return estimated
  const costs = usages.map((found): Cost => {
    const cost = costOf(found!.usage!.grading, run.prices)
    const { cells, usage } = found!
    return { ...cost, amount: (cost.amount / (cells.ok - (usage!.ungraded_cells ?? 0))) * each }
  })
  return { ...estimated, cost: joinedCost(costs, run) }
}

/** Verdicts of judges that are models; null where there are none. */
function judgingPart(planning: Planning): Part | null {
  const { run, dataset, set, past, rotations, verdicts } = planning
  const { enabled, models } = run.judgePanel
  const judges = models.filter((name) => !isBuiltinName(name))
  const requested = rotations * dataset.questions.length
  const open = (name: string): number => requested - verdicts.filter((judge) => judge === name).length
  const calls = judges.reduce((sum, name) => sum + open(name), 0)
  if (!enabled || judges.length === 0 || requested === 0) return null
  if (calls === 0) return { calls, ms: 0, cost: null, source: 'kept' }
  const use = past.find(
    ({ judging_use: found, judge_panel: panel }) =>
      found !== undefined && 'judges' in panel && judges.every((name) => panel.judges.includes(name)),
  )?.judging_use
  if (use !== undefined) {
    const share = calls / callsIn(use.models)
    const cost = isPaid(use.models) ? costOf(use.models, run.prices) : null
    return {
      calls,
      ms: use.seconds === null ? null : use.seconds * 1000 * share,
      cost: cost === null ? null : { ...cost, amount: cost.amount * share },
      source: 'rows',
    }
  }
  if (set === null) return { ...UNKNOWN, calls }
  const { concurrency } = run.experiment.evaluation.run
  const asked = judgesToTest(run.judgePanel, { name: run.modelSet ?? '', roles: set.roles })
  const parts = asked.map((judge): Part =>
    'choice' in judge
      ? byCalls(planning, judge.choice, open(judge.name), concurrency)
      : { ...UNKNOWN, calls: open(judge.name) },
  )
  return together(parts, run)
}
