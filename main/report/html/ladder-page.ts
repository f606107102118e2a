import { looksOf, type Look } from '../../../charts/look.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { countWords, plural } from '../../../contract/words.ts'
import { modelCaution } from '../tables/findings.ts'
import { aliasesOf } from '../tables/leaderboard.ts'
import { inLadderOrder } from '../csv/long-csv.ts'
import type { ParaphraseDifference } from '../tables/paraphrase-differences.ts'
import type { UnusableFile } from '../publication/results-folder.ts'
import { ladderSections } from './ladder-sections.ts'
import { type Section, aliasHead, h, type Markup } from './markup.ts'
import { pageDocument } from './page-document.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import type { PageArtifact } from './run-facts.ts'
import { cloudApproaches, cloudWords } from '../../../core/evidence/cloud-use.ts'

export interface LadderPageInput {
  aggregates: readonly Aggregate[]
  artifacts: readonly PageArtifact[]
  /** Label that a person gave the run; empty for none. */
  label?: string
  /** Files of the folder that could not be used. */
  unusable?: readonly UnusableFile[]
  /** Differences that other words make, where the run asked both. */
  paraphrases?: readonly ParaphraseDifference[]
}

/**
 * The report of a ladder as one HTML file: needs no script, loads nothing, and carries the hashes of the artifacts that its figures come from. Equal
 * input gives equal bytes; every text in it is escaped, whatever its source.
 */
export async function ladderPage({
  aggregates,
  artifacts,
  label = '',
  unusable = [],
  paraphrases = [],
}: LadderPageInput): Promise<string> {
  const { charts } = await import('./charts.ts')
  const ordered = inLadderOrder(aggregates)
  const looks = looksOf(ordered.flatMap((aggregate) => [...aggregate.approaches, ...aggregate.unavailable]))
  const sections = ladderSections(ordered, looks, artifacts, unusable, charts, paraphrases)
  const ids = [...new Set(ordered.map(({ run_id }) => run_id))].join(', ')
  const runs = label === '' ? ids : `${label} (${ids})`
  return pageDocument(
    `RAG Ladder: ${runs}`,
    PAGE_SCRIPT,
    charts.hatchPattern(),
    pageHeader(ordered, runs, looks, artifacts, sections),
    h(
      'main',
      {},
      sections.map(({ id, title, body }) =>
        h('section', { id, 'aria-labelledby': `${id}-h` }, h('h2', { id: `${id}-h` }, title), body),
      ),
    ),
    h('footer', {}, 'Written by rag-ladder from the artifacts above: equal artifacts give an equal page.'),
  )
}

function pageHeader(
  aggregates: readonly Aggregate[],
  runs: string,
  looks: ReadonlyMap<string, Look>,
  artifacts: readonly PageArtifact[],
  sections: readonly Section[],
): Markup {
  const cells = aggregates.reduce((sum, aggregate) => sum + aggregate.cells.expected, 0)
  const answered = aggregates.reduce((sum, aggregate) => sum + aggregate.cells.ok, 0)
  const aliases = aliasesOf(aggregates)
  const questions = aggregates.reduce((sum, aggregate) => sum + aggregate.questions.length, 0)
  const facts = [
    plural(aggregates.length, 'dataset'),
    plural(questions, 'question'),
    aliases.some(({ flavor }) => flavor !== null)
      ? `${countWords(aliases.length)} approaches and flavors`
      : plural(aliases.length, 'approach').replace(/approachs$/, 'approaches'),
    `${countWords(answered)} of ${plural(cells, 'answer')}`,
  ]
  const unchecked =
    artifacts.length === 0
      ? 'This page carries no hashes: the figures were not taken from files.'
      : `○ The figures come from the ${plural(artifacts.length, 'file')} under Artifacts. Nothing has compared them with their hashes: no script has run.`
  const caution = modelCaution(aggregates)
  const cloud = cloudWords(cloudApproaches(aggregates))
  return h(
    'header',
    {},
    h('h1', {}, 'Which retrieval approach fits this data'),
    h('p', { class: 'lead' }, `Ladder report · run ${runs} · ${facts.join(' · ')}`),
    h('p', { id: 'integrity', class: 'banner unknown', role: 'status' }, unchecked),
    caution === null ? null : h('p', { class: 'banner caution' }, caution),
    cloud === null ? null : h('p', { class: 'banner caution' }, cloud),
    h(
      'nav',
      { 'aria-label': 'Sections' },
      h(
        'ul',
        {},
        sections.map(({ id, title }) => h('li', {}, h('a', { href: `#${id}` }, title))),
      ),
    ),
    h(
      'ul',
      { class: 'legend', 'aria-label': 'Approaches and their markers' },
      aliases.map(({ model }) => h('li', {}, aliasHead(model, looks))),
    ),
  )
}
