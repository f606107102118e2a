import { durationWords, type Aggregate, type ApproachSummary, type Distribution } from '../../../contract/index.ts'
import type { Look } from '../../../charts/look.ts'
import { coverageNotes } from '../coverage-notes.ts'
import { metricsOf } from '../metric-access.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { STATE_SIGNS } from '../score-format.ts'
import { fragment, h, type Child, type Markup } from './markup.ts'
import { aliasHead, dataTable, num, type Cell } from './table.ts'

const figure = (value: number | null, show: (value: number) => string): Cell => num(value === null ? '–' : show(value))
const decimal = (value: number): string => (Number.isInteger(value) ? countWords(value) : value.toFixed(1))

/** What each approach cost in one dataset run. */
export const costFigures = (aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup =>
  dataTable(
    `${aggregate.dataset.label}: cost of the answered cells`,
    [
      { content: 'approach' },
      ...['answered', 'median', '95th percentile', 'retries', 'tokens', 'model calls', 'cloud calls'].map(
        (content) => ({
          content,
          numeric: true,
        }),
      ),
    ],
    aggregate.approaches.map((approach) => ({ head: aliasHead(approach.model, looks), cells: costCells(approach) })),
  )

function costCells({ cells, operational }: ApproachSummary): Cell[] {
  const mean = (of: Distribution): Cell => figure(of.mean, decimal)
  return [
    num(`${cells.ok}/${cells.expected}`),
    figure(operational.latency_ms.median, durationWords),
    figure(operational.latency_ms.p95, durationWords),
    num(String(operational.retries)),
    figure(operational.total_tokens.mean, (tokens) => countWords(Math.round(tokens))),
    mean(operational.llm_calls),
    mean(operational.cloud_calls),
  ]
}

/** Why figures of one dataset run are missing or do not compare. */
export function gapNotes(aggregate: Aggregate): Markup {
  const notes = [
    ...aggregate.unavailable.map(({ model, reason }) => `${STATE_SIGNS.not_run} ${model} was unavailable: ${reason}`),
    ...coverageNotes(aggregate, metricsOf(aggregate)).map(({ sign, text }) => `${sign} ${text}`),
  ]
  return fragment(
    h('h3', {}, aggregate.dataset.label),
    notes.length === 0
      ? h('p', {}, 'Nothing is missing.')
      : h(
          'ul',
          { class: 'notes' },
          notes.map((note) => h('li', {}, note)),
        ),
  )
}

/** Where the figures of one dataset run come from. */
export function provenance(aggregate: Aggregate): Markup {
  const { dataset, ingestion, reproducibility, questions, repeats, comparisons } = aggregate
  const facts: [string, Child][] = [
    ['run', aggregate.run_id],
    ['questions', `${countWords(questions.length)} from ${dataset.questions_file}`],
    ['answers per question', String(repeats)],
    ['corpus', dataset.corpus_path],
  ]
  if (ingestion !== null)
    facts.push(
      ['ingestion', `profile ${ingestion.profile}, revision ${ingestion.revision}, job ${ingestion.job_id}`],
      ['content digest', h('code', {}, ingestion.content_digest)],
    )
  if (reproducibility !== null) {
    const { repository, platform, models, gateway } = reproducibility.runtime
    const dirty =
      repository.dirty === null ? ', uncommitted changes unknown' : repository.dirty ? ', with uncommitted changes' : ''
    facts.push(
      ['seed', reproducibility.seed],
      ['repository', `${repository.revision ?? 'unknown revision'}${dirty}`],
      ['platform', `version ${platform.version ?? 'unknown'}, gateway ${gateway}`],
      ['models', models === null ? 'not reported by the platform' : modelWords(models)],
    )
  }
  if (comparisons !== null) {
    const { basis, clusters, largest } = comparisons.clusters
    facts.push([
      'independent groups',
      basis === 'question'
        ? `${plural(clusters, 'question')}, none of which share a gold document`
        : `${plural(clusters, 'cluster')} of questions on shared gold documents, the largest of ${largest}`,
    ])
  }
  return fragment(
    h('h3', {}, dataset.label),
    h(
      'dl',
      {},
      facts.map(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]),
    ),
  )
}

const modelWords = (models: { set: string; roles: Record<string, { backend: string; model: string }> }): string =>
  `set ${models.set}: ${Object.entries(models.roles)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([role, { backend, model }]) => `${role} ${model} (${backend})`)
    .join(', ')}`
