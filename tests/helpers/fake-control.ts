import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/node'
import {
  type ControlError,
  controlContract,
  isBlindEvent,
  type FrontierPoint,
  type IndexMetric,
  type RunJob,
  type ServiceView,
  type SettingsView,
} from '../../contract/control/index.ts'
import type { LadderStep } from '../../contract/evidence/run-event.ts'
import { SECURITY_HEADERS } from '../../main/engine/http/content-security-policy.ts'
import { cellDetail, rowIdOf } from './fake-control/cells.ts'
import { columnHeads, matrixPage, pairs, runPairs, runSummary } from './fake-control/index-answers.ts'
import { graphPicture } from './fake-control/graph.ts'
import { FakeJudging } from './fake-control/judging.ts'
import { FakeRun, Feed } from './fake-control/run.ts'
import { cellOf, draw, type FakeDataset, loadWorld, RUN_METRICS, sha, type World } from './fake-control/world.ts'

/** What the fake serves, and how. */
export interface FakeControlOptions {
  /** Where the project's manifests and corpora are. */
  root: string
  /** Built renderer; without it only the API is served. */
  files?: string
  port?: number
  /** No run yet. */
  empty?: boolean
  /** Texts of cells hold markup, scripts and links. */
  hostile?: boolean
  /** Adds a dataset of this many questions. */
  bigQuestions?: number
  cellMs?: number
  /** Each run fails at this step the first time. */
  failStep?: LadderStep
}

export interface FakeControl {
  url: string
  /** Cuts every open stream, as a dying engine would. */
  dropStreams: () => void
  close: () => Promise<void>
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const RUNS = ['ladder-2026-11-20', 'ladder-2026-11-18-r2']
const DEFAULT_ALIASES = [
  'vanilla-rag',
  'hybrid-rag',
  'contextual-rag',
  'graph-rag',
  'agentic-rag',
  'workflow-adaptive-rag',
  'lazy-graph-rag',
]

const serviceView = (part: Partial<ServiceView> & Pick<ServiceView, 'name' | 'state'>): ServiceView => ({
  ...{ detail: null, url: null, used_by: null, profile: null, pid: null, since: null, restarts: 0, last_exit: null },
  ...{ usage: null, settings: {}, can: { start: true, stop: false, restart: false } },
  ...part,
})

function startServices(): ServiceView[] {
  const since = '2026-11-20T09:00:00.000Z'
  return [
    serviceView({
      ...{
        name: 'platform',
        state: 'ready',
        url: 'http://127.0.0.1:41200',
        used_by: 'panel',
        profile: 'smoke',
        pid: 4100,
        since,
      },
      usage: { rss_bytes: 212_000_000, cpu_percent: 3.2 },
      settings: { model_set: 'builtin' },
      can: { start: false, stop: true, restart: true },
    }),
    serviceView({ name: 'converter', state: 'idle' }),
    serviceView({
      ...{ name: 'stt', state: 'failed', detail: 'gave up after 5 starts: model folder not found', restarts: 5 },
      last_exit: { at: since, code: 1, signal: null },
    }),
    serviceView({
      name: 'tts',
      state: 'absent',
      detail: 'not part of this installation',
      can: { start: false, stop: false, restart: false },
    }),
  ]
}

function refuse(code: ControlError['code'], message: string): never {
  throw Object.assign(new Error(message), { control: { code, message, retryable: false } })
}

const reasonCount = (reason: string, cells: number): Record<string, number> => (cells > 0 ? { [reason]: cells } : {})

function buildRouter(world: World, options: FakeControlOptions, feed: Feed, streams: Set<AbortController>) {
  const os = implement(controlContract).use(async ({ next, errors }) => {
    try {
      return await next()
    } catch (error) {
      if (error instanceof Error && 'control' in error)
        throw (errors as { CONTROL: (options: object) => Error }).CONTROL({ data: error.control })
      throw error
    }
  })
  const services = startServices()
  const done: RunJob[] = []
  const finishedRuns = new Map<string, { datasets: string[]; aliases: string[] }>()
  if (options.empty !== true)
    for (const run of RUNS) finishedRuns.set(run, { datasets: [...world.datasets.keys()], aliases: DEFAULT_ALIASES })
  const started = new Map<string, FakeRun>()
  let active: FakeRun | null = null
  let settings: SettingsView = {
    settings: {
      ...{ gateway_url: null, evaluator_url: null, judge_endpoint: null, judge_models: null },
      ...{ model_set: null, concurrency: null },
    },
    secrets: {
      gateway_api_key: 'unset',
      platform_token: 'environment',
      evaluator_api_key: 'unset',
      judge_api_key: 'unset',
    },
    folders: { project: options.root, results: 'results', published: 'docs/results', state: '.rag-ladder' },
  }
  const runOf = (run: string) => finishedRuns.get(run) ?? refuse('not_found', `no run is called ${run}`)
  const datasetOf = (id: string): FakeDataset =>
    world.datasets.get(id) ?? refuse('not_found', `no dataset is called ${id}`)
  const aliasesOf = (run: string, wanted: string[] | undefined) => wanted ?? runOf(run).aliases
  const running = (): FakeRun => active ?? refuse('run_state', 'no run is under way')
  const locate = (run: string, row: string) => {
    const { datasets, aliases } = runOf(run)
    for (const id of datasets)
      for (const question of datasetOf(id).questions)
        for (const alias of aliases)
          if (rowIdOf(run, id, question.id, alias) === row) return { dataset: datasetOf(id), question, alias }
    return refuse('not_found', `run ${run} has no row ${row}`)
  }
  const indexStatus = () => ({
    ...{ revision: 1, schema_version: 1, journal_mode: 'wal', runs: finishedRuns.size, cells: 1_728 },
    ...{ size_bytes: 4_200_000, folders: ['results', 'docs/results'], damaged: [] },
  })
  const judging = new FakeJudging(world, options.hostile === true)
  const judged = ({ run_id: run, dataset_id: id }: { run_id: string; dataset_id: string }) =>
    [run, datasetOf(id), runOf(run).aliases] as const
  const serviceOf = (name: string): ServiceView => services.find((service) => service.name === name)!
  const setService = (name: string, part: Partial<ServiceView>): ServiceView => {
    Object.assign(serviceOf(name), part)
    feed.publish({ type: 'service.changed', service: name, state: serviceOf(name).state, detail: null })
    return serviceOf(name)
  }
  async function* exported(file: string, text: string) {
    yield { type: 'begin' as const, file_name: file, media_type: 'text/plain' }
    yield { type: 'text' as const, text }
    yield { type: 'end' as const, size_bytes: text.length, sha256: sha(text) }
  }

  return os.router({
    system: {
      status: os.system.status.handler(() => ({
        ...{ engine_id: 'fake', version: '0.1.0', started_at: '2026-11-20T09:00:00.000Z', pid: 1, node: 'v24.21.0' },
        ...{ rss_bytes: 90_000_000, seq: feed.seq },
        project: { name: 'rag-ladder', root: options.root, results: 'results' },
        experiment: { file: null, problems: [] },
        active: active?.job ?? null,
        queued: [],
        services,
        index: { state: 'ready' as const, message: null, status: indexStatus() },
      })),
      events: os.system.events.handler(async function* ({ input, signal }) {
        const cut = new AbortController()
        streams.add(cut)
        signal?.addEventListener('abort', () => cut.abort(), { once: true })
        for await (const event of feed.follow(input.after ?? feed.seq, cut.signal))
          if (!input.blind || isBlindEvent(event.event)) yield event
        streams.delete(cut)
        if (signal?.aborted !== true) throw new Error('the stream was cut')
      }),
      browserLink: os.system.browserLink.handler(() => refuse('forbidden', 'only for holders of the launch token')),
    },
    experiment: {
      get: os.experiment.get.handler(() => world.experiment),
      plan: os.experiment.plan.handler(({ input }) => {
        const problems = [
          ...input.dataset_ids.flatMap((id, index) =>
            world.datasets.has(id) ? [] : [{ path: `dataset_ids[${index}]`, message: `no dataset is called ${id}` }],
          ),
          ...input.models.flatMap((id, index) =>
            world.aliases.has(id) ? [] : [{ path: `models[${index}]`, message: `no alias is called ${id}` }],
          ),
          ...(input.run_id === 'taken'
            ? [{ path: 'run_id', message: 'another run of this name was made under other conditions' }]
            : []),
        ]
        if (problems.length > 0) return { ok: false as const, problems }
        const evaluated = input.metrics === undefined || input.metrics.length > 0
        const datasets = input.dataset_ids.map((id) => {
          const total = datasetOf(id).questions.length * input.models.length
          const reuse = input.run_id === 'ladder-2026-11-20' ? Math.floor(total / 3) : 0
          return {
            ...{
              dataset_id: id,
              total,
              reuse,
              run: total - reuse,
              resume_answered: 0,
              conflicts: [],
              conflict_count: 0,
            },
            ...{ unavailable: [], evaluations: evaluated ? total - reuse : 0, verdicts: 0 },
            ...{ estimated_ms: (total - reuse) * 160, unknown_latency: [] },
          }
        })
        const sum = (key: 'total' | 'reuse' | 'run' | 'evaluations'): number =>
          datasets.reduce((whole, dataset) => whole + dataset[key], 0)
        return {
          ok: true as const,
          run_id: input.run_id ?? 'live-2026-11-20-1204',
          datasets,
          totals: {
            ...{ total: sum('total'), reuse: sum('reuse'), run: sum('run'), evaluations: sum('evaluations') },
            ...{ answered: 0, conflicts: 0, unavailable: 0, verdicts: 0 },
          },
          estimated_minutes: (sum('run') * 160) / 60_000,
          notices: input.models.includes('graph-rag') ? world.experiment.notices : [],
          blockers:
            active === null
              ? []
              : [{ code: 'run_active', message: `run ${active.job.run_id} is under way: this one will wait for it` }],
        }
      }),
    },
    runs: {
      start: os.runs.start.handler(({ input }) => {
        const runId = input.run_id ?? `live-${feed.seq}`
        const ended = (job: RunJob): void => {
          active = null
          done.splice(0, done.length, job, ...done.filter(({ run_id: id }) => id !== job.run_id))
          finishedRuns.set(runId, { datasets: input.dataset_ids, aliases: input.models })
        }
        const run = new FakeRun(world, feed, input, runId, options.cellMs ?? 8, ended, options.failStep ?? null)
        started.set(runId, run)
        active = run
        void run.climb()
        return { run_id: runId }
      }),
      pause: os.runs.pause.handler(() => running().pause()),
      resume: os.runs.resume.handler(({ input }) => {
        const run = started.get(input.run_id)
        if (active !== null || run === undefined) return running().resume()
        active = run
        return run.again()
      }),
      cancel: os.runs.cancel.handler(() => running().cancel()),
      failures: os.runs.failures.handler(({ input }) => ({
        run_id: input.run_id,
        classes: [{ class: 'http_error' as const, cells: 3 }],
      })),
      retryFailures: os.runs.retryFailures.handler(() => refuse('not_supported', 'the fake server cannot retry')),
      list: os.runs.list.handler(() => ({
        runs: [...finishedRuns].reverse().map(([run, { datasets, aliases }]) => ({
          ...{ run_id: run, kind: 'canonical' as const, aliases: aliases.length },
          ...{ first_finished_at: '2026-11-20T09:12:00.000Z', last_finished_at: '2026-11-20T09:14:02.000Z' },
          datasets: datasets.map((id) => {
            const { view } = datasetOf(id)
            const cells = view.questions * aliases.length
            return {
              ...{
                dataset_id: id,
                label: view.label,
                complexity_level: view.complexity_level,
                questions: view.questions,
              },
              ...{ cells: { ok: cells - 3, error: 2, timeout: 1 }, expected_cells: cells, damaged: false },
            }
          }),
          state: done.find((job) => job.run_id === run)?.state ?? null,
        })),
        total: finishedRuns.size,
        next_cursor: null,
      })),
      summary: os.runs.summary.handler(({ input }) => {
        const { datasets, aliases } = runOf(input.run_id)
        return runSummary(world, input.run_id, datasets.map(datasetOf), aliases)
      }),
      jobs: os.runs.jobs.handler(() => (active === null ? done : [active.job, ...done])),
      interrupted: os.runs.interrupted.handler(() => []),
      dismiss: os.runs.dismiss.handler(() => refuse('not_found', 'no such run')),
    },
    matrix: {
      page: os.matrix.page.handler(({ input }) =>
        matrixPage(world, datasetOf(input.dataset_id), aliasesOf(input.run_id, input.aliases), input),
      ),
      heads: os.matrix.heads.handler(({ input }) =>
        columnHeads(
          world,
          input.run_id,
          datasetOf(input.dataset_id),
          aliasesOf(input.run_id, input.aliases),
          input.metric,
        ),
      ),
      search: os.matrix.search.handler(({ input }) => {
        const hits = [...world.datasets.values()].flatMap(({ view, questions }) =>
          questions
            .filter(({ query }) => query.toLowerCase().includes(input.text.toLowerCase()))
            .map(({ id, query }) => ({
              ...{ found_in: 'question' as const, run_id: RUNS[0]!, dataset_id: view.id, question_id: id, query },
              ...{ model: null, row_id: null, excerpt: query.slice(0, 200) },
            })),
        )
        return { hits: hits.slice(0, input.limit), more: hits.length > input.limit }
      }),
    },
    cells: {
      get: os.cells.get.handler(({ input }) => {
        const found = locate(input.run_id, input.row_id)
        return cellDetail(world, { ...found, run: input.run_id, hostile: options.hostile === true })
      }),
      answerSlice: os.cells.answerSlice.handler(() => refuse('not_a_text', 'nothing was cut')),
      others: os.cells.others.handler(({ input }) => {
        const { dataset, question } = locate(input.run_id, input.row_id)
        return {
          dataset_id: dataset.view.id,
          question_id: question.id,
          cells: runOf(input.run_id).aliases.map((model) => {
            const at = (metric: IndexMetric) => cellOf(world, input.run_id, dataset.view.id, question.id, model, metric)
            const view = world.aliases.get(model)!
            const scores = (['faithfulness', 'answer_relevancy'] as const).flatMap((metric) => {
              const { value } = at(metric)
              return value === null ? [] : [[metric, value] as const]
            })
            return {
              ...{ model, base_model: view.base, row_id: rowIdOf(input.run_id, dataset.view.id, question.id, model) },
              ...{ status: at('latency_ms').status, error_type: null, evaluation: 'ok' as const, judge_mean: null },
              ...{ latency_ms: at('latency_ms').latency, scores: Object.fromEntries(scores) },
            }
          }),
        }
      }),
    },
    coverage: {
      get: os.coverage.get.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        const { aliases } = runOf(input.run_id)
        const metrics = ['faithfulness', 'answer_relevancy', 'recall_at_5', 'token_f1'] as const
        const byMetric = metrics.map((metric) => columnHeads(world, input.run_id, dataset, aliases, metric))
        return {
          ...{ run_id: input.run_id, dataset_id: input.dataset_id, basis: 'summary' as const },
          aliases: aliases.map((model, column) => {
            const view = world.aliases.get(model)!
            return {
              ...{ model, base_model: view.base, flavor: view.flavor, evidence_capability: view.evidence },
              cells: {
                ok: dataset.questions.length - 1,
                error: 1,
                timeout: 0,
                missing: 0,
                expected: dataset.questions.length,
              },
              ...{ failures_by_type: { http_error: 1 }, unavailable: null },
              metrics: metrics.map((metric, index) => {
                const head = byMetric[index]!.heads[column]!
                return {
                  group:
                    metric === 'token_f1'
                      ? ('answer' as const)
                      : metric === 'recall_at_5'
                        ? ('retrieval' as const)
                        : ('ragas' as const),
                  metric,
                  state:
                    head.n === head.expected
                      ? ('ok' as const)
                      : head.n > 0
                        ? ('partial' as const)
                        : ('not_evaluable' as const),
                  ...{ mean: head.mean, scored: head.n, expected: head.expected, coverage: head.coverage },
                  ...{
                    errors: head.states.error,
                    timeouts: head.states.timeout,
                    unevaluable: head.states.not_evaluable,
                  },
                  ...{ disabled: 0, not_run: head.states.not_run, missing: 0 },
                  errors_by_reason: reasonCount('score_not_finite', head.states.error),
                  unevaluable_by_reason: reasonCount('retrieved_contexts_required', head.states.not_evaluable),
                  ...{ unequal_coverage: byMetric[index]!.unequal_coverage, common: null },
                }
              }),
            }
          }),
          notes: ['graph-rag answers without contexts: faithfulness and recall_at_5 cannot be measured for it.'],
        }
      }),
    },
    compare: {
      runs: os.compare.runs.handler(({ input }) => {
        const known = input.run_ids.filter((run) => finishedRuns.has(run))
        const datasets =
          known.length === 0
            ? []
            : runOf(known[0]!).datasets.filter((id) => input.dataset_id === undefined || id === input.dataset_id)
        return {
          ...{ metric: input.metric, better: 'higher' as const, run_ids: known },
          unknown_run_ids: input.run_ids.filter((run) => !finishedRuns.has(run)),
          aliases: datasets.flatMap((id) =>
            aliasesOf(known[0]!, input.aliases).map((model) => ({
              ...{ dataset_id: id, model, common: datasetOf(id).questions.length },
              runs: known.map((run) => {
                const head = columnHeads(world, run, datasetOf(id), [model], input.metric).heads[0]!
                return {
                  run_id: run,
                  n: head.n,
                  mean: head.mean,
                  common_mean: head.mean,
                  changed: run === known[0] ? 0 : 7,
                }
              }),
            })),
          ),
          changed: { total: 0, cells: [] },
        }
      }),
      provenance: os.compare.provenance.handler(({ input }) => ({
        ...{ run_ids: input.run_ids, unknown_run_ids: [], same: 31 },
        differences: [
          { path: 'runtime.repository.revision', values: input.run_ids.map((run) => sha(run).slice(0, 12)) },
        ],
      })),
      frontier: os.compare.frontier.handler(({ input }) => {
        const points: FrontierPoint[] = input.run_ids.flatMap((run) =>
          runOf(run)
            .datasets.filter((id) => input.dataset_id === undefined || id === input.dataset_id)
            .flatMap((id) =>
              runOf(run).aliases.map((model) => {
                const quality = columnHeads(world, run, datasetOf(id), [model], input.metric).heads[0]!
                const latency = columnHeads(world, run, datasetOf(id), [model], 'latency_ms').heads[0]!
                return {
                  ...{
                    run_id: run,
                    dataset_id: id,
                    model,
                    quality: quality.mean,
                    n: quality.n,
                    expected: quality.expected,
                  },
                  ...{
                    latency_ms: latency.mean,
                    total_tokens: 600 + 200 * draw(model),
                    llm_calls: 1,
                    cloud_calls: 0,
                    on_frontier: false,
                  },
                }
              }),
            ),
        )
        const beats = (a: FrontierPoint, b: FrontierPoint): boolean =>
          a.run_id === b.run_id &&
          a.dataset_id === b.dataset_id &&
          a.quality !== null &&
          b.quality !== null &&
          a.quality >= b.quality &&
          a.latency_ms! <= b.latency_ms! &&
          (a.quality > b.quality || a.latency_ms! < b.latency_ms!)
        return {
          ...{ metric: input.metric, better: 'higher' as const },
          points: points.map((point) => ({
            ...point,
            on_frontier: point.quality !== null && !points.some((other) => beats(other, point)),
          })),
        }
      }),
    },
    statistics: {
      pairs: os.statistics.pairs.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        return {
          revision: 1,
          comparison:
            input.metric === 'judge_mean'
              ? judging.pairs(input.run_id, dataset, aliasesOf(input.run_id, input.aliases))
              : pairs(world, input.run_id, dataset, aliasesOf(input.run_id, input.aliases), input.metric),
          clusters: {
            ...{ basis: 'question' as const, questions: dataset.questions.length, clusters: dataset.questions.length },
            ...{ largest: 1, effective: dataset.questions.length, links_cut: 0 },
          },
        }
      }),
      runs: os.statistics.runs.handler(({ input }) => {
        const dataset = datasetOf(input.dataset_id)
        return {
          revision: 1,
          comparison: runPairs(world, input.run_ids, dataset, input.alias, input.metric),
          clusters: {
            ...{ basis: 'question' as const, questions: dataset.questions.length, clusters: dataset.questions.length },
            ...{ largest: 1, effective: dataset.questions.length, links_cut: 0 },
          },
        }
      }),
    },
    datasets: {
      list: os.datasets.list.handler(() => world.experiment.datasets),
      documents: os.datasets.documents.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const gold = questions.flatMap(({ id, gold: facts }) => facts.map(({ document }) => ({ id, document })))
        const all = [...documents].map(([path, text]) => {
          const facts = gold.filter(({ document }) => document === path)
          return {
            ...{ path, title: /^# (.+)/m.exec(text)?.[1] ?? path, size_bytes: Buffer.byteLength(text), is_text: true },
            ...{ gold_facts: facts.length, questions: new Set(facts.map(({ id }) => id)).size },
          }
        })
        return { total: all.length, documents: all.slice(input.offset, input.offset + input.limit) }
      }),
      addDocument: os.datasets.addDocument.handler(({ input }) => {
        const { documents } = datasetOf(input.dataset_id)
        const path = `${input.name}.md`
        if (documents.has(path)) refuse('input_invalid', `name: there is a ${path} already`)
        documents.set(path, input.text)
        return { path, size_bytes: Buffer.byteLength(input.text) }
      }),
      document: os.datasets.document.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const text = documents.get(input.path) ?? refuse('not_found', `no document ${input.path}`)
        const facts = questions.flatMap(({ id, gold }) =>
          gold
            .filter(({ document }) => document === input.path)
            .map(({ fact }) => ({ question_id: id, fact, start: text.indexOf(fact) })),
        )
        return {
          ...{ is_text: true as const, path: input.path, text, total: text.length, next_offset: null },
          gold: facts
            .filter(({ start }) => start >= 0)
            .map((fact) => ({ ...fact, end: fact.start + fact.fact.length })),
          lost_gold: facts.filter(({ start }) => start < 0).map(({ question_id, fact }) => ({ question_id, fact })),
        }
      }),
      questions: os.datasets.questions.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const chosen = questions.filter(({ id }) => input.question_id === undefined || id === input.question_id)
        return {
          ...{ total: chosen.length, offset: input.offset },
          questions: chosen.slice(input.offset, input.offset + input.limit).map((question) => ({
            question,
            gold: question.gold.map(({ document, fact }) => {
              const start = documents.get(document)?.indexOf(fact) ?? -1
              return { document, fact, spans: start < 0 ? [] : [{ start, end: start + fact.length }] }
            }),
          })),
        }
      }),
      graph: os.datasets.graph.handler(({ input }) =>
        options.empty === true
          ? {
              ...{ ok: false as const, reason: 'not_ingested' as const },
              message: `nothing has been ingested for ${input.dataset_id} yet: run its ladder first`,
            }
          : { ok: true as const, picture: graphPicture(datasetOf(input.dataset_id), input.limit) },
      ),
    },
    judges: {
      blindSets: os.judges.blindSets.handler(({ input }) => judging.sets(...judged(input), input.offset, input.limit)),
      vote: os.judges.vote.handler(({ input }) => judging.vote(...judged(input), input.vote)),
      reveal: os.judges.reveal.handler(({ input }) => judging.reveal(...judged(input), input.rater)),
      results: os.judges.results.handler(({ input }) => judging.results(...judged(input), input.offset, input.limit)),
    },
    services: {
      list: os.services.list.handler(() => services),
      logs: os.services.logs.handler(async function* ({ input }) {
        for (let number = input.after + 1; number <= 12; number += 1)
          yield {
            number,
            at: '2026-11-20T09:00:00.000Z',
            text: `${input.name}: line ${number} <b>not markup</b>`,
            missed: 0,
          }
      }),
      start: os.services.start.handler(({ input }) =>
        setService(input.name, {
          state: 'ready',
          detail: null,
          pid: 4200,
          since: new Date().toISOString(),
          can: { start: false, stop: true, restart: true },
        }),
      ),
      stop: os.services.stop.handler(({ input }) =>
        setService(input.name, { state: 'stopped', pid: null, can: { start: true, stop: false, restart: false } }),
      ),
      restart: os.services.restart.handler(({ input }) =>
        setService(input.name, { state: 'ready', restarts: serviceOf(input.name).restarts + 1 }),
      ),
    },
    index: {
      status: os.index.status.handler(indexStatus),
      verify: os.index.verify.handler(() => ({
        ok: true,
        files: 12,
        rows: 1_728,
        bytes: 4_621_172,
        problems: [],
        problem_count: 0,
      })),
      rebuild: os.index.rebuild.handler(indexStatus),
    },
    exports: {
      csv: os.exports.csv.handler(({ input }) =>
        exported(`${input.run_id}.csv`, `run,metric,value\n${input.run_id},faithfulness,0.8\n`),
      ),
      json: os.exports.json.handler(({ input }) =>
        exported(`${input.run_id}.json`, JSON.stringify({ run: input.run_id, metrics: RUN_METRICS })),
      ),
      report: os.exports.report.handler(({ input }) =>
        exported(`${input.run_id}.html`, `<!doctype html><title>${input.run_id}</title>`),
      ),
    },
    settings: {
      get: os.settings.get.handler(() => settings),
      update: os.settings.update.handler(({ input }) => {
        const secrets = Object.entries(input.secrets ?? {}).map(([name, value]) => [
          name,
          value === null ? 'unset' : 'session',
        ])
        settings = {
          ...settings,
          settings: { ...settings.settings, ...input.settings },
          secrets: { ...settings.secrets, ...(Object.fromEntries(secrets) as object) },
        }
        return settings
      }),
    },
  })
}

async function serveFile(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = normalize(new URL(request.url ?? '/', 'http://host').pathname)
  const file = join(folder, path === '/' ? 'index.html' : path)
  const bytes = await readFile(file).catch(() => null)
  if (bytes === null) response.writeHead(404).end('not found')
  else
    response
      .writeHead(200, {
        'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
        ...SECURITY_HEADERS,
      })
      .end(bytes)
}

/** The control API over generated evidence, in memory, for the pages' specs and for work on the pages without an engine. */
export async function startFakeControl(options: FakeControlOptions): Promise<FakeControl> {
  const world = await loadWorld(options.root, options.bigQuestions ?? 0)
  const feed = new Feed()
  const streams = new Set<AbortController>()
  const handler = new RPCHandler(buildRouter(world, options, feed, streams))
  const server: Server = createServer((request, response) => {
    void handler.handle(request, response, { prefix: '/control', context: {} }).then(async ({ matched }) => {
      if (matched) return
      if (options.files === undefined) response.writeHead(404).end()
      else await serveFile(options.files, request, response)
    })
  })
  await new Promise<void>((listening) => server.listen(options.port ?? 0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    dropStreams: () => {
      for (const stream of [...streams]) stream.abort()
    },
    close: async () => {
      for (const stream of [...streams]) stream.abort()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

if (import.meta.main) {
  const fake = await startFakeControl({
    root: process.cwd(),
    files: 'out/renderer',
    port: Number(process.env.PORT ?? 4810),
    empty: process.env.FAKE_EMPTY === '1',
    hostile: process.env.FAKE_HOSTILE === '1',
    bigQuestions: Number(process.env.FAKE_BIG ?? 0),
  })
  console.log(fake.url)
}
