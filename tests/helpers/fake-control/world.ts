import type { RunRequest, StoredRunRequest } from '../../../contract/control/run-job.ts'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AliasView,
  CellMetricState,
  DatasetView,
  ExperimentView,
  IndexMetric,
} from '../../../contract/control/index.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { loadExperiment, type Experiment } from '../../../main/manifests/experiment.ts'

/** One dataset of the fake: what the manifests say, and the documents of its corpus. */
export interface FakeDataset {
  view: DatasetView
  questions: Question[]
  documents: Map<string, string>
}

/** Everything that the fake control server serves; values are drawn from the names, so that two starts give equal bytes. */
export interface World {
  experiment: ExperimentView
  datasets: Map<string, FakeDataset>
  aliases: Map<string, AliasView>
}

/** A request with its selection filled in, as the engine stores it. */
export const settled = (request: RunRequest, { datasets, aliases }: World): StoredRunRequest => ({
  ...request,
  dataset_ids: request.dataset_ids ?? [...datasets.keys()].slice(0, 1),
  models: request.models ?? [...aliases.keys()].slice(0, 6),
  repeats: request.repeats ?? 1,
})

/** A number in [0, 1) that only depends on the text. */
export const draw = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32

export const sha = (text: string): string => createHash('sha256').update(text).digest('hex')

export const RUN_METRICS: IndexMetric[] = [
  'faithfulness',
  'answer_relevancy',
  'context_precision',
  'context_recall',
  'recall_at_5',
  'token_f1',
  'latency_ms',
]

const STRENGTH: Record<string, number> = {
  'vanilla-rag': 0.58,
  'hybrid-rag': 0.72,
  'contextual-rag': 0.76,
  'graph-rag': 0.7,
  'agentic-rag': 0.78,
  'workflow-adaptive-rag': 0.74,
  'lazy-graph-rag': 0.66,
}
const SECONDS: Record<string, number> = {
  'vanilla-rag': 0.8,
  'hybrid-rag': 1.4,
  'contextual-rag': 1.6,
  'graph-rag': 2.2,
  'agentic-rag': 4.1,
  'workflow-adaptive-rag': 2.7,
  'lazy-graph-rag': 3.2,
}

/** Where a cell stands in a metric, and its value; a function of the names alone. */
export function cellOf(
  world: World,
  run: string,
  dataset: string,
  question: string,
  alias: string,
  metric: IndexMetric,
): {
  state: CellMetricState
  value: number | null
  status: 'ok' | 'error' | 'timeout'
  latency: number
  reason: string | null
} {
  const view = world.aliases.get(alias)!
  const fate = draw(`${run}/${dataset}/${question}/${alias}`)
  const latency = Math.round(SECONDS[view.base]! * 1000 * (0.6 + draw(`ms/${question}/${alias}`)))
  if (fate < 0.006) return { state: 'not_run', value: null, status: 'timeout', latency: 420_000, reason: 'timeout' }
  if (fate < 0.014) return { state: 'not_run', value: null, status: 'error', latency: 30, reason: 'http_error' }
  if (metric === 'latency_ms') return { state: 'ok', value: latency, status: 'ok', latency, reason: null }
  const needsContexts = ['faithfulness', 'context_precision', 'context_recall', 'recall_at_5'].includes(metric)
  if (needsContexts && view.evidence === 'answer_only')
    return { state: 'not_evaluable', value: null, status: 'ok', latency, reason: 'retrieved_contexts_required' }
  if (draw(`${metric}/${fate}`) < 0.01)
    return { state: 'error', value: null, status: 'ok', latency, reason: 'score_not_finite' }
  if (draw(`t/${metric}/${fate}`) < 0.006)
    return { state: 'timeout', value: null, status: 'ok', latency, reason: 'timeout' }
  const shared = draw(`${dataset}/${question}/${metric}`) - 0.5
  const own = draw(`${run}/${question}/${alias}/${metric}`) - 0.5
  const value = Math.min(1, Math.max(0, STRENGTH[view.base]! + shared * 0.5 + own * 0.35))
  return { state: 'ok', value: Math.round(value * 1000) / 1000, status: 'ok', latency, reason: null }
}

function documentsOf(root: string, path: string): Map<string, string> {
  const folder = join(root, path)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(md|txt)$/.test(name))
    .sort()
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]))
}

function hopsOf(questions: readonly Question[]): DatasetView['by_hops'] {
  const counts = new Map<number | null, number>()
  for (const { hops } of questions) counts.set(hops, (counts.get(hops) ?? 0) + 1)
  return [...counts].map(([hops, count]) => ({ hops, questions: count })).sort((a, b) => (a.hops ?? 0) - (b.hops ?? 0))
}

function viewOf(
  dataset: Experiment['datasets'][number]['dataset'],
  questions: Question[],
  profile: unknown,
): DatasetView {
  return {
    ...{ id: dataset.id, label: dataset.label, description: dataset.description },
    ...{
      complexity_level: dataset.complexity_level,
      corpus_path: dataset.corpus_path,
      queries_file: dataset.queries_file,
    },
    questions: questions.length,
    with_gold: questions.filter(({ gold }) => gold.length > 0).length,
    with_ground_truth: questions.filter((question) => question.ground_truth !== null).length,
    unanswerable: questions.filter(({ answerable }) => !answerable).length,
    by_hops: hopsOf(questions),
    ingestion_profile: profile as DatasetView['ingestion_profile'],
    published: null,
  }
}

const CANONICAL = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'graph-rag', 'agentic-rag', 'workflow-adaptive-rag']

function aliasViews(experiment: Experiment): AliasView[] {
  return [...experiment.aliases.values()].map((alias) => ({
    alias: alias.alias,
    base: alias.base,
    flavor: alias.alias === alias.base ? null : alias.alias,
    experimental: alias.experimental,
    evidence: alias.evidence,
    requires_reingest: alias.flavor.requires_reingest,
    parameters: alias.flavor.parameters,
    canonical: CANONICAL.includes(alias.alias),
  }))
}

function bigDataset(template: FakeDataset, questions: number): FakeDataset {
  const made = Array.from({ length: questions }, (_, index) => ({
    ...template.questions[index % template.questions.length]!,
    id: `big-${String(index + 1).padStart(5, '0')}`,
    query: `${template.questions[index % template.questions.length]!.query} (variant ${index + 1})`,
  }))
  return {
    documents: template.documents,
    questions: made,
    view: {
      ...template.view,
      id: 'big',
      label: 'Large synthetic set',
      questions,
      by_hops: hopsOf(made),
      complexity_level: 9,
    },
  }
}

/** The project's own manifests and corpora; with `bigQuestions`, one more dataset of that many questions. */
export async function loadWorld(root: string, bigQuestions: number): Promise<World> {
  const experiment = await loadExperiment(root)
  const datasets = new Map<string, FakeDataset>()
  for (const { dataset, questions, profile } of experiment.datasets)
    datasets.set(dataset.id, {
      questions,
      documents: documentsOf(root, dataset.corpus_path),
      view: viewOf(dataset, questions, profile),
    })
  if (bigQuestions > 0) datasets.set('big', bigDataset(datasets.get('graph_native')!, bigQuestions))
  const aliases = aliasViews(experiment)
  const { evaluation, models, consumer } = experiment
  return {
    datasets,
    aliases: new Map(aliases.map((alias) => [alias.alias, alias])),
    experiment: {
      project: consumer.project,
      branding: consumer.branding,
      evaluation_file: experiment.evaluationFile,
      datasets: [...datasets.values()].map(({ view }) => view),
      aliases,
      metrics: [
        { metric: 'faithfulness', requested: true, needs_contexts: true, needs_ground_truth: false },
        { metric: 'answer_relevancy', requested: true, needs_contexts: false, needs_ground_truth: false },
        { metric: 'context_precision', requested: false, needs_contexts: true, needs_ground_truth: true },
        { metric: 'context_recall', requested: false, needs_contexts: true, needs_ground_truth: true },
      ],
      model_sets: Object.entries(models.sets).map(([name, set]) => ({
        name,
        description: set.description,
        is_default: name === models.default_set,
        roles: Object.fromEntries(
          Object.entries(set.roles).map(([role, choice]) => [
            role,
            { backend: choice.backend, model: choice.model, cloud: choice.backend === 'openai' && choice.cloud },
          ]),
        ),
      })),
      run: evaluation.run,
      repeats: 1,
      judge_panel: {
        settings: evaluation.metrics.judge_panel,
        builtin: ['rule-judge-a', 'rule-judge-b'],
        problem: null,
      },
      notices: [
        'graph-rag answers without contexts: faithfulness, context_precision and context_recall cannot be measured for it.',
      ],
    },
  }
}
