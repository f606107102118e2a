import type { Look } from '../../../charts/look.ts'
import type { Aggregate, ApproachSummary, Distribution } from '../../../contract/evidence/aggregate.ts'
import {
  durationWords,
  countWords,
  looksWords,
  meanWords,
  plural,
  scopeWords,
  USE_NOTE,
} from '../../../contract/words.ts'
import { hasFirstTokens, metricsOf } from '../aggregate/aggregate-access.ts'
import { HANDED_OVER, handedOverWords, hasAmounts } from '../tables/budget-tables.ts'
import { coverageNotes } from '../tables/coverage-notes.ts'
import { ingestionWords } from '../tables/ingestion-words.ts'
import { runUseTable, USE_TITLE } from '../tables/run-use.ts'
import { STATE_SIGNS } from '../words.ts'
import { aliasHead, dataTable, fragment, h, num, type Cell, type Child, type Markup } from './markup.ts'

const figure = (value: number | null, show: (value: number) => string): Cell => num(value === null ? '–' : show(value))

/** Returns what each approach cost in one dataset run. */
export const costFigures = (aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup =>
  dataTable(
    `${aggregate.dataset.label}: cost of the answers`,
    [
      { content: 'approach' },
      ...[
        'answered',
        'median time',
        '95th percentile',
        ...(hasFirstTokens(aggregate) ? ['first token'] : []),
        'retries',
        'tokens used',
        'model calls',
        'cloud calls',
        ...(hasAmounts(aggregate) ? [HANDED_OVER] : []),
      ].map((content) => ({
        content,
        numeric: true,
      })),
    ],
    aggregate.approaches.map((approach) => ({
      head: aliasHead(approach.model, looks),
      cells: [
        ...costCells(approach, hasFirstTokens(aggregate)),
        ...(hasAmounts(aggregate) ? [num(handedOverWords(approach))] : []),
      ],
    })),
  )

/** Returns what a run used of models, ingestion, grading and judging included; nothing where no model is named. */
export function useFigures(aggregate: Aggregate): Markup {
  const { head, rows } = runUseTable(aggregate, null)
  if (rows.length === 0) return fragment()
  return fragment(
    dataTable(
      `${aggregate.dataset.label}: ${USE_TITLE.toLowerCase()}`,
      head.map((content, at) => ({ content, numeric: at > 0 })),
      rows.map(([work, ...cells]) => ({ head: work!, cells: cells.map((cell) => num(cell)) })),
    ),
    h('p', {}, USE_NOTE),
  )
}

function costCells({ cells, operational }: ApproachSummary, showsFirstToken: boolean): Cell[] {
  const firstToken = operational.first_token_s?.median ?? null
  const mean = (of: Distribution): Cell => figure(of.mean, meanWords)
  return [
    num(`${cells.ok}/${cells.expected}`),
    figure(operational.latency_ms.median, durationWords),
    figure(operational.latency_ms.p95, durationWords),
    ...(showsFirstToken ? [figure(firstToken === null ? null : firstToken * 1000, durationWords)] : []),
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

/** Returns where the figures of one dataset run come from. */
export function provenance(aggregate: Aggregate): Markup {
  const { dataset, ingestion, reproducibility, questions, repeats, comparisons, looks } = aggregate
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
  const extracted = ingestionWords(aggregate)
  if (extracted !== null) facts.push(['graph', extracted])
  if (reproducibility !== null) {
    const { repository, platform, models, gateway } = reproducibility.runtime
    const dirty =
      repository.dirty === null
        ? ', uncommitted changes unknown'
        : repository.dirty
          ? ', with files that it does not hold'
          : ''
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
        : basis === 'gold_passages'
          ? `${plural(clusters, 'group')} of questions on shared gold passages, the largest of ${largest}; a test counts those with a scored question; ${scopeWords(comparisons.clusters)!}`
          : `${plural(clusters, 'group')} of questions on shared gold documents, the largest of ${largest}; a test counts those with a scored question`,
    ])
  }
  const looked = looks === undefined ? null : looksWords(looks)
  if (looked !== null) facts.push(['looks', looked])
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

/** A file that figures of the page come from. */
export interface PageArtifact {
  datasetId: string
  /** Path relative to the page's own folder, with forward slashes. */
  href: string
  sha256: string
}

/** The page's artifacts with their hashes; a script fills the last column where it may read them. */
export function artifactList(artifacts: readonly PageArtifact[]): Markup {
  const sums = artifacts.map(sumLine)
  return h(
    'div',
    {},
    dataTable(
      'Files beside this page',
      [{ content: 'file' }, { content: 'dataset' }, { content: 'SHA-256' }, { content: 'now' }],
      artifacts.map(({ datasetId, href, sha256 }) => ({
        head: h('a', { href: addressOf(href), rel: 'noreferrer' }, href),
        cells: [
          { content: datasetId },
          { content: h('code', { class: 'hash' }, sha256) },
          {
            content: h('span', { class: 'check', 'data-file': addressOf(href), 'data-sha256': sha256 }, 'not checked'),
          },
        ],
      })),
    ),
    h(
      'p',
      {},
      'To check them yourself, save these lines as SHA256SUMS in the folder of this page and run sha256sum -c SHA256SUMS; or, on any system, run rag-ladder verify with the name of this page:',
    ),
    h('pre', { class: 'sums' }, { html: preformatted(sums.join('\n')) }),
  )
}

/** A relative path as an address; `#` and `?` in a file name stay part of it. */
const addressOf = (href: string): string => href.split('/').map(encodeURIComponent).join('/')

/**
 * One line for sha256sum, whose escape for line ends and backslashes in names starts the line with a backslash. It is data for a file, never a
 * command: a file name may hold anything, also the end of a shell's here-document.
 */
function sumLine({ href, sha256 }: PageArtifact): string {
  const escaped = href.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\r/g, '\\r')
  return `${escaped === href ? '' : '\\'}${sha256}  ${escaped}`
}

/** Names and hashes line by line: blanks and line ends count here. */
const preformatted = (text: string): string =>
  text.replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'))
